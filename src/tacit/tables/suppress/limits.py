"""How long a search may go on, counted so that the same input stops at the same place."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import TacitError, check_int, format_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Nodes of the search tree and simplex iterations, each in all; and, if you must, seconds of processor time.

    Nodes and iterations make a run that can be repeated: the same table gives the same pattern on every machine. A limit in
    seconds does not, and a pattern that it ended says so (``reproducible`` is False).
    Limits are looked at between one program and the next: the last one is finished.

    >>> Limits(nodes=100)
    Limits(nodes=100, iterations=400000, seconds=None)
    """

    nodes: int = 10_000
    iterations: int = 400_000
    seconds: float | None = None

    def __post_init__(self) -> None:
        check_int("nodes", self.nodes, least=0)
        check_int("iterations", self.iterations, least=0)
        if self.seconds is not None and not self.seconds > 0:
            raise TacitError(
                f"seconds={format_value(self.seconds)} leaves no time",
                code="out_of_range",
                parameter="seconds",
                fix="give a positive number, or leave it out for no clock",
            )


class CannotProtect(TacitError):
    """No pattern protects the table: some unsafe cell falls short even when every cell that may be suppressed is."""

    def __init__(self, what: str, *, fix: str, column: str | None = None) -> None:
        super().__init__(what, code="cannot_protect", fix=fix, column=column)
