"""Statistics over columns that lie with different parties, the rows matched by a column that all have, as a task.

Sums of products by Shamir's shares, for three parties and more.

Pi          deals each of its columns as points of polynomials of degree t < n/2
Pj          multiplies its points row by row (degree 2t) and adds up the rows; before a third factor the degree is brought
            back to t: each deals its product anew, and all combine what they get as Lagrange does at 0
Pi → Pj     points of a random polynomial of degree 2t that is 0 at 0; Pj adds them to its sums
Pj → all    its sums; their value at 0 is Σ x y …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_int, format_value, suggest_alternative
from ...kernels.mersenne import PRIME
from ..agreement.agreement import Agreement
from ..agreement.section import columns_of, known_keys, one_of
from ..faults import Contradiction
from ..party import Party
from ..protocols.paillier_product import paillier_product
from ..protocols.set_intersection import set_intersection
from ..protocols.shamir_sum import at_zero, open_shares, polynomial_degree, share_points
from ..protocols.terms import Key, Own, Term, keys_of
from ..ring import Words
from ..statistics.column import NumericColumn, parse_column
from ..statistics.feasibility import InfeasibleSums, check_count, check_moments
from ..statistics.labels import column_labels
from ..statistics.moments import Moments, column_pairs
from ..statistics.number import to_number
from ..statistics.sum_task import held_by, note_sums
from .items import items_of

COMPUTES = ("product", "correlation", "regression", "support")

KEYS = ("compute", "columns", "rows", "least_rows", "join", "to", "target", "sets")

LEAST_ROWS = 10
"""Matched rows below which nothing is added up, where the agreement does not say another number."""

REVEALS = {
    "product": "a sum of products is an equation in the others' values: a column with a single 1 in it reads one of them",
    "correlation": "means, variances and covariances give every sum of products, each an equation in the others' values: a "
    "column with a single 1 in it reads one of them, and few rows tell all",
    "regression": "a regression opens the sums of products behind it, each an equation in the others' values: a column with a "
    "single 1 in it reads one of them, and few rows tell all",
    "support": "a support counts the others' flags where one's own are 1: a flag that is 1 in a single row reads one of them",
}
"""What the result of each compute tells of the others' values, whatever the protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerticalTask:
    """Sums of products of columns of different parties, and correlation, regression and supports of item sets from them.

    ``join`` is the column by which rows are matched; without it the files have exactly ``rows`` rows, in the same order. Fewer than
    ``least_rows`` of them are refused by all parties, before anything that depends on a value is sent.
    """

    compute: str
    columns: tuple[NumericColumn, ...]
    owners: Mapping[str, str]
    rows: int
    parties: int
    first: str
    least_rows: int = LEAST_ROWS
    join: str | None = None
    to: str | None = None
    target: str | None = None
    sets: tuple[tuple[str, ...], ...] = field(default=())

    @classmethod
    def of(cls, agreement: Agreement) -> VerticalTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, KEYS)
        given = columns_of(task)
        owners = {name: _column_owner(name, one, agreement.names) for name, one in given.items()}
        columns = tuple(
            parse_column(name, {k: v for k, v in one.items() if k != "party"}) for name, one in given.items()
        )
        if len(set(owners.values())) < 2:
            raise TacitError(
                "the columns lie with one party",
                code="invalid_protocol_input",
                fix="name columns of two at least",
                where="task.columns",
            )
        check_int("rows", task.get("rows"), least=1)
        check_int("least_rows", task.get("least_rows", LEAST_ROWS), least=1)
        compute = one_of(task, "compute", COMPUTES)
        target = one_of(task, "target", list(owners)) if compute == "regression" else None
        to = one_of(task, "to", agreement.names) if "to" in task else None
        sets = _parse_item_sets(task.get("sets"), owners) if compute == "support" else ()
        join = task.get("join")
        if join is not None and not isinstance(join, str):
            raise TacitError(
                f"join = {format_value(join)} names no column",
                code="no_usable_column",
                parameter="join",
                fix='e.g. join = "id"',
                where="task.join",
            )
        return cls(
            compute=compute,
            columns=columns,
            owners=owners,
            rows=task["rows"],
            least_rows=task.get("least_rows", LEAST_ROWS),
            parties=len(agreement.members),
            first=agreement.names[0],
            join=join,
            to=to,
            target=target,
            sets=sets,
        )

    @property
    def leakage(self) -> str:
        """A sum of products is an equation in the others' values, and every result here is made of such sums."""
        return REVEALS[self.compute]

    @property
    def drop_outs(self) -> bool:
        """Everybody's points are needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """More than the polynomials' degree; of two parties, both."""
        return 2 if self.parties == 2 else polynomial_degree(self.parties) + 1

    def side_information(self, me: str) -> str | None:
        """Which of its rows all have; at the first of three and more the overlaps; the moments behind a regression."""
        ids = self.join is not None
        parts = ["which of its own ids all parties have"] if ids else []
        if ids and me == self.first and self.parties > 2:
            parts.append("how many ids any parties have in common")
        if self.compute == "regression" and self.to in (None, me):
            parts.append("means, variances and covariances of all columns")
        return "; ".join(parts) or None

    def check(self, agreement: Agreement) -> None:
        """The modulus must hold every sum, and be prime for three and more; item sets are of yes and no."""
        if self.parties > 2 and agreement.modulus != PRIME:
            raise TacitError(
                "products of three and more parties need a prime modulus",
                code="invalid_protocol_input",
                fix='modulus = "2^61-1"',
                where="session.modulus",
            )
        held_by(agreement.modulus, self._max_sum)
        for one in self.columns:
            if self.compute == "support" and (one.low, one.high, one.decimals) != (0, 1, 0):
                raise TacitError(
                    "is no column of yes and no", code="not_boolean", column=one.name, fix="low = 0, high = 1"
                )
            if self.compute == "product" and one.low < 0:
                raise TacitError(
                    "may be negative",
                    code="out_of_range",
                    column=one.name,
                    fix="give low from 0 on, or ask for correlation",
                )
        if self.rows < self._rows_needed:
            raise self._too_few(f"at most {self.rows:,} rows are agreed on", "agree on more rows")

    def load_input(self, frame: pl.DataFrame, me: str) -> tuple[list[str] | None, pl.DataFrame]:
        """The ids of the own rows, if they are matched, and the file with the columns that this party brings."""
        if frame.height > self.rows or (self.join is None and frame.height != self.rows):
            raise TacitError(
                f"the file has {frame.height:,} rows where {self.rows:,} are agreed on",
                code="invalid_protocol_input",
                fix="agree on the right number, or name a column to match rows by: join",
            )
        for one in self._own_columns(me):
            one.units(frame)
        return items_of(frame, self.join) if self.join is not None else None, frame

    async def run(self, seat: Party, own: tuple[list[str] | None, pl.DataFrame]) -> Mapping[str, Any]:
        """Match the rows, add up the products, and what follows."""
        ids, frame = own
        seen: dict[str, Any] = {}
        if ids is not None:
            common = await set_intersection(seat, ids, most=self.rows)
            place = {item: at for at, item in enumerate(ids)}
            frame = frame[[place[item] for item in common.items or ()]]
            seen = {"sizes of the files": common.sizes}
        if frame.height < self._rows_needed:
            raise self._too_few(f"{frame.height:,} rows match", "check that the ids are written alike")
        columns = {
            one.name: [unit - _column_shift(one) for unit in one.units(frame)] for one in self._own_columns(seat.me)
        }
        sums = await self._compute_sums(seat, columns, frame.height)
        if sums:
            self._check_sums(columns, frame.height, sums)
        return {"rows": frame.height} | self._result_figures(frame.height, sums) | seen

    @property
    def _rows_needed(self) -> int:
        """The agreed number of rows, and as many as the result needs to exist: all parties know both before the sums."""
        return max(self.least_rows, {"correlation": 2, "regression": len(self.columns) + 1}.get(self.compute, 1))

    def _too_few(self, what: str, fix: str) -> TacitError:
        return TacitError(
            f"{what}, and {self._rows_needed:,} are needed at least: of few rows the sums tell the values",
            code="too_few_records",
            fix=f"{fix}; or agree on another least_rows",
        )

    def _own_columns(self, me: str) -> list[NumericColumn]:
        return [one for one in self.columns if self.owners[one.name] == me]

    async def _compute_sums(self, seat: Party, columns: Mapping[str, Sequence[int]], rows: int) -> dict[Key, int]:
        terms = [self._split_product(factors) for factors in self._wanted_products]
        brought = {
            key: seat.ring.words(prod(row) for row in zip(*(columns[name] for name in key), strict=True))
            for key in keys_of(terms, seat.me)
        }
        if self.parties == 2:
            found = await paillier_product(seat, brought, terms=terms, most=self._max_sum, to=self.to)
        else:
            found = await shamir_product(seat, brought, terms=terms, rows=rows, to=self.to)
        if self.to is None:
            note_sums(seat, found.tolist())
        return dict(zip(self._wanted_products, found.tolist(), strict=False))

    def _check_sums(self, own: Mapping[str, Sequence[int]], rows: int, sums: Mapping[Key, int]) -> None:
        """The sums must be some that the agreed bounds and this party's own columns allow."""
        most = {one.name: one.max_size - _column_shift(one) for one in self.columns}
        try:
            for key, total in sums.items():
                mine = [prod(row) for row in zip(*(own[name] for name in key if name in own), strict=True)] or [
                    1
                ] * rows
                rest = prod(most[name] for name in key if name not in own)
                check_count(total, sum(mine) * rest, f"the sum of {', '.join(key)} is beyond the agreed bounds")
            if self.compute in ("correlation", "regression"):
                moments = _unshifted_moments(self.columns, rows, dict(sums))
                totals, products = list(moments.totals.values()), list(moments.products.values())
                check_moments(self.columns, rows, totals, products)
        except InfeasibleSums as problem:
            raise Contradiction.seen_at("the sums of products", str(problem)) from None

    @property
    def _wanted_products(self) -> list[Key]:
        """The products whose sums are needed."""
        names = [one.name for one in self.columns]
        if self.compute == "support":
            return list(self.sets)
        if self.compute == "product":
            return [(a, b) for a, b in column_pairs(names) if self.owners[a] != self.owners[b]]
        return [*((name,) for name in names), *column_pairs(names)]

    @property
    def _max_sum(self) -> int:
        """A bound on every sum."""
        widest = {one.name: max(1, one.max_size - min(0, _column_shift(one))) for one in self.columns}
        return self.rows * max(prod(widest[name] for name in factors) for factors in self._wanted_products)

    def _split_product(self, factors: Key) -> Term:
        """Whose part of a product is what."""
        owners = dict.fromkeys(self.owners[name] for name in factors)
        return {owner: tuple(name for name in factors if self.owners[name] == owner) for owner in owners}

    def _result_figures(self, rows: int, sums: dict[Key, int]) -> dict[str, Any]:
        if not sums:
            return {}
        if self.compute == "support":
            return {"support": dict(zip(column_labels(list(sums)), sums.values(), strict=True))}
        named = {one.name: one for one in self.columns}
        if self.compute == "product":
            found = [to_number(Fraction(n, 10 ** sum(named[name].decimals for name in key))) for key, n in sums.items()]
            return {"product": dict(zip(column_labels(list(sums), " · "), found, strict=True))}
        moments = _unshifted_moments(self.columns, rows, sums)
        if self.target is not None:
            return moments.regression(self.target)
        return {
            "mean": moments.means(),
            "covariance": moments.covariances(),
            "correlation": moments.correlations(),
        }


def _column_shift(column: NumericColumn) -> int:
    """What is subtracted so that values count from 0."""
    return min(0, column.ends[0])


def _unshifted_moments(columns: tuple[NumericColumn, ...], rows: int, sums: dict[Key, int]) -> Moments:
    """The sums with the shifts taken back: Σ (x + s)(y + u) = Σ xy + u Σx + s Σy + n s u."""
    shift = {one.name: _column_shift(one) for one in columns}
    totals = {name: sums[(name,)] + rows * by for name, by in shift.items()}
    products = {
        (a, b): sums[a, b] + shift[b] * sums[(a,)] + shift[a] * sums[(b,)] + rows * shift[a] * shift[b]
        for a, b in column_pairs(list(shift))
    }
    return Moments(columns=columns, rows=rows, totals=totals, products=products)


def _column_owner(name: str, given: Any, known: Sequence[str]) -> str:
    party = given.get("party") if isinstance(given, Mapping) else None
    if party not in known:
        raise TacitError(
            f"lies with {format_value(party)}",
            code="unsuitable_column",
            column=name,
            fix=suggest_alternative(str(party), known),
        )
    return str(party)


def _parse_item_sets(given: Any, known: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The item sets, each of columns of the task."""
    if not isinstance(given, list) or not given:
        raise TacitError(
            "no item sets are given",
            code="missing_parameter",
            fix='e.g. sets = [["smoker", "asthma"]]',
            where="task.sets",
        )
    for one in given:
        if not isinstance(one, list) or not one or not all(isinstance(name, str) and name in known for name in one):
            raise TacitError(
                "an item set names no columns of the task",
                code="no_usable_column",
                fix='e.g. sets = [["smoker", "asthma"]]',
                where="task.sets",
            )
    return tuple(tuple(dict.fromkeys(one)) for one in given)


async def shamir_product(
    seat: Party, own: Own, *, terms: Sequence[Term], rows: int, to: str | None = None, sums: int = 1
) -> Words:
    r"""For each term :math:`\sum_r \prod_i x_{ir}` modulo the prime, to everybody or to one party; see ``shamir_product.md``.

    ``sums`` cuts the rows into so many equal parts with a sum each. Three rounds, and one more for each factor after the second
    of a term; a word for each row, column and pair of parties. Who gets no result gets no words.

    References
    ----------
    Ben-Or, Goldwasser and Wigderson (1988), Completeness theorems for non-cryptographic fault-tolerant distributed computation,
    STOC, 1–10. Gennaro, Rabin and Rabin (1998), Simplified VSS and fast-track multiparty computations, PODC, 101–111.
    """
    shares = await _share_factors(seat, own, terms, rows)
    found = []
    for term in terms:
        product, *rest = (shares[owner, key] for owner, key in sorted(term.items()))
        for place, factor in enumerate(rest):
            product = seat.ring.times(await _reduce_degree(seat, product) if place else product, factor)
        found.append(_sum_parts(seat, product.reshape(sums, -1)))
    mine = seat.ring.plus(np.concatenate(found), await _share_zero(seat, sums * len(terms)))
    return await _open_values(seat, mine, to)


async def _share_factors(seat: Party, own: Own, terms: Sequence[Term], rows: int) -> dict[tuple[str, Key], Words]:
    """My point of every factor."""
    keys, t = keys_of(terms, seat.me), polynomial_degree(len(seat.names))
    words = np.concatenate([own[key] for key in keys]) if keys else np.empty(0, np.uint64)
    mine = await _exchange_shares(
        seat, "points of the columns", words, t, {o: rows * len(keys_of(terms, o)) for o in seat.names}
    )
    found = {}
    for owner, block in mine.items():
        for place, key in enumerate(keys_of(terms, owner)):
            found[owner, key] = block[place * rows : (place + 1) * rows]
    return found


async def _reduce_degree(seat: Party, product: Words) -> Words:
    """My point of a polynomial of degree t with the same value at 0 as the product's of degree 2t."""
    counts = dict.fromkeys(seat.names, len(product))
    mine = await _exchange_shares(seat, "points of a product", product, polynomial_degree(len(seat.names)), counts)
    return at_zero(seat.ring, {place: mine[name] for place, name in enumerate(seat.names, start=1)})


async def _share_zero(seat: Party, count: int) -> Words:
    """My point of a random polynomial of degree 2t that is 0 at 0."""
    none, counts = np.zeros(count, np.uint64), dict.fromkeys(seat.names, count)
    mine = await _exchange_shares(seat, "points of zero", none, 2 * polynomial_degree(len(seat.names)), counts)
    return seat.ring.total(list(mine.values()))


async def _exchange_shares(seat: Party, step: str, words: Words, size: int, counts: dict[str, int]) -> dict[str, Words]:
    """Deal the words by polynomials of this degree, and my points of everybody's."""
    drawn = [seat.uniform(len(words)) for _ in range(size)] if len(words) else []
    dealt = share_points(seat.ring, words, drawn, len(seat.names))
    for place, other in enumerate(seat.names):
        if other != seat.me and len(words):
            await seat.send(other, step, dealt[place])
    found = {}
    for place, name in enumerate(seat.names):
        empty = np.empty(0, np.uint64)
        found[name] = dealt[place] if name == seat.me else empty
        if name != seat.me and counts[name]:
            found[name] = await seat.receive(name, step, counts[name])
    return found


async def _open_values(seat: Party, mine: Words, to: str | None) -> Words:
    """The values at 0, at those who are to have them."""
    for other in seat.others:
        if to in (None, other):
            await seat.send(other, "sums of products", mine)
    if to not in (None, seat.me):
        return np.empty(0, np.uint64)
    given = {name: await seat.receive(name, "sums of products", len(mine)) for name in seat.others} | {seat.me: mine}
    numbered = {place: given[name] for place, name in enumerate(seat.names, start=1)}
    return open_shares(seat, numbered, 2 * polynomial_degree(len(seat.names)), step="sums of products")


def _sum_parts(seat: Party, parts: Words) -> Words:
    """The sum of each part, by halves."""
    while parts.shape[1] > 1:
        half = parts.shape[1] // 2
        rest = parts[:, 2 * half :]
        parts = np.hstack([seat.ring.plus(parts[:, :half], parts[:, half : 2 * half]), rest])
    return parts[:, 0] if parts.shape[1] else np.zeros(len(parts), np.uint64)
