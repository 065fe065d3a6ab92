"""What [protect] of a plan about tables may say: one section for each way to protect a table."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from ..schema import Section


class Suppress(Section):
    """Leave cells out: the unsafe ones, and as few others as it takes to keep them from being computed."""

    method: Literal["suppress"] = "suppress"
    search: Literal["auto", "exact", "heuristic", "hypercube", "elimination", "flow"] = Field(
        default="auto", description="How the further cells are found; auto chooses by the size of the table."
    )
    cost: str | float | dict[str, float] = Field(
        default="value",
        description="What it costs not to publish a cell: value, count, unit, log, a column of more, or weights of several.",
    )
    nodes: int | None = Field(default=None, description="Most branch-and-bound nodes of the exact search.")
    iterations: int | None = Field(default=None, description="Most simplex iterations of the exact search.")
    seconds: float | None = Field(
        default=None, description="Most seconds of the exact search; the pattern may then differ from run to run."
    )


class RoundControlled(Section):
    """Round every cell to a multiple of the base beside it so that all sums still hold."""

    method: Literal["round_controlled"]
    base: int = Field(description="Figures become multiples of it.")


class RoundRandom(Section):
    """Round every cell at random without bias; sums do not hold any more."""

    method: Literal["round_random"]
    base: int = Field(description="Figures become multiples of it.")


class Adjust(Section):
    """Move unsafe cells out of their protection interval and others as little as keeps the sums."""

    method: Literal["adjust"]


class CellKey(Section):
    """Add noise that is the same for the same respondents in every table; sums do not hold any more."""

    method: Literal["cell_key"]
    largest: int = Field(description="No count changes by more.")
    variance: float = Field(description="Of the noise.")
    forbidden: int = Field(default=0, description="Counts from 1 up to it never appear.")


Way: TypeAlias = Suppress | RoundControlled | RoundRandom | Adjust | CellKey

WAYS: dict[str, type[Way]] = {
    "suppress": Suppress,
    "round_controlled": RoundControlled,
    "round_random": RoundRandom,
    "adjust": Adjust,
    "cell_key": CellKey,
}
