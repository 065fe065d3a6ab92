"""A file with other column names and units: which of its columns are which of the release's, from the values alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value
from ..frozen import FrozenDict
from ..release.codes import Codes, encode_column
from ..release.hierarchy.base import label_expression
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import DisplayMixin, format_fact
from .matching.association import column_associations, structural_similarity
from .matching.column_view import ColumnView, view_column
from .matching.numbers import unit_change

GENERIC = frozenset("0 1 2 3 4 5 6 7 8 9 y n yes no true false".split())


"""Values that many unrelated columns have."""


LARGEST = 50


MOST = 12


"""Codes are mapped onto others only when there are at most so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """A score in [0, 1] for one form of comparison, and what turns their values into ours."""

    score: float
    how: Literal["same values", "same unit", "known unit", "age and year", "fitted", "dates", "other codes"]
    scale: float = 1.0
    shift: float = 0.0
    form: str | None = None
    values: dict[str, str] = field(default_factory=dict)


NONE = Similarity(score=0.0, how="same values")


def column_similarity(theirs: ColumnView, ours: ColumnView, *, file: Release, release: Release) -> Similarity:
    """The best of all forms that both columns have."""
    found = [NONE]
    if release.levels.get(ours.column):
        for form, cells in _cell_readings(theirs, file.series(theirs.column)):
            raised = _generalise_cells(cells, release, ours.column) if not file.levels.get(theirs.column) else None
            if raised is not None and ours.values is not None:
                how: Literal["dates", "same values"] = "dates" if form else "same values"
                found.append(Similarity(score=same_values(raised, ours.values), how=how, form=form))
        return max(found, key=lambda one: one.score)
    if theirs.quantiles is not None and ours.quantiles is not None:
        unit = unit_change(theirs.quantiles, ours.quantiles)
        if unit is not None:
            found.append(Similarity(score=unit.score, how=unit.how, scale=unit.scale, shift=unit.shift))
    for form, days in theirs.date_quantiles.items():
        for own in ours.date_quantiles.values():
            unit = unit_change(days, own)
            if unit is not None and unit.how == "same unit":
                found.append(Similarity(score=unit.score, how="dates", form=form))
    if theirs.values is not None and ours.values is not None:
        found.append(Similarity(score=same_values(theirs.values, ours.values), how="same values"))
        codes = map_codes(theirs.values, ours.values)
        if codes is not None:
            found.append(Similarity(score=codes.score, how="other codes"))
    return max(found, key=lambda one: one.score)


def map_by_profiles(
    like: Similarity, theirs: ColumnView, ours: ColumnView, *, anchors: list[tuple[ColumnView, ColumnView]]
) -> Similarity:
    """The likeness with its codes mapped, by the help of the columns that were matched: who has code 1 earns like who has m."""
    if like.how != "other codes" or theirs.values is None or ours.values is None:
        return like
    pairs = [(a.ordered_cells(), b.ordered_cells()) for a, b in anchors if a.column != theirs.column]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    sides = _code_profiles(theirs.values, [a for a, _ in both]), _code_profiles(ours.values, [b for _, b in both])
    found = map_codes(theirs.values, ours.values, profiles=sides)
    assert found is not None
    own = ours.values.dictionary.gather(found.ours)
    return replace(like, values=dict(zip(theirs.values.dictionary.to_list(), own.to_list(), strict=True)))


def _code_profiles(codes: Codes, columns: list[np.ndarray]) -> np.ndarray:
    """For each code the mean rank, as a share, of each column among its records; one half where there is none."""
    count = len(codes.dictionary)
    found = np.full((count, len(columns)), 0.5)
    for place, cells in enumerate(columns):
        known = ~np.isnan(cells) & (codes.codes < count)
        if not known.any():
            continue
        ranks = pl.Series(cells[known]).rank().to_numpy() / known.sum()
        rows = np.bincount(codes.codes[known], minlength=count)
        sums = np.bincount(codes.codes[known], weights=ranks, minlength=count)
        found[:, place] = np.where(rows > 0, sums / np.maximum(rows, 1), 0.5)
    return found


def _cell_readings(theirs: ColumnView, cells: pl.Series) -> list[tuple[str | None, pl.Series]]:
    """Their cells as they are, and as dates where they are dates written out."""
    found: list[tuple[str | None, pl.Series]] = [(None, cells)]
    if cells.dtype not in (pl.Date, pl.Datetime):
        found += [(form, cells.cast(pl.String).str.to_date(form, strict=False)) for form in theirs.dates]
    return found


def _generalise_cells(cells: pl.Series, release: Release, target: str) -> Codes | None:
    """Their values at the published level of ours, if the hierarchy knows values of that sort."""
    hierarchy, level = release.hierarchies.get(target), release.levels[target]
    if hierarchy is None or level >= hierarchy.height:
        return None
    alone = Release(cells.to_frame(target))
    try:
        hierarchy.check_type(target, alone.types[target])
        raised = alone.with_columns({target: label_expression(hierarchy, target, level)}).series(target)
    except (TacitError, pl.exceptions.PolarsError):  # values of another sort, or that it cannot read
        return None
    return encode_column(raised.cast(pl.String).str.strip_chars().str.to_lowercase())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodeMapping:
    """Which of our codes each of their codes is, and in [0, 1] how alike they are."""

    ours: np.ndarray
    score: float


def same_values(theirs: Codes, ours: Codes) -> float:
    """How far two columns of text are the same values, in [0, 1].

    The share of their cells whose value we have too; with few values times how alike the frequencies are, less what
    chance explains. Values that anything may have (yes and no, small numbers) count four fifths. O(values).
    """
    p, q = _code_shares(theirs), _code_shares(ours)
    if not p.size or not q.size:
        return 0.0
    place = {value: number for number, value in enumerate(ours.dictionary)}
    own = np.array([place.get(value, -1) for value in theirs.dictionary])
    covered = float(p[own >= 0].sum())
    trust = 0.8 if all(value in GENERIC for value in theirs.dictionary) else 1.0
    if max(len(p), len(q)) > LARGEST:
        return trust * covered
    moved = np.bincount(own[own >= 0], weights=p[own >= 0], minlength=len(q))
    apart = float(np.abs(moved - q).sum()) / 2 + (1 - covered) / 2
    return trust * covered * max(0.0, 1 - max(0.0, apart - _sampling_distance(theirs, ours)))


def map_codes(
    theirs: Codes, ours: Codes, *, profiles: tuple[np.ndarray, np.ndarray] | None = None
) -> CodeMapping | None:
    """Their codes as other names of ours, found from how often each occurs and what goes with it; a guess.

    ``profiles`` gives for each code of either side further numbers in [0, 1], such as the mean rank of each column that was
    matched before among the records with that code. The codes are assigned one to one with the least total
    difference of frequencies and profiles. Evidence that two columns belong together is only half as good as equal values,
    because any two columns of two values look alike. None when their numbers differ or there are many.
    """
    from scipy.optimize import linear_sum_assignment

    p, q = _code_shares(theirs), _code_shares(ours)
    if len(p) != len(q) or not 2 <= len(p) <= MOST:
        return None
    cost = np.abs(p[:, None] - q[None, :])
    if profiles is not None and profiles[0].shape[1]:
        cost = cost + np.abs(profiles[0][:, None, :] - profiles[1][None, :, :]).sum(axis=2)
    _, own = linear_sum_assignment(cost)
    apart = float(np.abs(p - q[own]).sum()) / 2
    return CodeMapping(ours=own, score=0.5 * max(0.0, 1 - 2 * max(0.0, apart - _sampling_distance(theirs, ours))))


def _code_shares(codes: Codes) -> np.ndarray:
    counts = np.bincount(codes.codes, minlength=len(codes.dictionary) + 1)[: len(codes.dictionary)]
    found: np.ndarray = counts / max(1, counts.sum())
    return found


def _sampling_distance(theirs: Codes, ours: Codes) -> float:
    """About the distance of the frequencies of two samples from one population."""
    k, n, m = len(ours.dictionary), max(1, len(theirs.codes)), max(1, len(ours.codes))
    return 0.4 * sqrt(k * (1 / n + 1 / m))


How: TypeAlias = Literal["same values", "same unit", "known unit", "age and year", "fitted", "dates", "other codes"]


FEWEST = 20


"""With fewer known cells a distribution tells nothing."""


GUESSES = ("fitted", "other codes")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMatch:
    """Their column ``theirs`` is our column ``ours``, believed with ``score`` in [0, 1]; ``how`` says from what.

    Numbers: ours = ``scale`` · theirs + ``shift``. Other codes: ``values`` has ours for each of theirs (as lower-case text), which is a
    guess. Dates: ``form`` is how they are written.
    """

    theirs: str
    ours: str
    score: float
    how: How
    scale: float = 1.0
    shift: float = 0.0
    form: str | None = None
    values: Mapping[str, str] = field(default_factory=FrozenDict)

    @property
    def is_guessed(self) -> bool:
        """Whether the unit or the codes were made to fit rather than recognised."""
        return self.how in GUESSES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SchemaMatch(DisplayMixin):
    """The pairs found, the surest first, and why the other columns of the file were left out."""

    pairs: tuple[ColumnMatch, ...]
    left_out: Mapping[str, str]
    release: Release

    def convert_file(self, file: Release | Masked) -> Release:
        """The file with the release's names and units, cut to the columns that were matched: every attack can take it.

        Values that the release does not have stay what they are where they can, and are missing where not.
        """
        if not self.pairs:
            raise TacitError(
                "no column was matched", code="no_usable_column", fix="lower least=, or name the columns yourself"
            )
        return convert_file(self.pairs, self.release, release_of(file))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line; no values."""
        for pair in self.pairs:
            change = ""
            if pair.scale != 1 or pair.shift != 0:
                change = f" × {format_fact(pair.scale)}" + (f" + {format_fact(pair.shift)}" if pair.shift else "")
            yield (
                f"{pair.theirs} → {pair.ours}",
                f"{format_fact(pair.score)}, {pair.how}{change}{' (a guess)' * pair.is_guessed}",
            )
        for column, why in self.left_out.items():
            yield column, f"left out: {why}"

    def as_json(self) -> dict[str, Any]:
        """Plain values; the codes that were mapped are not among them."""
        parts = ("theirs", "ours", "score", "how", "scale", "shift")
        return {
            "pairs": [{part: getattr(pair, part) for part in parts} for pair in self.pairs],
            "left out": dict(self.left_out),
        }


def match_schema(
    release: Release | Masked, file: Release, *, columns: str | Iterable[str] | None = None, least: float = 0.7
) -> SchemaMatch:
    """Which columns of the intruder's file are which columns of the release, and in which units.

    Somebody has a file about the same people in which everything is called something else. Numbers are matched by their
    quantiles, up to a change of unit (:func:`.matching.numbers.unit_change`); dates likewise, however they are
    written; categories by the values that both files have, at the published level where a column was generalised; and
    other codes (1 and 2 for m and f) by frequencies and by what goes with them, which is a guess and said to be one.
    Then columns are told apart by their company: a column goes with the same other columns in both files. The pairs are those of the best
    one-to-one assignment that score at least ``least``; where another pairing would be as good, none is claimed.
    ``columns`` are those of the file to match, all when absent.

    Masking and noise blur distributions and company, so a heavily masked column is often left out. Names play no part.
    Time O(n log n · c + n · c²) for c columns, memory O(n · c).

    >>> import polars as pl
    >>> rng = np.random.default_rng(0)
    >>> height, sex = rng.normal(170, 9, 500), rng.choice(["f", "m"], 500)
    >>> ours = Release(pl.DataFrame({"height": height, "sex": sex}), quasi=["height", "sex"])
    >>> theirs = Release(pl.DataFrame({"a": sex, "inches": height / 2.54}).head(300))
    >>> print(match_schema(ours, theirs))
    a → sex          1, same values
    inches → height  0.7092, known unit × 2.54
    """
    release, file = release_of(release), release_of(file)
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 < least <= 1:
        raise TacitError(
            f"least={format_value(least)} is not a score in (0, 1]",
            code="wrong_type",
            parameter="least",
            fix="e.g. least=0.7",
        )
    chosen = file.columns if columns is None else check_columns(columns, file.columns)
    sides = [view_column(file, one) for one in chosen], [view_column(release, one) for one in release.columns]
    kept = [[one for one in side if one.known_count >= FEWEST] for side in sides]
    left = {one.column: _too_few(one) for one in sides[0] if one.known_count < FEWEST}
    if not kept[0] or not kept[1]:
        return SchemaMatch(pairs=(), left_out=FrozenDict(left), release=release)
    table = [[column_similarity(theirs, ours, file=file, release=release) for ours in kept[1]] for theirs in kept[0]]
    pairs, why = _match_pairs(table, kept, rows=(file.size, release.size), least=float(least))
    return SchemaMatch(pairs=pairs, left_out=FrozenDict({**left, **why}), release=release)


def _too_few(one: ColumnView) -> str:
    unread = one.numbers is None and not one.dates and one.values is None
    return "codes in many different numbers are not matched" if unread else "too few known cells"


def _match_pairs(
    table: list[list[Similarity]], kept: list[list[ColumnView]], *, rows: tuple[int, int], least: float
) -> tuple[tuple[ColumnMatch, ...], dict[str, str]]:
    scores = np.array([[one.score for one in line] for line in table])
    signs = np.array([[-1.0 if one.scale < 0 else 1.0 for one in line] for line in table])
    ours, theirs = column_associations(kept[1]), column_associations(kept[0])
    company = ColumnAssociations(theirs=theirs[0], ours=ours[0], ordered=(theirs[1], ours[1]), rows=rows)
    found = assign_columns(scores, signs, company)
    claimed = [one for one in found if one.score >= least and not one.ambiguous]
    anchors = [(kept[0][one.theirs], kept[1][one.ours]) for one in claimed if signs[one.theirs, one.ours] > 0]
    pairs = []
    for one in claimed:
        like = map_by_profiles(table[one.theirs][one.ours], kept[0][one.theirs], kept[1][one.ours], anchors=anchors)
        pairs.append(
            ColumnMatch(
                theirs=kept[0][one.theirs].column,
                ours=kept[1][one.ours].column,
                score=one.score,
                how=like.how,
                scale=like.scale,
                shift=like.shift,
                form=like.form,
                values=FrozenDict(like.values),
            )
        )
    close = {kept[0][one.theirs].column for one in found if one.score >= least and one.ambiguous}
    taken = {pair.theirs for pair in pairs}
    why = {
        one.column: "several columns of the release are as good" if one.column in close else "nothing like it"
        for one in kept[0]
        if one.column not in taken
    }
    return tuple(pairs), why


ROUNDS = 6


SUPPORT = 0.7


"""How much of the doubt about a pair the company of its columns can take away."""


NOISE = 0.3


"""Pairs below this are as good as none, and must not push a better one aside."""


CLOSE = 0.02


"""An assignment without a pair that is worse by less than this is as good."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnAssociations:
    """The associations of the columns of both files, which of them have an order, and the numbers of rows."""

    theirs: np.ndarray
    ours: np.ndarray
    ordered: tuple[np.ndarray, np.ndarray]
    rows: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAssignment:
    """Their column number, ours, the score with the support of the others, and whether another pairing is as good."""

    theirs: int
    ours: int
    score: float
    ambiguous: bool


def assign_columns(scores: np.ndarray, signs: np.ndarray, company: ColumnAssociations) -> tuple[ColumnAssignment, ...]:
    """The pairs of the best assignment, the most alike first; scores of 0 are no pairs.

    It starts from the values alone, then counts for each pair how far its columns go alike with those of the other
    pairs (see :func:`structural_similarity`), assigns again, and so on until nothing changes. O(rounds · columns⁴) small steps at worst.
    """
    supported, support = scores, np.zeros_like(scores)
    pairs = _solve_assignment(scores)
    for _ in range(ROUNDS):
        support = _anchor_support(scores, signs, company, pairs=pairs, weights=supported)
        supported = np.where(scores > 0, scores + (1 - scores) * SUPPORT * support, 0.0)
        again = _solve_assignment(_assignment_objective(supported, support))
        if again == pairs:
            break
        pairs = again
    aim = _assignment_objective(supported, support)
    best = _assignment_total(aim)
    found = []
    for i, j in pairs:
        without = aim.copy()
        without[i, j] = 0.0
        close = best - _assignment_total(without) < CLOSE
        found.append(ColumnAssignment(theirs=i, ours=j, score=float(supported[i, j]), ambiguous=close))
    return tuple(sorted(found, key=lambda one: (-one.score, one.theirs)))


def _assignment_objective(supported: np.ndarray, support: np.ndarray) -> np.ndarray:
    aim: np.ndarray = np.where(supported > NOISE, supported - NOISE + NOISE * support, 0.0)
    return aim


def _solve_assignment(aim: np.ndarray) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(aim, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if aim[i, j] > 0]


def _assignment_total(aim: np.ndarray) -> float:
    return float(sum(aim[i, j] for i, j in _solve_assignment(aim)))


def _anchor_support(
    scores: np.ndarray,
    signs: np.ndarray,
    company: ColumnAssociations,
    *,
    pairs: list[tuple[int, int]],
    weights: np.ndarray,
) -> np.ndarray:
    found = np.zeros_like(scores)
    for i, j in np.argwhere(scores > 0):
        anchors = np.array([(k, other) for k, other in pairs if k != i and other != j], dtype=np.int64).reshape(-1, 2)
        k, other = anchors[:, 0], anchors[:, 1]
        a, b = company.theirs[i, k] * signs[i, j] * signs[k, other], company.ours[j, other]
        order = company.ordered[0][i] & company.ordered[1][j] & company.ordered[0][k] & company.ordered[1][other]
        a, b = np.where(order, a, np.abs(a)), np.where(order, b, np.abs(b))
        worth = np.maximum(weights[k, other] - NOISE, 0.0) / (1 - NOISE)
        found[i, j] = structural_similarity(a, b, weights=worth, rows=company.rows)
    return found


class ColumnConversion(Protocol):
    """What turns one of their columns into one of ours."""

    @property
    def theirs(self) -> str:
        """Their name."""

    @property
    def ours(self) -> str:
        """Our name."""

    @property
    def how(self) -> str:
        """From what it was found."""

    @property
    def scale(self) -> float:
        """What numbers are multiplied by."""

    @property
    def shift(self) -> float:
        """What is added to them."""

    @property
    def form(self) -> str | None:
        """How dates are written."""

    @property
    def values(self) -> Mapping[str, str]:
        """Our value for each of theirs, as lower-case text."""


def convert_file(pairs: Sequence[ColumnConversion], release: Release, file: Release) -> Release:
    """The matched columns with our names, units and types, all as quasi-identifiers. O(cells)."""
    lacking = next((pair.theirs for pair in pairs if pair.theirs not in file.columns), None)
    if lacking is not None:
        raise TacitError(
            "was matched but is not in this file",
            code="unknown_column",
            column=lacking,
            fix="give the file that was matched",
        )
    frame = pl.DataFrame({pair.ours: _convert_column(pair, release, file.series(pair.theirs)) for pair in pairs})
    plain = Release(frame)
    kinds = {
        name: kind
        for name, kind in release.declared_kinds.items()
        if name in frame.columns and plain.types[name] == release.types[name]
    }
    return Release(frame, quasi=frame.columns, kinds=kinds, missing=release.missing or file.missing)


def _convert_column(pair: ColumnConversion, release: Release, cells: pl.Series) -> pl.Series:
    if release.levels.get(pair.ours):
        return _parse_dates(cells, pair.form) if pair.how == "dates" else cells
    ours = release.series(pair.ours)
    if pair.how == "dates":
        return _parse_dates(cells, pair.form).cast(ours.dtype if ours.dtype in (pl.Date, pl.Datetime) else pl.Date)
    if pair.how in ("same values", "other codes"):
        return _map_values(cells, ours, pair.values)
    numbers = cells.cast(pl.Float64, strict=False)
    if pair.scale != 1 or pair.shift != 0:
        numbers = numbers * pair.scale + pair.shift
    if ours.dtype.is_integer() and (numbers.round() - numbers).abs().max() in (None, 0.0):
        return numbers.cast(pl.Int64, strict=False)
    return numbers


def _parse_dates(cells: pl.Series, form: str | None) -> pl.Series:
    if cells.dtype in (pl.Date, pl.Datetime) or form is None:
        return cells
    return cells.cast(pl.String).str.to_date(form, strict=False)


def _map_values(cells: pl.Series, ours: pl.Series, codes: Mapping[str, str]) -> pl.Series:
    """Their cells as our values, whatever the case; a value that we do not have stays itself where the types allow it."""
    lower = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
    if codes:
        lower = lower.replace_strict(dict(codes), default=None, return_dtype=pl.String)
    present = ours.drop_nulls().unique(maintain_order=True).sort()
    keys = present.cast(pl.String).str.strip_chars().str.to_lowercase()
    known = dict(zip(keys.to_list(), present.to_list(), strict=True))
    mapped = lower.replace_strict(known, default=None, return_dtype=ours.dtype)
    return mapped.fill_null(cells) if not codes and cells.dtype == ours.dtype else mapped
