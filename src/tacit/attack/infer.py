"""What is learnt about the people of a masked release, by the worst attack on each confidential column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..errors import TacitError, check_columns
from ..progress import Progress, sub_progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..release.trace import Trace
from ..result import Result, Results
from ._scenarios import scenario_of, truth_of
from ._target import without_target
from .registry import Attacks, resolve_attacks
from .reidentify import worst_of
from .runner import AttackResult, People, run_attacks


def infer(
    masked: Masked | Release,
    *,
    original: Release,
    column: str | Iterable[str] | None = None,
    knows: str | Iterable[str] | None = None,
    told: tuple[Trace, ...] | None = None,
    lineage: np.ndarray | None = None,
    attack: Attacks = None,
    control: Release | None = None,
    also: Iterable[Release | Masked] = (),
    percent: float = 10.0,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> Results:
    r"""The share of people of whom an intruder says the confidential value rightly, by the worst attack.

    The intruder knows the columns ``knows`` (all quasi-identifiers when absent) of everybody, reads the release and is told
    the trace. ``column`` are those it is after (all confidential ones when absent). Every attack on values that applies is
    made, or those named by ``attack``; each result is that with the highest upper end of its interval. A number counts as
    right when it is within ``percent`` % of the standard deviation of the true values.

    A good guess is not yet a disclosure. ``facts`` have ``baseline`` (the same claims dealt out at random), the best single
    guess, what is right by the rest of the people, when the person's own records are taken from the release, and the
    difference, ``learnt above the rest``: how much is known of people because they are in the release. ``control``
    holds people who were left out before the masking, with their true values: then the gain on members minus the gain on them
    stands there too, and is the better figure, because records that were masked together tell of each other (:class:`.scoring.ValueScoring`).
    The attack that is right most often need not be the one that learns most about members; where another does, the facts
    ``most learnt`` say how much and by which. ``also`` are other releases about the same people (:class:`Composition`). The cost is six times that of each attack and column.

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1"] * 3 + ["N2"] * 3, "ill": ["flu"] * 3 + ["gout", "acne", "flu"]})
    >>> r = Release(table, quasi="zip", confidential="ill")
    >>> round(infer(r, original=r, lineage=np.arange(6), attack="lookup")["ill"].value, 4)
    0.6667
    """
    release, original = release_of(masked), release_of(original)
    columns = check_columns(column, original.columns) if column is not None else original.confidential
    if not columns:
        raise TacitError(
            "it is not said which column is to be learnt",
            code="missing_parameter",
            fix="say column='diagnosis', or declare it confidential in the original",
        )
    scenario = replace(
        scenario_of(masked, original, knows=knows, told=told), also=tuple(release_of(one) for one in also)
    )
    people = People(truth=truth_of(masked, original, lineage), file=original, control=control, percent=percent)
    chosen = resolve_attacks(attack, about="attribute")
    found: list[Result] = []
    for place, one in enumerate(columns):
        if one in without_target(release, scenario, one).knows:
            raise TacitError(
                "is to be learnt, and the intruder knows it already",
                code="already_masked",
                column=one,
                fix="leave it out of knows=, or name another column to be learnt",
            )
        share = sub_progress(progress, place / len(columns), (place + 1) / len(columns))
        done = run_attacks(release, scenario, replace(people, columns=(one,)), chosen, seed=seed, progress=share)
        found.append(_worst_result(done))
    return Results(tuple(found))


def _worst_result(done: tuple[AttackResult, ...]) -> Result:
    worst = worst_of(done)
    assert worst.result is not None
    result = worst.result.with_facts(attack=worst.name)
    most = max((one for one in done if one.gain is not None), key=_gain_bound, default=worst)
    if most.gain is not None and _gain_bound(most) > _gain_bound(worst):
        result = result.with_facts(
            **{
                "most learnt": most.gain.value,
                "most learnt, 95 % interval": most.gain.interval,
                "most learnt by": most.name,
            }
        )
    not_made = [f"{one.name}: {one.why_not}" for one in done if one.why_not]
    return result.with_facts(**{"not made": not_made}) if not_made else result


def _gain_bound(one: AttackResult) -> float:
    return -1.0 if one.gain is None else one.gain.worst_case
