"""A file with other column names and units: which of its columns are which of the release's, from the values alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import TacitError, check_columns, format_value
from ..frozen import FrozenDict
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import DisplayMixin, format_fact
from .matching.assignment import ColumnAssociations, assign_columns
from .matching.association import column_associations
from .matching.column_view import ColumnView, view_column
from .matching.conversion import convert_file
from .matching.similarity import Similarity, column_similarity, map_by_profiles

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
