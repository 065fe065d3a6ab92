"""How a data set answers: the owner chooses one mode, and it has three moments.

``quote`` reads the question, ``decide`` earlier questions too, and only ``answer`` the data: so a refusal cannot depend
on them. ``decide`` runs inside the ledger's turn, so that no two questions are decided at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Protocol

from .answer import Answer, Quote
from .question import Question


class PastQueries(Protocol):
    """The questions about a data set that were charged before, answered or not."""

    def since(self, number: int) -> Iterator[tuple[int, str, Question]]:
        """Number, account and question of every charge after the given number, oldest first, of all versions."""
        ...


class Mode(Protocol):
    """One way to answer."""

    name: str

    def quote(self, question: Question, spend: Fraction | None) -> Quote:
        """What the question costs for ``spend`` (ε or ρ; None where nothing is spent), and how good the answer will be."""
        ...

    def decide(self, question: Question, past: PastQueries) -> None:
        """Refuse what must not be answered after what was answered before; remember nothing: the past will tell."""
        ...

    def answer(self, quote: Quote) -> Answer:
        """The answer; the only moment at which data are touched."""
        ...
