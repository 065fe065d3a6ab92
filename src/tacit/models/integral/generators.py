"""The databases that give one model: how many, what they share, who is in most of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

CHANCE = 0.05
"""What has at least this probability by chance tells nothing of a model."""


def pack_members(members: np.ndarray, population: int) -> bytes:
    """A database as a row of bits, one for each record of the population."""
    inside = np.zeros(population, dtype=bool)
    inside[members] = True
    return np.packbits(inside).tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Generators:
    """Different databases as rows of bits; memory is count · population / 8 bytes."""

    bits: np.ndarray
    population: int

    @classmethod
    def of(cls, databases: Iterable[bytes], population: int) -> Generators:
        """From packed databases, each counted once."""
        different = list(dict.fromkeys(databases))
        width = (population + 7) // 8
        bits = np.frombuffer(b"".join(different), dtype=np.uint8).reshape(len(different), width)
        return cls(bits, population)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.bits)

    def matrix(self) -> np.ndarray:
        """Who is in which: a row of Booleans for each database."""
        return np.unpackbits(self.bits, axis=1, count=self.population).astype(bool)

    def sizes(self) -> np.ndarray:
        """How many records each has."""
        found: np.ndarray = np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)
        return found

    def common(self) -> int:
        """How many records are in all of them: an intruder who sees the model is sure of these. O(count · n / 8)."""
        return int(np.bitwise_count(np.bitwise_and.reduce(self.bits, axis=0)).sum()) if self.count else 0

    def common_values(self, values: np.ndarray, fewest: int) -> list[int]:
        """The columns of ``values`` of which all of them have a record with the same value, one that fewer than ``fewest`` records have.

        Databases that share no record may share what a record says: an intruder who sees the model is then sure that somebody of
        its database has that value. A value that chance puts into all of them (with a probability of 5 % or more, for databases
        drawn without regard to the model) tells nothing. O(count · n) for each column.
        """
        if not self.count:
            return []
        found: list[int] = []
        inside, size = self.matrix(), round(float(self.sizes().mean()))
        for place, column in enumerate(values.T):
            _, groups, held = np.unique(column, return_inverse=True, return_counts=True)
            order = np.argsort(groups, kind="stable")
            met = np.logical_or.reduceat(inside[:, order], np.cumsum(held) - held, axis=1).all(axis=0)
            rare = held[met & (held > 1) & (held < fewest)]
            if any(self._by_chance(int(holders), size) < CHANCE for holders in rare):
                found.append(place)
        return found

    def _by_chance(self, holders: int, size: int) -> float:
        """The chance that all of as many databases of that size have one of so many records."""
        none = np.prod([(self.population - size - one) / (self.population - one) for one in range(holders)])
        return float(max(0.0, 1.0 - max(0.0, float(none))) ** self.count)

    def inclusions(self) -> np.ndarray:
        """In how many of them each record is."""
        found = np.zeros(self.population, dtype=np.int64)
        for start in range(0, self.count, 256):  # a block of Booleans at a time
            block = np.unpackbits(self.bits[start : start + 256], axis=1, count=self.population)
            found += block.sum(axis=0, dtype=np.int64)
        return found

    def share(self) -> float:
        r"""The share of the databases that the most frequent record is in, :math:`\max_r c_r / g`.

        To an intruder who holds each of them for equally likely it is the largest chance with which anyone is a member.
        """
        return float(self.inclusions().max() / self.count) if self.count else 0.0

    def mean_share(self) -> float:
        """The share of them that a record is in on average: their mean size over the population."""
        return float(self.inclusions().mean() / self.count) if self.count else 0.0

    def overlap(self) -> float:
        r"""The records that two of them share on average, over their mean size: :math:`\sum_r \binom{c_r}{2} \big/ \big(\binom{g}{2}\, \bar s\big)`.

        0 when all are disjoint, 1 when all are equal. Databases of s of n records drawn without regard to the model
        share s / n. 1 for a single one.
        """
        if self.count < 2:
            return 1.0
        held = self.inclusions().astype(float)
        pairs = float((held * (held - 1)).sum()) / (self.count * (self.count - 1))
        return pairs / float(self.sizes().mean())

    def containing_members(self, members: np.ndarray) -> Generators:
        """Those that have all of some records, and what else they have: what is left to an intruder who knows of these."""
        known = np.frombuffer(pack_members(members, self.population), dtype=np.uint8)
        having = ((self.bits & known) == known).all(axis=1)
        return Generators(self.bits[having] & ~known, self.population)

    def union_with(self, others: Iterable[Generators]) -> Generators:
        """These and others, each database once."""
        every = (row.tobytes() for one in (self, *others) for row in one.bits)
        return Generators.of(every, self.population)
