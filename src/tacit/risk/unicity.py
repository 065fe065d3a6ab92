"""Unicity: the share of people whom a few known columns, or a few known points of their trace, single out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_columns, check_int
from ..interval import Z, wilson
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from ..seed import make_generator

if TYPE_CHECKING:
    from ..seed import Seed


MOST_SETS = 500
"""So many column sets of one size are all counted; of more, as many are drawn."""


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"known": 2},
    upto=200_000,
)
def unicity(
    release: Release | Masked,
    *,
    known: int = 3,
    person: str | None = None,
    points: str | Iterable[str] | None = None,
    seed: Seed | None = None,
) -> Result:
    r"""The share of people who are unique given any r known columns, or r points of their own trace.

    **Columns.** Over the sets S of r quasi-identifiers, the mean share of records that are alone on S:

    .. math:: u_r = \binom{m}{r}^{-1} \sum_{|S| = r} \frac{|\{i : f_i(S) = 1\}|}{n}

    All sets are counted, up to 500 of one size; of more, 500 are drawn with ``seed`` and the result has a 95 % interval
    for the mean over all sets. ``facts`` give the curve :math:`u_1 … u_r`, the least and the greatest share at r and
    the set that singles out most. ``per_record`` is the share of the counted sets on which the record is alone.

    **Points.** With ``person`` and ``points`` the table is a list of events, e.g. a card at a shop on a day: r points
    are drawn from each person's different ones (all, where there are fewer), and the person is unique when nobody
    else's trace has them all. Counting is exact, by an inverted index; the draw needs a ``seed``, and the 95 % interval
    is Wilson's over people. Points of a person become known one after another, so that the curve never falls.
    Events without a person or with a missing part of the point tell nothing and are left out. ``per_record`` is 1
    for the events of people who are unique.

    ``value`` is the share at r = ``known`` (or at all columns, when there are fewer). Dropping names does not help
    against it: a low value needs coarser columns or fewer of them.

    Identity disclosure, measured. Columns: O(n) for each set; in memory. Points: O(events · log events) and
    the lists of the points drawn.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962]})
    >>> print(unicity(Release(people, quasi=["sex", "born"]), known=2))
    unicity                   0.5
    known                     2 of 2 columns
    sets counted              1 of 1
    share given 1 column      0.125
    share given 2 columns     0.5
    least and greatest share  0.5 to 0.5
    greatest on               sex, born

    References
    ----------
    de Montjoye, Hidalgo, Verleysen, Blondel (2013), Unique in the crowd: the privacy bounds of human mobility,
    Scientific Reports 3, 1376.
    """
    plain = release_of(release)
    check_int("known", known, least=1)
    if (person is None) != (points is None):
        raise TacitError(
            "events need the column of the person and those of the point",
            code="not_applicable",
            fix="e.g. person='card', points=['shop', 'day']; leave both out to count quasi-identifiers",
        )
    if person is not None:
        return _of_points(
            plain, known, check_columns(person, plain.columns)[0], check_columns(points, plain.columns), seed
        )
    return _of_columns(plain, known, seed)


def _of_columns(release: Release, known: int, seed: Seed | None) -> Result:
    wildcards = isinstance(release.matches(), Matches)
    m = len(release.quasi)
    most = min(known, m)
    curve, shares, chosen = {}, np.zeros(1), [release.quasi]
    often = np.zeros(release.size)
    for r in range(1, most + 1):
        chosen = _column_sets(release.quasi, r, seed)
        often, counts = np.zeros(release.size), []
        for alone in _unique_records(release, chosen, wildcards=wildcards):
            often += alone
            counts.append(int(alone.sum()))
        shares = np.array(counts) / release.size
        curve[f"share given {r} column{'s' if r > 1 else ''}"] = float(shares.mean())
    top = int(shares.argmax())
    return Result(
        name="unicity",
        value=float(shares.mean()),
        worse="high",
        about="identity",
        interval=_confidence_interval(shares, comb(m, most)),
        facts={
            "known": f"{most} of {m} columns",
            "sets counted": f"{len(chosen):,} of {comb(m, most):,}",
            **curve,
            "least and greatest share": (float(shares.min()), float(shares.max())),
            "greatest on": ", ".join(chosen[top]),
        },
        per_record=PerRecord(array=often / len(chosen)),
    )


def _column_sets(columns: tuple[str, ...], r: int, seed: Seed | None) -> list[tuple[str, ...]]:
    """All sets of r columns, or as many different ones as are counted, drawn at random."""
    if comb(len(columns), r) <= MOST_SETS:
        return list(combinations(columns, r))
    if seed is None:
        raise TacitError(
            f"there are {comb(len(columns), r):,} sets of {r} columns, of which {MOST_SETS} are drawn at random, without a seed",
            code="seed",
            fix="say seed=7, or a smaller known=",
        )
    rng, drawn = make_generator(seed), set[tuple[int, ...]]()
    while len(drawn) < MOST_SETS:
        drawn.add(tuple(sorted(rng.choice(len(columns), size=r, replace=False).tolist())))
    return [tuple(columns[place] for place in places) for places in sorted(drawn)]


def _unique_records(release: Release, sets: list[tuple[str, ...]], *, wildcards: bool) -> Iterator[np.ndarray]:
    """For each set of columns, which records are alone on it; not kept, so that memory stays O(n)."""
    for columns in sets:
        codes = [release.codes(column) for column in columns]
        grouped = (Matches if wildcards else ArrayClasses)(codes, release.size, release.codes)
        yield (grouped.sizes == 1)[grouped.of_record]


def _confidence_interval(shares: np.ndarray, sets: int) -> tuple[float, float] | None:
    """For the mean over all sets from a draw without replacement; none where all were counted."""
    if len(shares) == sets:
        return None
    mean, error = float(shares.mean()), float(shares.std(ddof=1)) * sqrt((1 - len(shares) / sets) / len(shares))
    return max(0.0, mean - Z * error), min(1.0, mean + Z * error)


def _of_points(release: Release, known: int, person: str, points: tuple[str, ...], seed: Seed | None) -> Result:
    from ..kernels.traces import points_to_single_out

    if person in points:
        raise TacitError(
            "is the person and a part of the point",
            code="unsuitable_column",
            column=person,
            fix="name other columns as points",
        )
    if seed is None:
        raise TacitError("points are drawn at random, and there is no seed", code="seed", fix="say seed=7")
    people, of_row, where, complete = _person_points(release, person, points)
    count = int(people.max()) + 1
    order = np.lexsort((make_generator(seed).random(len(people)), people))
    index = np.lexsort((people, where))
    needed = points_to_single_out(
        np.concatenate([[0], np.cumsum(np.bincount(people, minlength=count))]),
        where[order],
        np.concatenate([[0], np.cumsum(np.bincount(where))]),
        people[index],
        known,
    )
    curve = {f"share given {r} point{'s' if r > 1 else ''}": float((needed <= r).mean()) for r in range(1, known + 1)}
    unique = np.zeros(release.size)
    unique[complete] = needed[of_row] <= known
    hits = int((needed <= known).sum())
    return Result(
        name="unicity",
        value=hits / count,
        worse="high",
        about="identity",
        interval=wilson(hits, count),
        facts={
            "known": f"{known} points of the trace",
            "people": count,
            "different points of a person, on average": len(people) / count,
            "people with fewer points than known": int((np.bincount(people) < known).sum()),
            "events left out": release.size - int(complete.sum()),
            **curve,
        },
        per_record=PerRecord(array=unique),
    )


def _person_points(
    release: Release, person: str, points: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Different pairs (person, point) in an order that the values decide; the person of each complete row; which are."""
    codes = [release.codes(column) for column in (person, *points)]
    complete = np.ones(release.size, dtype=bool)
    for one in codes:
        complete &= one.codes < len(one.dictionary)
    if not complete.any():
        raise TacitError(
            "has no event with a person and a point",
            code="missing_values",
            column=person,
            fix="check the columns named",
        )
    of_row = np.unique(codes[0].codes[complete], return_inverse=True)[1].astype(np.int64)
    where = np.zeros(len(of_row), dtype=np.int64)
    for one in codes[1:]:
        where = np.unique(where * one.count + one.codes[complete], return_inverse=True)[1].astype(np.int64)
    span = int(where.max()) + 1
    pairs = np.unique(of_row * span + where)
    return pairs // span, of_row, pairs % span, complete
