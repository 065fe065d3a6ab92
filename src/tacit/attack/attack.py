"""What every attack is: parameters, a reason when it cannot be made, and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

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


class Attack(Protocol):
    """A frozen dataclass of parameters; it reads the release and the scenario, and never the truth."""

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> Claims:
        """What the intruder says."""
