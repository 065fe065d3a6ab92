"""The common case in one call: how well an intruder tells who is in a released file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, format_value
from ..release.masked import Masked, Method, release_of
from ..release.release import Release
from ..result import Result
from .attack import Attack
from .control_group import with_outsiders
from .file_membership import Membership
from .membership_runner import judged_members


def membership_risk(
    masked: Masked | Release,
    *,
    original: Release,
    control: Release,
    knows: str | Iterable[str] | None = None,
    population: Release | None = None,
    attack: Attack | None = None,
    program: Method | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """How well an intruder tells people of the original from people who are not in it, by the released file.

    The intruder's list holds everybody of the ``original`` and of ``control``, people like them who are not in it, with the
    columns ``knows`` (all quasi-identifiers when absent). By lineage it is known who of the original is in a masked
    release; a bare release, or one whose rows were all invented (a synthetic file), was made from all of them.
    ``population`` are people like them, best of neither group: with it the attack compares densities, else distances
    (:class:`Membership`); ``attack`` gives another. ``program`` is the method that made the file, for an intruder who can run
    it (:class:`ShadowGenerators`). The result is that of :func:`tacit.claims.judge` for claims about membership: 0.5 is
    chance. The cost is that of the attack.

    >>> import polars as pl
    >>> people = [Release(pl.DataFrame({"age": ages}), quasi="age") for ages in ([20.0, 31, 44], [25.0, 38, 50])]
    >>> membership_risk(people[0], original=people[0], control=people[1]).value
    1.0

    References
    ----------
    van Breugel, Sun, Qian and van der Schaar (2023), Membership inference attacks against synthetic data through
    overfitting detection, AISTATS.
    """
    release, original = release_of(masked), release_of(original)
    own = Scenario.worst_case(original, knows=knows, told=masked.trace if isinstance(masked, Masked) else ())
    own = replace(own, program=program)
    people = None if population is None else release_of(population)
    listed = with_outsiders(own, release_of(control), population=people)
    made = attack if attack is not None else Membership(by="distance" if population is None else "density")
    if isinstance(made, type) or not hasattr(made, "claims"):
        raise TacitError(
            f"{format_value(made)} is no attack with its parameters", fix="e.g. attack=tacit.attack.Membership()"
        )
    everybody = Truth.by_lineage(masked.rows() if isinstance(masked, Masked) else None, original.size)
    found = judged_members(made, release, listed, everybody, seed=seed).result
    assert found is not None
    return found
