"""The bars of the source's tables: the worked example of rank swapping to the record, and Census for small p."""

from __future__ import annotations

import numpy as np
import polars as pl
from bars import Bars
from swapping_figures import DATA, PERCENTS, PUBLISHED, SetUp, by_size

from tacit import Release
from tacit.attack import Transparency
from tacit.attack.masking_models.combination import combine_steps
from tacit.claims import Scenario
from tacit.protect import RankSwap
from tacit.release.trace import Trace

ABSENT = "the reference data are not beside the project"
BEFORE = (
    *((8, 9, 1, 3), (6, 7, 10, 2), (10, 3, 4, 1), (7, 1, 2, 6), (9, 4, 6, 4)),
    *((2, 2, 8, 8), (1, 10, 3, 9), (4, 8, 7, 10), (5, 5, 5, 5), (3, 6, 9, 7)),
)
AFTER = (
    *((10, 10, 3, 5), (5, 5, 8, 1), (8, 4, 2, 2), (9, 2, 4, 4), (7, 3, 5, 6)),
    *((4, 1, 10, 10), (3, 9, 1, 7), (2, 6, 9, 8), (6, 7, 6, 3), (1, 8, 7, 9)),
)
"""The example of Torra's lecture, row for row: ten records, four columns, two ranks of reach."""
SETS = (
    {(4, 1, 10, 10), (5, 5, 8, 1), (6, 7, 6, 3), (7, 3, 5, 6), (8, 4, 2, 2)},
    {(5, 5, 8, 1), (2, 6, 9, 8), (6, 7, 6, 3), (1, 8, 7, 9), (3, 9, 1, 7)},
    {(5, 5, 8, 1), (2, 6, 9, 8), (4, 1, 10, 10)},
    {(5, 5, 8, 1), (8, 4, 2, 2), (6, 7, 6, 3), (9, 2, 4, 4)},
)
"""Its possible records of the second person, column by column."""
SIZES = [1, 1, 1, 1, 2, 1, 1, 1, 2, 2]
"""How many records are possible for each person in all columns."""
SMALL = slice(0, 4)
"""p = 2, 4, 6, 8."""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    example(bars)
    if not DATA.is_dir():
        bars.skipped("rank swapping, Census and EIA: published figures", ABSENT)
        return
    if bars.quick:
        bars.skipped("rank swapping, Census and EIA: published figures", "it takes longer")
        return
    census(bars)
    eia(bars)


def example(bars: Bars) -> None:
    """Check the published example to the record: the sets of each column, their intersection, and what the intruder is sure of."""
    names = ["a1", "a2", "a3", "a4"]
    original, released = (
        Release(pl.DataFrame(rows, schema=names, orient="row"), quasi=names, kinds=dict.fromkeys(names, "continuous"))
        for rows in (BEFORE, AFTER)
    )
    told = (Trace.of(RankSwap(columns=names, percent=20)),)
    scenario = Scenario(file=original, knows=tuple(names), told=told, inside=True)
    within = _possible(released, scenario)
    mine = [{AFTER[row] for row in np.flatnonzero(column[1])} for column in within]
    bars.true("worked example: the four sets of x2 are the source's", mine == list(SETS))
    together = np.logical_and.reduce(within)
    bars.true(
        "worked example: possible records of the ten are 1 1 1 1 2 1 1 1 2 2", together.sum(axis=1).tolist() == SIZES
    )
    bars.true("worked example: the true record is always among them", bool(together.diagonal().all()))
    claims = Transparency().claims(released, scenario)
    assert claims.sure is not None
    sure = claims.sure[claims.claim_of].tolist()
    bars.true("worked example: sure links are those with one possible record", sure == [size == 1 for size in SIZES])
    linked = claims.candidates[claims.start[claims.claim_of[1]] : claims.start[claims.claim_of[1] + 1]]
    rows = np.flatnonzero(np.isin(claims.group_of, linked))
    bars.true("worked example: x2 is linked to (5, 5, 8, 1) alone", [AFTER[row] for row in rows] == [(5, 5, 8, 1)])


def _possible(release: Release, scenario: Scenario) -> list[np.ndarray]:
    """By column, in their order, which records (across) the windows of each person (down) hold."""
    found = []
    for pair in (pair for known in combine_steps(release, scenario) for pair in known.compared):
        if pair.table is not None:
            held = np.isfinite(pair.table[np.ix_(pair.intruder.astype(int), pair.release.astype(int))])
        else:
            assert pair.low is not None and pair.high is not None
            held = (pair.low[:, None] <= pair.release) & (pair.release <= pair.high[:, None])
        found.append(held)
    return found


def census(bars: Bars) -> None:
    """The mean over the first 1 to 7 columns, in alphabetical order, of three masked files."""
    figures = by_size("Census", SetUp(swap="found", order="alphabet", most=7, files=3), ("RSLD", "DLD"))
    for kind, values in figures.items():
        there, here = np.array(PUBLISHED["Census"][kind]), values.mean(axis=1)
        apart = np.abs(here - there)
        facts = {"here": here.round(2).tolist(), "published": there.tolist(), "p": list(PERCENTS)}
        bars.at_most(f"Census {kind}, p = 2 to 8: points from published", float(apart[SMALL].max()), 3.0, **facts)
        bars.stated(f"Census {kind}, all p: mean points from published", float(apart.mean()))
    bars.true("Census RSLD >= DLD, every p and number of columns", _ordered(figures))


def eia(bars: Bars) -> None:
    """The same of the first 1 to 5 columns; the published figures are not met (see the study) and only stated."""
    figures = by_size("EIA", SetUp(swap="found", order="alphabet", most=5), ("RSLD", "DLD"))
    for kind, values in figures.items():
        apart = np.abs(values.mean(axis=1) - np.array(PUBLISHED["EIA"][kind]))
        bars.stated(f"EIA {kind}, all p: mean points from published", float(apart.mean()))
    bars.true("EIA RSLD >= DLD, every p and number of columns", _ordered(figures))


def _ordered(figures: dict[str, np.ndarray]) -> bool:
    return bool((figures["RSLD"] >= figures["DLD"] - 1e-9).all())
