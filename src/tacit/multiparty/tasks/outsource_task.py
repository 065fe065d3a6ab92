"""Sums, means and scores that a server computes on columns it cannot read, as a task of a session.

Outsourced computing: a server works on columns that it cannot read, for their owner.

O        keys, the secret one stays                  O → S  public keys, E(column), …
S        sums, or Σ w · column + b, or a curve of it  S → O  E(result)
O        decrypts
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

import polars as pl

from ...errors import TacitError, check_int, unknown_column
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..paillier import BITS, PublicKey, new_key
from ..party import Party
from ..protocols.commutative import bad_message
from ..statistics.column import NumericColumn, parse_column
from ..statistics.number import to_number

if TYPE_CHECKING:
    from ..homomorphic.ckks import CkksServer

SCORES = ("score", "logistic_score")

Columns = list[list[int]]

NEAR = 1e-3
"""Of the largest value: far more than a sum of fractions is off."""

COMPUTES = ("sum", "mean", "score", "logistic_score")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsourceTask:
    """``owner`` has the columns; the other party computes. For scores its file has a ``column`` and its ``weight`` in each row.

    A row named ``intercept`` is added to every score. ``scheme`` is ckks (fractions) or paillier (whole numbers, exact), for which
    weights are whole numbers up to ``weight``, and all columns are counted in units of the finest of them.
    """

    compute: str
    scheme: str
    owner: str
    columns: tuple[NumericColumn, ...]
    rows: int
    weight: int

    @classmethod
    def of(cls, agreement: Agreement) -> OutsourceTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("compute", "scheme", "owner", "columns", "rows", "weight"))
        for key in ("rows", "weight"):
            check_int(key, task.get(key, 1), least=1)
        given = task.get("columns")
        if not isinstance(given, Mapping) or not given or "rows" not in task:
            raise TacitError(
                "columns and rows are not agreed on",
                code="wrong_type",
                fix="add rows = 1000 and [task.columns]",
                where="task",
            )
        return cls(
            compute=one_of(task, "compute", COMPUTES),
            scheme=one_of(task, "scheme", ("ckks", "paillier")),
            owner=one_of(task, "owner", agreement.names),
            columns=tuple(parse_column(*one) for one in given.items()),
            rows=task["rows"],
            weight=task.get("weight", 1),
        )

    @property
    def leakage(self) -> str | None:
        """The owner's own sums, or scores by weights that it can work out from them."""
        return "scores of enough rows tell the owner the server's weights" if self.compute in SCORES else None

    @property
    def drop_outs(self) -> bool:
        """Both are needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """Both."""
        return 2

    def side_information(self, _me: str) -> None:
        """Ciphertexts, of which the server sees the number."""

    def check(self, agreement: Agreement) -> None:
        """An owner and a server; whole numbers have no curve and no sign; nothing is too large for its ciphertext."""
        from ..homomorphic.ckks import LARGEST

        if len(agreement.members) != 2:
            raise TacitError(
                "an owner and a server are needed", code="too_few_records", fix="name two parties", where="party"
            )
        if self.scheme == "paillier" and self.compute == "logistic_score":
            raise TacitError(
                "a logistic score needs fractions",
                code="invalid_protocol_input",
                fix='scheme = "ckks"',
                where="task.scheme",
            )
        below = next((one.name for one in self.columns if one.low < 0), None)
        if self.scheme == "paillier" and below is not None:
            raise TacitError(
                "may be negative", code="out_of_range", column=below, fix='give low from 0 on, or scheme = "ckks"'
            )
        if self._max_result.bit_length() > 1000 or (self.scheme == "ckks" and self._max_value > LARGEST):
            raise TacitError(
                "results may be too large for a ciphertext",
                code="too_large",
                fix="narrower bounds",
                where="task.columns",
            )

    def load_input(self, frame: pl.DataFrame, me: str) -> Columns | dict[str, float]:
        """The owner's columns in units; the server's weights, which it needs for scores alone."""
        if me != self.owner:
            return self._load_weights(frame) if self.compute in SCORES else {}
        if not 0 < frame.height <= self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows where 1 to {self.rows:,} are agreed on",
                code="invalid_protocol_input",
                fix="agree on others",
            )
        return [one.units(frame) for one in self.columns]

    def _load_weights(self, frame: pl.DataFrame) -> dict[str, float]:
        """A file with the columns column and weight; the error shows none of the weights."""
        absent = next((name for name in ("column", "weight") if name not in frame.columns), None)
        if absent is not None:
            raise unknown_column(absent, frame.columns)
        weights = frame["weight"]
        if not weights.dtype.is_numeric() or not weights.cast(pl.Float64).is_finite().fill_null(value=False).all():
            raise TacitError(
                "holds no numbers, or misses some",
                code="missing_values",
                column="weight",
                fix="give each column its weight",
            )
        found = dict(zip(frame["column"].to_list(), frame["weight"].to_list(), strict=True))
        names = {one.name for one in self.columns}
        if set(found) - {"intercept"} != names or len(found) < frame.height:
            raise TacitError(
                "a weight for each agreed column is needed, once",
                code="too_few_records",
                fix=f"name {', '.join(sorted(names))}",
            )
        wrong = self.scheme == "paillier" and any(w != int(w) or abs(w) > self.weight for w in found.values())
        if wrong:
            raise TacitError(
                f"weights are whole numbers up to {self.weight}",
                code="not_whole_number",
                fix='agree on more, or scheme = "ckks"',
            )
        if self.scheme == "ckks":
            self._within_reach(found)
        return found

    def _within_reach(self, weights: Mapping[str, float]) -> None:
        """The farthest scores within the agreed bounds: Σ of the smaller, and of the larger, of w·low and w·high."""
        from ..homomorphic.ckks import LARGEST, REACH

        reach = REACH if self.compute == "logistic_score" else LARGEST
        ends = [sorted((weights[one.name] * one.low, weights[one.name] * one.high)) for one in self.columns]
        low, high = (weights.get("intercept", 0) + sum(side) for side in zip(*ends, strict=True))
        if low < -reach or high > reach:
            curve = ', or on compute = "score": its owner can take the curve of it' if reach == REACH else ""
            raise TacitError(
                f"with these weights and the agreed bounds scores may lie beyond −{reach:g} to {reach:g}, and come out as nonsense",
                code="out_of_range",
                fix=f"agree on narrower bounds{curve}",
                where="task.columns",
            )

    @property
    def _max_result(self) -> int:
        """A bound on every result, in the finest units: a sum of all rows, or a score, whose intercept is up to ``weight`` too."""
        widest = [one.max_size * finer for one, finer in zip(self.columns, self._unit_factors, strict=True)]
        return max(self.rows * max(widest), (sum(widest) + self._units_per_one) * self.weight)

    @property
    def _max_value(self) -> float:
        """The largest size of a value."""
        return max(max(abs(one.low), abs(one.high)) for one in self.columns)

    @property
    def _units_per_one(self) -> int:
        """How many of the finest units make 1."""
        return int(10 ** max(one.decimals for one in self.columns))

    @property
    def _unit_factors(self) -> list[int]:
        """How many of the finest units make a unit of each column."""
        return [self._units_per_one // 10**one.decimals for one in self.columns]

    async def run(self, seat: Party, own: Columns | dict[str, float]) -> Mapping[str, Any]:
        """The figures at the owner; the server learns how many rows there were, to the size of a ciphertext."""
        if isinstance(own, dict):
            return await self._run_server(seat, own)
        rows, given = (
            len(own[0]),
            await run_owner(seat, self._scaled_columns(own), self._make_owner(), compute=self.compute),
        )
        by = rows if self.compute == "mean" else 1
        if self.scheme == "paillier":
            found = [to_number(Fraction(int(one), by * self._units_per_one)) for one in given]
        else:
            found = [one / by for one in given]
        if self.compute in SCORES:
            return {"rows": rows, self.compute.replace("_", " "): found}
        self._check_result(seat.others[0], found, rows // by)
        return {"rows": rows, self.compute: dict(zip((one.name for one in self.columns), found, strict=True))}

    def _check_result(self, server: str, found: Sequence[float], rows: int) -> None:
        """Sums, or means, of values within the bounds; those of fractions are right to a small part of the largest value."""
        for one, value in zip(self.columns, found, strict=True):
            low, high = (rows * Fraction(end, 10**one.decimals) for end in one.ends)
            room = 0 if self.scheme == "paillier" else max(1.0, float(abs(low)), float(abs(high))) * NEAR
            if not low - room <= value <= high + room:
                raise bad_message(
                    server, "encrypted result", f"sent a {self.compute} of column {one.name!r} beyond its agreed bounds"
                )

    def _scaled_columns(self, own: Columns) -> Sequence[Sequence[float]]:
        """Whole numbers in the finest units, or fractions."""
        if self.scheme == "paillier":
            return [[unit * finer for unit in column] for column, finer in zip(own, self._unit_factors, strict=True)]
        return [[unit / 10**one.decimals for unit in column] for one, column in zip(self.columns, own, strict=True)]

    async def _run_server(self, seat: Party, weights: dict[str, float]) -> Mapping[str, Any]:
        from ..homomorphic.ckks import CkksServer

        made = partial(PackedServer, most=self._max_result) if self.scheme == "paillier" else CkksServer
        if self.scheme == "paillier" and "intercept" in weights:
            weights = weights | {"intercept": int(weights["intercept"]) * self._units_per_one}
        names = [one.name for one in self.columns]
        return {"bytes of the answer": await run_server(seat, weights, names, made, compute=self.compute)}

    def _make_owner(self) -> Owner:
        from ..homomorphic.ckks import CkksOwner

        if self.scheme == "paillier":
            return PackedOwner(most=self._max_result)
        return CkksOwner(deep=self.compute == "logistic_score")


async def run_owner(seat: Party, columns: Sequence[Sequence[float]], owner: Owner, *, compute: str) -> list[float]:
    """The owner's side: sums of the columns, or a score for each row; see ``outsourced.md``."""
    server, rows = seat.others[0], len(columns[0])
    await seat.send_bytes(server, "public keys", owner.public)
    for column in columns:
        await seat.send_bytes(server, "encrypted column", join_parts(owner.encrypt(column)))
    data = await seat.recv_bytes(server, "encrypted result")
    try:
        parts = split_parts(data)
        if compute in ("sum", "mean"):
            found = [sum(owner.decrypt([part], 2**30)) for part in parts]
        else:
            found = owner.decrypt(parts, rows)
        if len(found) != (len(columns) if compute in ("sum", "mean") else rows):
            raise ValueError("another number of results")
        return found
    except (ValueError, IndexError):
        raise bad_message(server, "encrypted result", "sent what is no ciphertext") from None


async def run_server(
    seat: Party, weights: Mapping[str, float], names: Sequence[str], made: Callable[[bytes], Server], *, compute: str
) -> int:
    """The server's side, ``made`` from public keys: how many bytes it gave back."""
    owner = seat.others[0]
    keys = await seat.recv_bytes(owner, "public keys")
    try:
        server = made(keys)
    except ValueError as problem:
        raise bad_message(owner, "public keys", f"sent {problem}") from None
    sent = [await seat.recv_bytes(owner, "encrypted column") for _ in names]
    try:
        columns = [split_parts(column) for column in sent]
        if compute in ("sum", "mean"):
            found = [server.sum_column(column) for column in columns]
        else:
            found = server.score_rows(columns, [weights[name] for name in names], weights.get("intercept", 0))
        if compute == "logistic_score":
            found = cast("CkksServer", server).logistic(found)
    except (ValueError, IndexError):
        raise bad_message(owner, "encrypted column", "sent what is no ciphertext") from None
    answer = join_parts(found)
    await seat.send_bytes(owner, "encrypted result", answer)
    return len(answer)


class Owner(Protocol):
    """Has the secret key; ``public`` is all that the server needs."""

    @property
    def public(self) -> bytes:
        """Keys without the secret one."""

    def encrypt(self, values: Sequence[float]) -> list[bytes]:
        """A column, many rows in a ciphertext."""

    def decrypt(self, ciphertexts: Sequence[bytes], count: int) -> list[float]:
        """The first values of a result."""


class Server(Protocol):
    """Computes; it is made from public keys alone, and refuses a secret one. ValueError for what is no ciphertext."""

    def sum_column(self, column: Sequence[bytes]) -> bytes:
        """All ciphertexts of a column in one: the owner adds up its places."""

    def score_rows(self, columns: Sequence[Sequence[bytes]], weights: Sequence[float], intercept: float) -> list[bytes]:
        """Row by row, the weighted sum of the columns."""


def join_parts(parts: Sequence[bytes]) -> bytes:
    """Several pieces in one message, each behind its length.

    >>> split_parts(join_parts([b"ab", b"", b"c"]))
    [b'ab', b'', b'c']
    """
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def split_parts(data: bytes) -> list[bytes]:
    """The pieces of a message; ValueError when lengths do not fit."""
    parts, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        parts.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    if at != len(data):
        raise ValueError("lengths do not fit")
    return parts


class PackedOwner:
    """Makes the key; every result lies between −``most`` and ``most``, so that rows have room for it.

    >>> owner = PackedOwner(most=1000)
    >>> server = PackedServer(owner.public, most=1000)
    >>> column = owner.encrypt([7, 0, 31])
    >>> owner.decrypt(server.score_rows([column], [-3], 5), 3), sum(owner.decrypt([server.sum_column(column)], owner.places))
    ([-16, 5, -88], 38)
    """

    def __init__(self, *, most: int) -> None:
        self._key, self._most, self._width = new_key(), most, _slot_width(most)
        self.places = (BITS - 2) // self._width

    @property
    def public(self) -> bytes:
        """The modulus."""
        return self._key.public.n.to_bytes(BITS // 8, "big")

    def encrypt(self, values: Sequence[float]) -> list[bytes]:
        """Rows from 0 on, so many in a ciphertext. 12 ms a ciphertext."""
        chunks = [values[at : at + self.places] for at in range(0, len(values), self.places)]
        numbers = [sum(int(v) << self._width * place for place, v in enumerate(chunk)) for chunk in chunks]
        return [self._key.public.pack_ciphertexts([self._key.public.encrypt(number)]) for number in numbers]

    def decrypt(self, ciphertexts: Sequence[bytes], count: int) -> list[float]:
        """The values, the server's shift by ``most`` taken off."""
        found: list[float] = []
        for one in ciphertexts:
            number = self._key.decrypt(self._key.public.unpack_ciphertexts(one)[0])
            places = [(number >> self._width * place) % (1 << self._width) for place in range(self.places)]
            found += [value - self._most for value in places]
        return found[:count]


class PackedServer:
    """Computes under the public modulus; there is nothing else that it could hold."""

    def __init__(self, public: bytes, *, most: int) -> None:
        if len(public) != BITS // 8 or int.from_bytes(public, "big").bit_length() != BITS:
            raise ValueError("no key")
        self._public, self._width = PublicKey(int.from_bytes(public, "big")), _slot_width(most)
        self._shift = sum(most << self._width * place for place in range((BITS - 2) // self._width))

    def sum_column(self, column: Sequence[bytes]) -> bytes:
        """The product of the ciphertexts of a column."""
        return self._blind_result([self._parse_ciphertext(one) for one in column], [1] * len(column), 0)

    def score_rows(self, columns: Sequence[Sequence[bytes]], weights: Sequence[float], intercept: float) -> list[bytes]:
        """Σ weight · column + intercept, all whole numbers."""
        ones = sum(1 << self._width * place for place in range((BITS - 2) // self._width))
        numbers = [int(weight) for weight in weights]
        rows = zip(*columns, strict=True)
        return [
            self._blind_result([self._parse_ciphertext(one) for one in row], numbers, int(intercept) * ones)
            for row in rows
        ]

    def _parse_ciphertext(self, data: bytes) -> Any:
        (one,) = self._public.unpack_ciphertexts(data)
        return one

    def _blind_result(self, ciphertexts: Sequence[Any], weights: Sequence[int], plus: int) -> bytes:
        """Shifted up, so that no place is negative, by a fresh encryption, which hides the weights in the mask too."""
        total = self._public.weighted_sum(ciphertexts, weights, bits=self._width)
        return self._public.pack_ciphertexts([self._public.plus(self._public.encrypt(self._shift + plus), total)])


def _slot_width(most: int) -> int:
    return (2 * most).bit_length() + 1
