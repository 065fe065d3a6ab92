"""The bars of whole files: the weighted mean learned in seconds, counted over all pairs, and a bound beside it."""

from __future__ import annotations

from bars import Bars, spent
from learned_files import ABSENT, DATA, census, distinct, eia, pairs_of
from learned_runs import counted, run, warm

from tacit import Release
from tacit.protect import RankSwap, grouped_columns
from tacit.release.masked import Method

SECONDS = 5.0
ROOM = 0.8
"""Share of the time that the search is given: judging over all pairs comes after it."""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if not DATA.is_dir():
        bars.skipped("whole files: the weighted mean learned", ABSENT)
        return
    warm(("WM",), large=True)
    for title, release, method in files(quick=bars.quick):
        one(bars, title, release, method)


def files(*, quick: bool) -> list[tuple[str, Release, Method]]:
    """Census and EIA, microaggregated in groups of columns on raw values, or rank-swapped."""
    found: list[tuple[str, Release, Method]] = [
        ("Census 1080x13, k=5 by 3", census(), in_groups(census(), size=3, k=5)),
        ("EIA 4092x10, k=5 by 2", eia(), in_groups(eia(), size=2, k=5)),
    ]
    if quick:
        return found
    swapped = [
        (f"Census 1080x13, swap {percent} %", census(), RankSwap(columns=census().columns, percent=percent))
        for percent in (10, 20)
    ]
    return [*found, ("Census 1080x13, k=10 by 7", census(), in_groups(census(), size=7, k=10)), *swapped]


def in_groups(release: Release, *, size: int, k: int) -> Method:
    """So many columns in each group, in the order of the file; the last one has what is left."""
    columns = release.columns
    groups = [(columns[at : at + size], k) for at in range(0, len(columns), size)]
    return grouped_columns(groups, standardise=False)


def one(bars: Bars, title: str, release: Release, method: Method) -> None:
    """One file: seconds, and the count judged again by sums over all pairs."""
    pairs = pairs_of(release, method, seed=0)
    plain = run(pairs, "AM", seed=0).found
    seconds, found = spent(lambda: run(pairs, "WM", seed=0, seconds=ROOM * SECONDS))
    again = counted(pairs, found)
    share = 100 / len(pairs.seekers)
    facts = {"records found": int(found.found.sum()), "records at most": found.bound}
    bars.at_most(f"{title}: WM, CPU s", seconds, SECONDS, at_scale=True, **facts)
    bars.true(f"{title}: count holds over all pairs", bool((again == found.found).all()))
    bars.at_least(f"{title}: WM per cent, AM", float(found.found.sum()) * share, round(float(plain.sum()) * share, 2))
    bars.at_most(f"{title}: bound per cent, distinct", found.bound * share, round(distinct(pairs) * share, 2) + 0.005)
