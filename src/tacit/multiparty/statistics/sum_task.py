"""Statistics over a secure sum, as a task of a session."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError
from ..agreement.agreement import Agreement
from ..party import Party
from ..protocols.protocol import PROTOCOLS, fits_into
from .feasibility import check_others
from .statistic import Statistic, statistic_of


@dataclass(frozen=True, slots=True)
class SumTask:
    """A statistic, and the protocol that adds up what it counts."""

    statistic: Statistic
    protocol: str
    parties: int

    @classmethod
    def of(cls, agreement: Agreement) -> SumTask:
        """What an agreement asks for."""
        return cls(statistic_of(agreement.task), agreement.protocol, len(agreement.members))

    @property
    def leakage(self) -> str | None:
        """Of two parties each learns the other's figures from the result."""
        said = "with two parties the result alone tells each of them the other's figures, whatever the protocol"
        return said if self.parties == 2 else None

    @property
    def drop_outs(self) -> bool:
        """Whether the protocol can do without those who go away."""
        return PROTOCOLS[self.protocol].drop_outs

    @property
    def collusion_threshold(self) -> int:
        """As the protocol says."""
        return PROTOCOLS[self.protocol].breaks(self.parties)

    def side_information(self, _me: str) -> None:
        """The sums follow from the figures."""

    def check(self, agreement: Agreement) -> None:
        """The protocol must suit the parties, the modulus must hold every sum, and a message all of them."""
        refused = PROTOCOLS[self.protocol].setup_error(self.parties, agreement.modulus)
        if refused is not None:
            raise refused.with_location(f"session.protocol {self.protocol!r}")
        held_by(agreement.modulus, self.statistic.max_sum(self.parties))
        fits_into(agreement.max_message, PROTOCOLS[self.protocol].message(self.parties, self.statistic.length))

    def load_input(self, frame: pl.DataFrame, _me: str) -> list[int]:
        """What this party counts in its own file."""
        return self.statistic.numbers(frame)

    async def run(self, seat: Party, own: list[int]) -> Mapping[str, Any]:
        """The sums, if what the others brought can be so, and what follows from them."""
        total = await PROTOCOLS[self.protocol].run(seat, seat.ring.words(own))
        sums = seat.ring.to_signed(total)
        note_sums(seat, sums)
        check_others(sums, own, self.parties - 1, self.statistic.check_sums, step="the sums")
        return self.statistic.figures(sums)


def note_sums(seat: Party, sums: Sequence[int]) -> None:
    """All parties must have opened the same sums."""
    seat.note_result(json.dumps(list(sums)).encode())


def held_by(modulus: int, largest: int) -> None:
    """Refuse a modulus that a sum of this size could exceed: it would wrap around without anybody noticing."""
    if 2 * largest >= modulus:
        raise TacitError(
            f"modulus {modulus} is too small: sums may reach {largest:,} on either side of 0",
            code="out_of_range",
            fix="agree on fewer rows, narrower bounds, fewer decimals, or a larger modulus",
            where="session.modulus",
        )
