"""What every attack is: parameters, what it claims and needs, a reason when it cannot be made, and its claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..errors import TacitError
from ..registry import Description, Tags

if TYPE_CHECKING:
    from ..claims.claims import Claims
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


class ProgramLimit(str):
    """Why an attack is not made although an intruder could make it: this program, or the time it may take, does not reach so far.

    Every other reason says that the intruder lacks something. The difference decides whether a verdict covers the attack.
    """

    __slots__ = ()


class AttackImpossible(TacitError):
    """An attack found out on the way that it cannot be made; the runner reports it as a reason, not as an error."""

    def __init__(self, what: str, *, fix: str, column: str | None = None) -> None:
        super().__init__(what, code="attack_impossible", fix=fix, column=column)


class Attack(Protocol):
    """A frozen dataclass of parameters; it reads the release and the scenario, and never the truth.

    ``makes`` is the type of its claims. By it alone the runner knows how to judge them, and what the attack is about. ``linkage``
    says whether the attack uses the published masking method (specific) or not (generic).

    Further attributes are read where a class has them. ``needs``: what the people attacked must come with, see
    :data:`.runner.LACKING`. ``example``: parameters for the clinic example. ``upto``: up to how many people a job makes it
    unasked. ``concerns(release, scenario)``: whether the data have what the attack is about; else it is left out.
    ``with_control(scenario, control)``: the attack for a list whose last people are the control. ``without_proof()``: the attack
    without work that changes no claim.
    """

    makes: ClassVar[type[Any]]
    linkage: ClassVar[str]

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> Claims:
        """What the intruder says."""


def describe_attack(attack: Any) -> Description | None:
    """The description of an attack, from what its class says; None of what is no attack."""
    makes, linkage = getattr(attack, "makes", None), getattr(attack, "linkage", None)
    if makes is None or linkage is None:
        return None
    return Description(
        tags=Tags(about=makes.about, kind="attack", linkage=linkage),
        example=getattr(attack, "example", {}),
        upto=getattr(attack, "upto", None),
    )
