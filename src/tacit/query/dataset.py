"""A data set that is open for questions: its declaration, its mode over the data, and the same mode over made-up data."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from .answer import Answer, Quote
from .column import Schema
from .mode import Mode
from .question import Question


class _NoPastQueries:
    def since(self, number: int) -> Iterator[tuple[int, str, Question]]:  # noqa: ARG002 - nothing was asked
        return iter(())


class Dataset:
    """One data set at work. ``rehearsal`` makes the mode over made-up data, when it is first wanted.

    ``values`` has a digest of the values of every confidential column, by its name without that of a joined table.
    """

    def __init__(
        self,
        schema: Schema,
        mode: Mode,
        *,
        rehearsal: Callable[[], Mode],
        close: Callable[[], None] = lambda: None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        self.schema, self.mode, self.close = schema, mode, close
        self.values = values or {}
        self._make = rehearsal
        self._rehearsal: Mode | None = None
        self._alone = threading.Lock()

    def dry_run(self, question: Question, spend: Fraction | None) -> tuple[Quote, Answer]:
        """Price and answer on made-up data, as if nothing had been asked before; one at a time."""
        with self._alone:
            if self._rehearsal is None:
                self._rehearsal = self._make()
            quote = self._rehearsal.quote(question, spend)
            self._rehearsal.decide(question, _NoPastQueries())
            return quote, self._rehearsal.answer(quote)
