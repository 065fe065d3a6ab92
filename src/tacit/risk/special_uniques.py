"""Special uniques: records that a few columns suffice to single out (SUDA2)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb, factorial
from typing import Literal

import numpy as np

from ..errors import TacitError, check_int, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results

MOST_WORK = 5 * 10**11
"""Unasked, the records that are alone times the square of the column sets may be so many: about a minute."""
MOST_VISITS = 2 * 10**10
"""Unasked, the different records times the column sets may be so many."""
MOST_MATCHED = 2 * 10**8
"""Where a missing key matches anything every set needs a count of its own: so many records times sets, asked or not."""
MOST_COLUMNS = 62
"""Column sets are kept as the bits of a whole number."""
LEAST_POWER = 0.05
"""From 28 columns on the published power Q is 0 or less, which would turn the order of the scores around."""


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"largest": 3, "fraction": 0.1},
    upto=200_000,
)
def special_uniques(
    release: Release | Masked,
    *,
    largest: int | None = None,
    fraction: float = 0.01,
    scores: Literal["factorial", "weighted"] = "factorial",
) -> Results:
    r"""How easily each record is singled out: its minimal sample uniques, their score, and the score as a chance.

    A minimal sample unique (MSU) of a record is a set S of quasi-identifiers on which it is alone while it is alone
    on no proper subset. With A quasi-identifiers the score of a record is

    .. math:: \text{score} = \sum_{S} (A - |S|)!, \qquad
              \text{or}\quad \sum_{S} (2^{A-|S|} - 1)\,\frac{|S|!\,(A-|S|)!}{A!}

    with ``scores="factorial"`` (Elliot et al.; ``suda2(original_scores=TRUE)`` of sdcMicro) or ``"weighted"`` (the
    program of the International Household Survey Network; ``original_scores=FALSE``). Few columns that suffice,
    and many such sets, make a high score; merging categories never raises the factorial one. The DIS score brings
    it to the scale of a chance that a match on the record is right:

    .. math:: \text{DIS} = \Bigl(1 + \frac{P\,(1-\pi)/\pi}{s^Q \sum_j s_j^{-Q}}\Bigr)^{-1},
              \qquad Q = 1 + \frac{8 - A}{20}

    where P is the number of records in classes of two, π the sampling ``fraction``, s the score and j runs over the
    records that have one. It is a calibrated order, not a probability of the file at hand.

    Two results: the highest score and the highest DIS score, each with its vector ``per_record``. ``facts`` count MSUs
    and records by size and give the share of the score to which each column contributes, in per cent. ``largest``
    bounds the sets searched. With ``missing="any"`` a record is alone on S when no other *matches* it there.

    Identity disclosure, measured. Time O(n) for each of at most C(A, 1) + … + C(A, largest) sets, less where
    records drop out early, and O(MSUs) of a record for each of its own; memory O(n·(A + largest) + MSUs). In memory: DuckDB's key columns are brought there, Spark's not.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962], "zip": ["N1", "N2", "N1", "N1"]})
    >>> found = special_uniques(Release(people, quasi=["sex", "born", "zip"]))
    >>> found[0].per_record.values().tolist(), found[0].facts["minimal sample uniques"]
    ([2, 4, 0, 0], 4)

    References
    ----------
    Elliot, Manning, Ford (2002), A computational algorithm for handling the special uniques problem, International
    Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10, 493–509.
    Manning, Haglin, Keane (2008), A recursive search algorithm for statistical disclosure assessment, Data Mining and
    Knowledge Discovery 16, 165–196 (SUDA2).
    """
    plain = release_of(release)
    _check_params(largest, fraction, scores)
    keys, matches = plain.quasi, plain.matches()
    size = len(keys) if largest is None else min(largest, len(keys))
    wildcards = isinstance(matches, Matches)
    sizes, rows, masks = (
        _wildcard_uniques(plain, size) if wildcards else _exact_uniques(plain, size, asked=largest is not None)
    )
    value = _size_scores(len(keys), scores)[_mask_sizes(masks)]
    score = np.bincount(rows, weights=value, minlength=plain.size)
    if scores == "factorial":
        score = score.astype(np.int64) if score.max() < 2**53 else score
    facts = _unique_facts(keys, rows, masks, value)
    dis = _dis_score(score, len(keys), float((sizes == 2).sum()), fraction)
    about = {"sampling fraction": float(fraction), "records in pairs": int((sizes == 2).sum())}
    return Results(
        (
            _build_result("special unique score", score, {"scores": scores, "largest set searched": size, **facts}),
            _build_result("special unique DIS score", dis, {**about, "sum": float(dis.sum())}),
        )
    )


def _check_params(largest: object, fraction: object, scores: object) -> None:
    if largest is not None:
        check_int("largest", largest, least=1)
    if not isinstance(fraction, int | float) or isinstance(fraction, bool) or not 0 < fraction <= 1:
        raise TacitError(
            f"fraction={format_value(fraction)} is not in (0, 1]",
            code="out_of_range",
            parameter="fraction",
            fix="give the sampling fraction, e.g. fraction=0.01",
        )
    if scores not in ("factorial", "weighted"):
        raise TacitError(
            f"scores={format_value(scores)} is unknown",
            code="unknown_name",
            parameter="scores",
            fix="use scores='factorial' or scores='weighted'",
        )


def _check_search_size(columns: int, size: int, fits: Callable[[int], bool], *, also: str = "") -> None:
    """Refuse a search that would not end, with the largest set size that would."""
    if columns > MOST_COLUMNS:
        raise TacitError(
            f"{columns} quasi-identifiers are too many to combine",
            code="too_large",
            fix=f"declare at most {MOST_COLUMNS} of them quasi",
        )
    sets = [sum(comb(columns, s) for s in range(1, top + 1)) for top in range(1, size + 1)]
    if not fits(sets[-1]):
        good = sum(fits(number) for number in sets)
        raise TacitError(
            f"{columns} quasi-identifiers make {sets[-1]:,} column sets, too many for so many records",
            code="too_large",
            fix=(f"say largest={good}" if good else "measure a sample of the records") + also,
        )


def _exact_uniques(release: Release, size: int, *, asked: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class size of each record, and the MSUs as records and masks; equal records are searched as one."""
    from ..kernels.minimal_uniques import minimal_uniques

    codes = [release.codes(key) for key in release.quasi]
    classes = ArrayClasses(codes, release.size, release.codes)
    alone = classes.sizes == 1
    unique, different = int(alone.sum()), classes.count
    _check_search_size(
        len(codes),
        size,
        lambda sets: asked or (unique * sets * sets <= MOST_WORK and different * sets <= MOST_VISITS),
        also=f"; largest={len(codes)} searches all of them, however long it takes",
    )
    first = np.zeros(classes.count, dtype=np.int64)
    first[classes.of_record] = np.arange(release.size)
    table = np.array([one.codes[first] for one in codes], dtype=np.int32)
    rows, masks = minimal_uniques(table, np.array([one.count for one in codes]), alone, size)
    return classes.sizes[classes.of_record], first[rows], masks


def _wildcard_uniques(release: Release, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same where a missing key matches anything: every set counted, subsets before supersets."""
    m = len(release.quasi)
    own = "; or make a missing key a category of its own, missing='own'"
    _check_search_size(m, size, lambda sets: release.size * sets <= MOST_MATCHED, also=own)
    sizes = np.zeros(0, dtype=np.int64)
    rows: list[np.ndarray] = []
    masks: list[np.ndarray] = []
    covered: list[tuple[int, np.ndarray]] = []
    for width in [*range(1, size + 1), *((m,) if size < m else ())]:
        for places in combinations(range(m), width):
            matches = Matches([release.codes(release.quasi[j]) for j in places], release.size, release.codes)
            sizes = matches.sizes[matches.of_record]
            if width > size:
                continue
            mask = sum(1 << j for j in places)
            minimal = sizes == 1
            for inner, records in covered:
                if inner & mask == inner:
                    minimal[records] = False
            found = np.flatnonzero(minimal)
            if len(found):
                covered.append((mask, found))
                rows.append(found)
                masks.append(np.full(len(found), mask))
    none = np.zeros(0, dtype=np.int64)
    return sizes, np.concatenate([none, *rows]), np.concatenate([none, *masks])


def _size_scores(columns: int, scores: str) -> np.ndarray:
    """What a set of each size adds to the score."""
    sizes = range(columns + 1)
    if scores == "factorial":
        return np.array([float(factorial(columns - size)) for size in sizes])
    return np.array([(2 ** (columns - size) - 1) / comb(columns, size) for size in sizes])


def _mask_sizes(masks: np.ndarray) -> np.ndarray:
    widths: np.ndarray = np.bitwise_count(masks)
    return widths.astype(np.int64)


def _unique_facts(keys: tuple[str, ...], rows: np.ndarray, masks: np.ndarray, value: np.ndarray) -> dict[str, object]:
    """Counts by size, and the share of the score to which each column contributes."""
    widths, total = _mask_sizes(masks), float(value.sum())
    facts: dict[str, object] = {
        "minimal sample uniques": len(rows),
        "records with one": len(np.unique(rows)),
        "sum of scores": total,
    }
    for size in np.unique(widths):
        of = widths == size
        facts[f"of {size} columns" if size > 1 else "of 1 column"] = int(of.sum())
    if total:
        for place, key in enumerate(keys):
            facts[f"contribution of {key} in %"] = 100 * float(value[(masks >> place) & 1 == 1].sum()) / total
    return facts


def _dis_score(score: np.ndarray, columns: int, pairs: float, fraction: float) -> np.ndarray:
    """The score on the scale of a chance; worked on shares of the largest score, so that no power overflows."""
    chance = np.zeros(len(score))
    alone = score > 0
    if alone.any():
        power = max(LEAST_POWER, 1 + (8 - columns) / 20)
        relative = (score[alone] / score.max()) ** power
        odds = relative * (1 / relative).sum()
        chance[alone] = 1 / (1 + pairs * (1 - fraction) / fraction / odds)
    return chance


def _build_result(name: str, per_record: np.ndarray, facts: dict[str, object]) -> Result:
    return Result(
        name=name,
        value=per_record.max().item(),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=per_record),
    )
