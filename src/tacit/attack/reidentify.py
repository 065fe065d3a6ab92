"""The common case in one call: how many people an intruder finds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, typed
from ..release.masked import Masked, checked_lineage, release_of
from ..release.release import Release
from ..release.trace import method_name
from ..result import Result
from .attack import Attack
from .attacked import attacked

__all__ = ["reidentify"]


def reidentify(
    masked: Masked | Release,
    *,
    original: Release,
    knows: str | Iterable[str] | None = None,
    lineage: np.ndarray | None = None,
    attack: Attack | None = None,
    control: Release | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """The share of the original's people whom an intruder finds in the masked release, by the worst attack (C-03).

    The worst case: the intruder knows the columns ``knows`` (all quasi-identifiers when absent) of everybody and is told
    the trace. Every attack on identities that applies is made, or the one given; the result is that with the highest
    upper end of its interval, and its facts say which attack it was and which were not made. ``control`` holds people
    who are not in the release; ``seed`` is for attacks that draw. A bare release needs its ``lineage``, the original row of every released row (−1 where
    it was invented): without the truth nobody can judge. The cost is that of the attacks, see :class:`Distance`.

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.

    >>> import polars as pl
    >>> r = Release(pl.DataFrame({"age": [20, 31, 44, 59]}), quasi="age", kinds={"age": "continuous"})
    >>> reidentify(r, original=r, lineage=np.arange(4)).value
    1.0
    """
    release, told = release_of(masked), masked.trace if isinstance(masked, Masked) else ()
    original = release_of(original)
    truth = Truth.by_lineage(_lineage(masked, original, lineage), original.size)
    scenario = Scenario.worst_case(original, knows=knows, told=told)
    others = None if control is None else Scenario.worst_case(control, knows=scenario.knows, told=told)
    done = attacked(release, scenario, truth, _attacks(attack), control=others, seed=seed)
    results = [one.result.with_facts(attack=one.name) for one in done if one.result is not None]
    not_made = [f"{one.name}: {one.why_not}" for one in done if one.why_not]
    if not results:
        raise TacitError(
            f"no attack can be made ({'; '.join(not_made)})", fix="say with knows= what the intruder has of the release"
        )
    worst = max(results, key=lambda result: result.worst_case)
    return worst.with_facts(**{"not made": not_made}) if not_made else worst


def _attacks(attack: Attack | None) -> dict[str, Attack]:
    """The given attack, or all on identities, by name."""
    from . import ALL

    if isinstance(attack, type) or (attack is not None and not hasattr(attack, "claims")):
        raise TacitError(f"{typed(attack)} is no attack with its parameters", fix="e.g. attack=tacit.attack.Distance()")
    if attack is not None:
        return {method_name(attack): attack}
    return {name: entry.call() for name, entry in ALL.items() if "identity" in entry.tags.about}


def _lineage(masked: Masked | Release, original: Release, given: np.ndarray | None) -> np.ndarray:
    size = masked.release.size if isinstance(masked, Masked) else masked.size
    rows = masked.rows() if given is None and isinstance(masked, Masked) else given
    if rows is None:
        raise TacitError(
            "nobody said which released row is which original row",
            fix="give the Masked itself, or lineage=numpy.arange(original.size) when the rows stand as they stood",
        )
    if isinstance(masked, Masked) and masked.lineage is None and given is None and size != original.size:
        raise TacitError(
            f"the release has {size} rows as they stood, the original {original.size}",
            fix="give the original from which the release was made",
        )
    return checked_lineage(rows, masked=size, original=original.size)
