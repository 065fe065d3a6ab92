"""The kinds of spread as expressions over the cells of a class, for engines that group by but hold no arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import narwhals as nw

from ...errors import TacitError

if TYPE_CHECKING:
    from .spread import Spread

__all__ = ["Part", "part_of"]

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Part:
    """What each cell adds, how the cells of a class are put together, and what is made of that.

    A cell is the records of a class with one value of the column. Expressions may use ``cell`` (its records), ``known``
    (the records of the class that count), ``whole`` (the records of the file with that value), ``rank`` (its place among
    the cells of the class from the smallest, 1 first) and ``tail`` (the records in the cells up to it).
    """

    each: nw.Expr
    how: Literal["sum", "max"]
    finish: Callable[[nw.Expr], nw.Expr] = lambda total: total
    ranked: bool = False


def part_of(kind: Spread, extra: float, *, column: str, everybody: float, values: int) -> Part:
    """The expressions of a kind; ``everybody`` records and ``values`` different values of the file count."""
    inside, outside = nw.col("cell") / nw.col("known"), nw.col("whole") / max(1.0, everybody)
    gain = inside / outside - 1.0
    whole_number: Callable[[nw.Expr], nw.Expr] = lambda total: total.round(0).cast(nw.Int64)  # noqa: E731
    parts: dict[str, Callable[[], Part]] = {
        "distinct": lambda: Part(nw.lit(1.0), "sum", whole_number),
        "entropy": lambda: Part(-inside * inside.log(), "sum", lambda total: total.exp()),
        "recursive": lambda: Part(_recursive(extra), "max", whole_number, ranked=True),
        "others": lambda: Part(nw.col("cell"), "max", lambda largest: (nw.col("known") - largest).cast(nw.Int64)),
        "variational": lambda: Part((inside - outside).abs() - outside, "sum", lambda total: 0.5 * (total + 1.0)),
        "largest": lambda: Part(inside, "max"),
        "gain": lambda: Part(gain, "max"),
        "enhanced": lambda: Part(nw.when(gain <= -outside.log() + ROUNDING).then(gain).otherwise(_BEYOND), "max"),
        "ratio": lambda: _ratio((inside / outside).log(base=2.0).abs(), values if extra == 1.0 else 0),
    }
    if kind not in parts:
        raise TacitError(
            f"cannot have its {kind} spread measured on this engine: it is no sum over a group-by",
            column=column,
            fix="ask for form='variational' (closeness) or form='entropy' (diversity), or read the data with engine='polars'",
        )
    return parts[kind]()


_BEYOND = nw.lit(math.inf)


def _recursive(c: float) -> nw.Expr:
    """The place from the largest cell, where the most frequent value is below c times the cells from there on."""
    return (
        nw.when(nw.col("largest") < c * nw.col("tail"))
        .then(nw.col("cells") - nw.col("rank") + 1.0)
        .otherwise(nw.lit(0.0))
    )


def _ratio(each: nw.Expr, values: int) -> Part:
    """With ``values`` the classes that lack one of them have no finite ratio."""
    if not values:
        return Part(each, "max")
    lacking = nw.col("cells") < values
    return Part(each, "max", lambda largest: nw.when(lacking).then(_BEYOND).otherwise(largest), ranked=True)
