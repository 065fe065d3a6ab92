"""A model over secure sums, as a task of a session: as many sums as it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, whole
from ..agreement.agreement import Agreement
from ..agreement.section import columns_of, known_keys
from ..protocols.protocol import PROTOCOLS
from ..seat import Seat
from ..statistics.feasible import Check, check_others
from ..statistics.sum_task import held_by, note_sums
from .k_means import KMeans
from .learner import Learner
from .linear import LinearRegression
from .logistic import LogisticRegression
from .naive_bayes import NaiveBayes
from .quantile import Quantiles

__all__ = ["LEARNERS", "LearnTask"]

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
        whole("rows", task.get("rows"), least=1)
        room = (agreement.modulus - 1) // 2 // (parties * (task["rows"] + 1))
        return cls(made(task, task["rows"], room), agreement.protocol, parties, task["rows"])

    @property
    def reveals(self) -> str | None:
        """Of two parties each learns the other's sums from the result."""
        said = "with two parties each sum alone tells each of them the other's figures, whatever the protocol"
        return said if self.parties == 2 else None

    @property
    def drop_outs(self) -> bool:
        """Steps that some have done and others not would not add up."""
        return False

    @property
    def breaks(self) -> int:
        """As the protocol says."""
        return PROTOCOLS[self.protocol].breaks(self.parties)

    def seen(self, _me: str) -> str | None:
        """The sums of the model's steps, at all parties."""
        return self.learner.seen

    def check(self, agreement: Agreement) -> None:
        """The protocol must suit the parties, and the modulus must hold every sum."""
        refused = PROTOCOLS[self.protocol].refuses(self.parties, agreement.modulus)
        if refused is not None:
            raise refused.at(f"session.protocol {self.protocol!r}")
        held_by(agreement.modulus, self.learner.largest(self.parties))

    def own(self, frame: pl.DataFrame, _me: str) -> Any:
        """The own rows."""
        if frame.height > self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows, and at most {self.rows:,} a party are agreed on",
                fix="agree on more",
            )
        return self.learner.own(frame)

    async def run(self, seat: Seat, own: Any) -> Mapping[str, Any]:
        """The steps, each with a secure sum."""

        async def add(numbers: Sequence[int], check: Check) -> list[int]:
            sums = seat.ring.signed(await PROTOCOLS[self.protocol].run(seat, seat.ring.words(numbers)))
            note_sums(seat, sums)
            check_others(sums, numbers, self.parties - 1, check, step="the sums of a step")
            return sums

        return await self.learner.learn(own, add)
