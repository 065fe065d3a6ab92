"""Interval answers that surely contain the truth, to any number of questions (camouflage).

All that answers need is made when the service starts: the sums of the hull vectors over every atom. The data are not
read again; an answer costs O(atoms).

Hull vectors around the confidential values: complete worlds that agree with every answer.

With the truth a, signs s and sizes e of the units, and a secret step t of T,

    v₁ = a − t·s·e,   v₂ = a + (T − t)·s·e,   so that a = ((T − t)·v₁ + t·v₂)/T.

T is four times the number of steps into which the band is cut, and t lies between T/4 and 3T/4: so t·e and (T − t)·e are a
band or more. An answer about a set is the least and the largest sum over it among the vectors. A unit that v₁ or v₂ could
carry beyond a bound, for *some* t and size, stays at its value in both; there v₃ and v₄, which are v₁ and v₂ elsewhere, take
the ends of its band, which is moved inside the bounds. Nothing but v₁ and v₂ depends on t. The argument is in ``hull.md``.

References
----------
Gopal, Garfinkel and Goes (2002), Confidentiality via camouflage: the CVC approach to disclosure limitation when answering
queries to databases, Operations Research 50(3), 501–516.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isqrt, nextafter
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dp.cost import Cost
from ...errors import TacitError
from ...seed import child_seed
from ..answer import Answer, Quote
from ..atoms import Atoms, Labels, split_by_label
from ..camouflage.band import Band
from ..column import NULL, Schema
from ..identities import found_identities
from ..mode import PastQueries
from ..question import Aggregate, Question
from ..refusal import Refusal
from ..units import Units, UnitSource, confidential_columns, public_columns, read_units
from .figures import within_bounds

Whole = npt.NDArray[np.int64]

MOST_STEPS = 1024
"""The most steps into which a band is cut."""


class Interval:
    """Counts exactly, sums and means of confidential columns as intervals; nothing is spent, nothing wears out.

    Parameters
    ----------
    schema, source
        What is declared, and the data: one row per unit, no missing confidential values.
    bands
        For each confidential numeric column what must stay open of every value: :class:`Band`.
    key
        The owner's secret (:func:`kept_key`), the same for ever.
    earlier
        Earlier versions, declared alike, by the version of their questions: whoever is in two of them has the same values.
    """

    name = "interval"

    def __init__(
        self,
        schema: Schema,
        source: UnitSource,
        *,
        bands: Mapping[str, Band],
        key: bytes,
        earlier: Mapping[str, UnitSource] | None = None,
    ) -> None:
        hidden = confidential_columns(schema)
        _check_bands(hidden, bands)
        units = read_units(schema, source, public_columns(schema) + hidden)
        _check_untied(schema, units, hidden)
        for one in (earlier or {}).values():
            _check_unchanged(units, read_units(schema, one, hidden), hidden)
        self._schema = schema
        self._known_versions = {schema.version, *(earlier or {})}
        self._atoms, label = Atoms.of(units, public_columns(schema))
        self._sums = {
            name: _atom_sums(_camouflage_vectors(schema, units, name, bands[name], key), label) for name in hidden
        }
        self._seen, self._moved = 0, False

    def quote(self, question: Question, spend: Fraction | None) -> Quote:  # noqa: ARG002  intervals cost nothing
        """It costs nothing; how wide an interval will be is not told beforehand."""
        if question.version != self._schema.version:
            raise Refusal("unknown_dataset", "only the present version answers", fix=f"ask {self._schema.version!r}")
        for one in question.aggregates:
            self._check_aggregate(one)
        self._question_groups(question)
        accuracy = tuple(None if one.column in self._sums else 0.0 for one in question.aggregates)
        notes = (
            "The true figure surely lies in the interval, both ends included.",
            *within_bounds(question.aggregates, self._schema),
        )
        return Quote(question=question, cost=Cost.of(0), accuracy=accuracy, notes=notes)

    def decide(self, question: Question, past: PastQueries) -> None:
        """Every question is answered, unless another version was asked about before of which it is not known what changed."""
        for number, _, earlier in past.since(self._seen):
            self._moved |= earlier.version not in self._known_versions
            self._seen = number
        if self._moved and any(one.column in self._sums for one in question.aggregates):
            raise Refusal(
                "would_disclose",
                "another version was asked about before: intervals of both would tell how much every value has changed",
                fix="the owner of the data gives that version under earlier, if nobody's values differ between the two",
            )

    def answer(self, quote: Quote) -> Answer:
        """An interval for every figure of every group that occurs."""
        question, groups = quote.question, self._question_groups(quote.question)
        columns = [self._schema.column(key.column) for key in question.by]
        return Answer(
            keys=tuple(tuple(c.decode(code) for c, code in zip(columns, key, strict=True)) for key, _ in groups),
            figures=tuple(
                tuple(self._compute_interval(one, atoms) for one in question.aggregates) for _, atoms in groups
            ),
            accuracy=(quote.accuracy,) * len(groups),
            notes=quote.notes,
        )

    def _question_groups(self, question: Question) -> list[tuple[tuple[Any, ...], Labels]]:
        if question.joined:
            raise Refusal(
                "mode", "joined tables are not offered here", fix="ask about the columns of the data set itself"
            )
        keys, group = self._atoms.group_by(question.by, self._schema, self._atoms.select(question.where))
        return list(zip(keys, split_by_label(group, len(keys)), strict=True))

    def _check_aggregate(self, one: Aggregate) -> None:
        if one.what not in ("count", "units", "sum", "mean"):
            raise Refusal("mode", f"{one.what} is not offered as an interval", fix="ask for COUNT, SUM or AVG")
        if one.column and one.column not in self._sums and one.column not in self._atoms.codes:
            raise Refusal("mode", "cannot be summed here", column=one.column, fix="ask for COUNT(*)")

    def _compute_interval(self, one: Aggregate, atoms: Labels) -> list[int | float] | None:
        known, sums = self._possible_sums(one.column, atoms)
        if one.what in ("count", "units"):
            return [known, known]
        if one.what == "mean" and not known:
            return None
        step = self._schema.column(one.column).step / (known if one.what == "mean" else 1)
        return [_round_outward(min(sums) * step, -inf), _round_outward(max(sums) * step, inf)]

    def _possible_sums(self, column: str, atoms: Labels) -> tuple[int, list[int]]:
        """How many units of a set have a value, and what their values may add up to: one sum if the column is public."""
        codes = self._atoms.codes.get(column)
        if codes is None:
            vectors = self._sums.get(column, ())
            return int(self._atoms.units[atoms].sum()), [int(vector[atoms].sum()) for vector in vectors]
        there = atoms[codes[atoms] != NULL]
        units = self._atoms.units[there]
        return int(units.sum()), [int((codes[there].astype(object) * units).sum())]


def _check_bands(hidden: tuple[str, ...], bands: Mapping[str, Band]) -> None:
    for name in {*hidden} ^ {*bands}:
        what = "is confidential and has no band" if name in hidden else "has a band and is no confidential number"
        raise TacitError(
            what, code="wrong_type", column=name, fix=f"give a band for each of {', '.join(hidden) or 'no column'}"
        )


def _camouflage_vectors(schema: Schema, units: Units, name: str, band: Band, key: bytes) -> npt.NDArray[np.int64]:
    column, width = schema.column(name), band.width(schema.column(name))
    draws = CamouflageDraws.of(key, name, units.names or _canonical_row_names(units), width)
    return camouflage_hull(units.codes[name], width, column.bounds(), draws)


def _check_untied(schema: Schema, units: Units, hidden: tuple[str, ...]) -> None:
    """Refuse columns of which one is a fixed combination of others: of the possible worlds only the true one keeps that."""
    for tied in found_identities({name: units.codes[name] for name in hidden}):
        raise TacitError(
            f"is tied to {', '.join(repr(name) for name in tied[1:])} by the same sum in every row of {schema.name!r}, "
            "so that intervals of all of them tell the values",
            code="unsuitable_column",
            column=tied[0],
            fix="leave one of them out: analysts who need it add the others up; or answer in the dp mode",
        )


def _check_unchanged(units: Units, earlier: Units, hidden: tuple[str, ...]) -> None:
    """Refuse a version in which somebody's value differs from an earlier one: its change would be told exactly."""
    if not units.names or not earlier.names:
        raise TacitError(
            "versions can only be compared when their units have names",
            code="invalid_service",
            fix="declare the unit column",
        )
    places = {name: place for place, name in enumerate(earlier.names)}
    both = [(here, places[name]) for here, name in enumerate(units.names) if name in places]
    here, there = (np.array(side, np.int64) for side in zip(*both, strict=True)) if both else (np.zeros(0, int),) * 2
    for name in hidden:
        if bool((units.codes[name][here] != earlier.codes[name][there]).any()):
            raise TacitError(
                "has changed for somebody since an earlier version, and intervals of both would tell by how much",
                code="conflicting_parameters",
                column=name,
                fix="answer in the dp mode; versions in which people only come and go can be offered as intervals",
            )


def _canonical_row_names(units: Units) -> tuple[str, ...]:
    """The places of the rows in the order of all their codes: names that do not depend on the order of the file."""
    order = np.lexsort(list(units.codes.values()))
    place = np.empty(units.size, np.int64)
    place[order] = np.arange(units.size)
    return tuple(map(str, place.tolist()))


def _atom_sums(vectors: npt.NDArray[np.int64], label: Labels) -> npt.NDArray[np.object_]:
    """The sums over the atoms, as whole numbers without a limit."""
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    return np.add.reduceat(vectors[:, order].astype(object), starts, axis=1)


def _round_outward(value: Fraction, side: float) -> int | float:
    """A fraction as a number that lies on the given side of it or is equal to it."""
    if value.denominator == 1:
        return int(value)
    found = float(value)
    inside = found > value if side < 0 else found < value
    return nextafter(found, side) if inside else found


def max_displacement(band: int, draws: CamouflageDraws) -> int:
    """How far a vector can lie from a value, whatever is drawn: nearer to a bound than that, a unit is not moved."""
    least = draws.steps // 4
    return 3 * least * 2 * -(-band // least)


def camouflage_hull(values: Whole, band: int, bounds: tuple[int, int], draws: CamouflageDraws) -> Whole:
    """The four vectors (rows) for values of grid units within the bounds and a band of which two fit between those. O(units).

    The size of a step is drawn from the least that makes a band to twice that, whatever the value, so that sums over sets
    hardly ever come out without a width and no size tells a value.
    """
    low, high = bounds
    smallest = -(-band // (draws.steps // 4))
    near = np.minimum(values - low, high - values) < max_displacement(band, draws)
    moved = draws.signs * np.where(near, 0, smallest + draws.sizes % (smallest + 1))
    first, second = values - draws.step * moved, values + (draws.steps - draws.step) * moved
    least = np.maximum(low, np.minimum(values - band, high - 2 * band))
    most = np.minimum(high, np.maximum(values + band, low + 2 * band))
    third, fourth = np.where(draws.signs > 0, (least, most), (most, least))
    return np.stack([first, second, np.where(near, third, first), np.where(near, fourth, second)])


def steps_of(band: int) -> int:
    """Steps of a band of so many grid units: the truth lies that many or up to three times that many from the first vector.

    >>> [steps_of(band) for band in (1, 8, 150, 10**9)]
    [1, 2, 12, 1024]
    """
    return min(isqrt(band), MOST_STEPS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CamouflageDraws:
    """``step`` of ``steps``: where the truth lies between the vectors; per unit a sign and a number below 2³² for its size."""

    step: int
    steps: int
    signs: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, key: bytes, column: str, names: Sequence[str], band: int) -> CamouflageDraws:
        """The draws of a column for units of these names. O(units) hashes.

        ``step`` is one of the 2·s + 1 whole numbers from s to 3·s, with s the steps of the band, each as likely.
        """
        least = steps_of(band)
        place = int.from_bytes(child_seed(key, "camouflage", column), "little")
        mixed = b"".join(child_seed(key, "camouflage", column, name)[:8] for name in names)
        words = np.frombuffer(mixed, np.dtype("<u4")).astype(np.int64).reshape(-1, 2)
        return cls(
            step=least + place % (2 * least + 1),
            steps=4 * least,
            signs=1 - 2 * (words[:, 0] & 1),
            sizes=words[:, 1],
        )
