"""A model over secure sums, as a task of a session: as many sums as it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_int
from ..agreement.agreement import Agreement
from ..agreement.section import columns_of, known_keys, one_of
from ..party import Party
from ..protocols.protocol import PROTOCOLS
from ..statistics.column import WIDEST, NumericColumn, parse_column
from ..statistics.feasibility import (
    Check,
    InfeasibleSums,
    check_count,
    check_moments,
    check_others,
    check_rows,
    check_total,
)
from ..statistics.moments import Moments, column_pairs
from ..statistics.number import to_number
from ..statistics.sum_task import held_by, note_sums
from .learner import Add, Figures, Learner
from .logistic import LogisticRegression
from .naive_bayes import NaiveBayes


@dataclass(frozen=True, slots=True, kw_only=True)
class KMeans:
    """Lloyd's rounds from agreed ``centres``: rows go to the nearest, centres to the mean of their rows, until nothing moves.

    Distances count each column by its agreed range. A centre without rows stays. **All learn** sizes and centres of every round.
    """

    columns: tuple[NumericColumn, ...]
    rows: int
    centres: tuple[tuple[float, ...], ...]
    rounds: int

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> KMeans:  # noqa: ARG003
        """From ``[task]``: columns, ``centres`` to begin with, and at most so many ``rounds``."""
        columns = tuple(parse_column(*one) for one in task["columns"].items())
        centres = task.get("centres")
        if not isinstance(centres, list) or not centres or not all(_is_point(one, len(columns)) for one in centres):
            raise TacitError(
                f"no centres of {len(columns)} numbers are given",
                code="missing_parameter",
                fix="e.g. centres = [[20, 1.5], [60, 3.0]]",
                where="task.centres",
            )
        check_int("rounds", task.get("rounds", 50), least=1)
        made = tuple(tuple(float(x) for x in one) for one in centres)
        return cls(columns=columns, rows=rows, centres=made, rounds=task.get("rounds", 50))

    @property
    def side_information(self) -> str:
        """The way to the last round."""
        return "sizes and centres of every round, not of the last alone"

    def max_sum(self, parties: int) -> int:
        """A sum of values."""
        return parties * self.rows * int(max(1, *(one.max_size for one in self.columns)))

    def load_input(self, frame: pl.DataFrame) -> np.ndarray:
        """The values in units, a row a row."""
        return np.array([one.units(frame) for one in self.columns], dtype=object).reshape(len(self.columns), -1).T

    async def learn(self, own: np.ndarray, add: Add) -> Figures:
        """One secure sum a round; that nothing moved is seen in the sums, which all have."""
        units = np.array([10**one.decimals for one in self.columns])
        widths = np.array([one.high - one.low for one in self.columns], float)
        rows = own.astype(float) / units / widths
        centres, before, rounds, feasible = np.array(self.centres), None, 0, _KMeansFeasibility(self)
        sizes: list[int] = []
        while rounds < self.rounds:
            gaps = ((rows[:, None, :] - centres[None] / widths) ** 2).sum(axis=2)
            nearest = gaps.argmin(axis=1)
            parts = [own[nearest == k] for k in range(len(centres))]
            sums = await add([n for part in parts for n in (len(part), *(int(x) for x in part.sum(axis=0)))], feasible)
            rounds += 1
            if sums == before:
                break
            table = np.array(sums, float).reshape(len(centres), -1)
            sizes, before = [int(size) for size in table[:, 0]], sums
            full = table[:, 0] > 0
            centres[full] = table[full, 1:] / table[full, :1] / units
        found = [dict(zip((one.name for one in self.columns), centre, strict=True)) for centre in centres.tolist()]
        return {"rows": sum(sizes), "centres": found, "sizes": sizes, "rounds seen by all": rounds}


class _KMeansFeasibility:
    """What the others may bring in a round: rows within the bounds, and as many of them as in the round before."""

    def __init__(self, model: KMeans) -> None:
        self._model, self._before = model, -1

    def __call__(self, sums: list[int], parties: int) -> None:
        rows, rest = 0, iter(sums)
        for _ in self._model.centres:
            count = next(rest)
            rows += count
            check_count(count, parties * self._model.rows, "the size of a cluster is beyond the agreed rows")
            for column in self._model.columns:
                check_total(column, count, next(rest))
        check_rows(rows, parties * self._model.rows)
        if rows != self._before >= 0:
            raise InfeasibleSums("the number of rows differs from that of the round before")
        self._before = rows


def _is_point(given: object, size: int) -> bool:
    return isinstance(given, list) and len(given) == size and all(_is_coordinate(x) for x in given)


def _is_coordinate(given: object) -> bool:
    """A number, neither of yes and no nor infinite."""
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) <= WIDEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    r"""The smallest value v, in units, with at least the share q of all values at or below it; exact.

    Bisection of the agreed range: each round is one secure sum of a count for each column and q. **All learn those counts**, about
    :math:`\log_2((high - low) 10^{decimals})` points of the distribution function, closer and closer to the quantile.
    """

    columns: tuple[NumericColumn, ...]
    rows: int
    at: tuple[float, ...]

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> Quantiles:  # noqa: ARG003 - all learners are made alike
        """From ``[task]``: columns, and ``at``, the shares."""
        at = task.get("at")
        if not isinstance(at, list) or not at or not all(_is_share(q) for q in at):
            raise TacitError(
                "no shares are given", code="out_of_range", fix="e.g. at = [0.25, 0.5, 0.75]", where="task.at"
            )
        return cls(columns=tuple(parse_column(*one) for one in task["columns"].items()), rows=rows, at=tuple(at))

    @property
    def side_information(self) -> str:
        """Counts."""
        return "a count at every point that the bisection tried"

    def max_sum(self, parties: int) -> int:
        """A count."""
        return parties * self.rows

    def load_input(self, frame: pl.DataFrame) -> list[list[int]]:
        """The values of each column, in units."""
        return [one.units(frame) for one in self.columns]

    async def learn(self, own: list[list[int]], add: Add) -> Figures:
        """One secure sum a round, for all quantiles at once."""
        (rows,) = await add([len(own[0])], lambda sums, parties: check_rows(sums[0], parties * self.rows))
        wanted = [(one, values, q) for one, values in zip(self.columns, own, strict=True) for q in self.at]
        ends = [list(one.ends) for one, _, _ in wanted]
        needed = [math.ceil(Fraction(str(q)) * rows) for _, _, q in wanted]
        rounds, feasible = 0, _QuantileFeasibility(len(wanted), rows - len(own[0]))
        while rows and any(low < high for low, high in ends):
            middles = [(low + high) // 2 for low, high in ends]
            counts = [sum(v <= middle for v in values) for (_, values, _), middle in zip(wanted, middles, strict=True)]
            feasible.middles = middles
            for end, middle, count, need in zip(ends, middles, await add(counts, feasible), needed, strict=True):
                if end[0] < end[1]:
                    end[count >= need] = middle + (count < need)
            rounds += 1
        found: Figures = {
            "rows": rows,
            "quantile": {one.name: {} for one in self.columns},
            "counts seen a quantile": rounds,
        }
        for (one, _, q), (low, _) in zip(wanted, ends, strict=True):
            found["quantile"][one.name][str(q)] = to_number(Fraction(low, 10**one.decimals)) if rows else None
        return found


class _QuantileFeasibility:
    """The others' distribution function: no count is below one at a smaller point, or above one at a larger point."""

    def __init__(self, quantiles: int, rows: int) -> None:
        self.middles: list[int] = []
        self._rows = rows
        self._known: list[dict[int, int]] = [{} for _ in range(quantiles)]

    def __call__(self, sums: list[int], _parties: int) -> None:
        for known, middle, count in zip(self._known, self.middles, sums, strict=True):
            least = max((n for point, n in known.items() if point <= middle), default=0)
            most = min((n for point, n in known.items() if point >= middle), default=self._rows)
            check_count(count, most, "a count is beyond what the earlier ones allow")
            if count < least:
                raise InfeasibleSums("a count is below what the earlier ones allow")
            known[middle] = count


def _is_share(given: object) -> bool:
    return isinstance(given, float | int) and not isinstance(given, bool) and 0 < given <= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearRegression:
    """Least squares of ``target`` on all other columns. **All learn** the sums: means, variances and covariances."""

    columns: tuple[NumericColumn, ...]
    rows: int
    target: str

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> LinearRegression:  # noqa: ARG003
        """From ``[task]``: columns, and which of them is the ``target``."""
        columns = tuple(parse_column(*one) for one in task["columns"].items())
        return cls(columns=columns, rows=rows, target=one_of(task, "target", [one.name for one in columns]))

    @property
    def side_information(self) -> str:
        """The moments, from which more follows than the fit."""
        return "means, variances and covariances of all columns"

    def max_sum(self, parties: int) -> int:
        """A sum of squares."""
        return parties * self.rows * int(max(1, *(one.max_size for one in self.columns)) ** 2)

    def load_input(self, frame: pl.DataFrame) -> dict[str, list[int]]:
        """The values in units."""
        return {one.name: one.units(frame) for one in self.columns}

    def _check_feasible(self, sums: list[int], parties: int) -> None:
        check_rows(sums[0], parties * self.rows)
        size = 1 + len(self.columns)
        check_moments(self.columns, sums[0], sums[1:size], sums[size:])

    async def learn(self, own: dict[str, list[int]], add: Add) -> Figures:
        """One secure sum."""
        both = column_pairs(list(own))
        products = [sum(x * y for x, y in zip(own[a], own[b], strict=True)) for a, b in both]
        rows, *sums = await add([len(own[self.target]), *map(sum, own.values()), *products], self._check_feasible)
        totals = dict(zip(own, sums, strict=False))
        found = dict(zip(both, sums[len(own) :], strict=True))
        return {"rows": rows} | Moments(columns=self.columns, rows=rows, totals=totals, products=found).regression(
            self.target
        )


LEARNERS: dict[str, tuple[Callable[[Mapping[str, Any], int, int], Learner], tuple[str, ...]]] = {
    "quantile": (Quantiles.of, ("at",)),
    "linear_regression": (LinearRegression.of, ("target",)),
    "logistic_regression": (LogisticRegression.of, ("target", "rounds")),
    "naive_bayes": (NaiveBayes.of, ("target",)),
    "k_means": (KMeans.of, ("centres", "rounds")),
}
"""``compute`` in the agreement → how the model is made, and the keys of its own."""


@dataclass(frozen=True, slots=True)
class LearnTask:
    """A model, and the protocol that adds up what each of its steps counts."""

    learner: Learner
    protocol: str
    parties: int
    rows: int

    @classmethod
    def of(cls, agreement: Agreement) -> LearnTask:
        """What an agreement asks for."""
        made, keys = LEARNERS[agreement.task["compute"]]
        task, parties = known_keys(agreement.task, ("compute", "columns", "rows", *keys)), len(agreement.members)
        columns_of(task)
        check_int("rows", task.get("rows"), least=1)
        room = (agreement.modulus - 1) // 2 // (parties * (task["rows"] + 1))
        return cls(made(task, task["rows"], room), agreement.protocol, parties, task["rows"])

    @property
    def leakage(self) -> str | None:
        """Of two parties each learns the other's sums from the result."""
        said = "with two parties each sum alone tells each of them the other's figures, whatever the protocol"
        return said if self.parties == 2 else None

    @property
    def drop_outs(self) -> bool:
        """Steps that some have done and others not would not add up."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """As the protocol says."""
        return PROTOCOLS[self.protocol].breaks(self.parties)

    def side_information(self, _me: str) -> str | None:
        """The sums of the model's steps, at all parties."""
        return self.learner.side_information

    def check(self, agreement: Agreement) -> None:
        """The protocol must suit the parties, and the modulus must hold every sum."""
        refused = PROTOCOLS[self.protocol].setup_error(self.parties, agreement.modulus)
        if refused is not None:
            raise refused.with_location(f"session.protocol {self.protocol!r}")
        held_by(agreement.modulus, self.learner.max_sum(self.parties))

    def load_input(self, frame: pl.DataFrame, _me: str) -> Any:
        """The own rows."""
        if frame.height > self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows, and at most {self.rows:,} a party are agreed on",
                code="out_of_range",
                fix="agree on more",
            )
        return self.learner.load_input(frame)

    async def run(self, seat: Party, own: Any) -> Mapping[str, Any]:
        """The steps, each with a secure sum."""

        async def add(numbers: Sequence[int], check: Check) -> list[int]:
            sums = seat.ring.to_signed(await PROTOCOLS[self.protocol].run(seat, seat.ring.words(numbers)))
            note_sums(seat, sums)
            check_others(sums, numbers, self.parties - 1, check, step="the sums of a step")
            return sums

        return await self.learner.learn(own, add)
