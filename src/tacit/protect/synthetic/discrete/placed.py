"""A part of a synthesis on finite axes: what is learnt from, what is known of the new records, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import TacitError
from ..part import Made, Part, readable
from .axes import Axis, learnt
from .chain import Link, drawn
from .counted import Counted


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Axes of the given columns, then of the targets; the records to learn from, and those to be made, on them."""

    part: Part
    axes: tuple[Axis, ...]
    counted: Counted
    new: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """The columns as the trace has them."""
        return tuple(readable(axis.column) for axis in self.axes)

    @property
    def given(self) -> tuple[int, ...]:
        """The axes of the given columns."""
        return tuple(range(len(self.part.given)))

    def made(self, chain: Sequence[Link], captured: Mapping[str, Any], rng: np.random.Generator) -> Made:
        """Values of the targets from a chain; numbers anywhere in their bin."""
        holes = {
            number: self.part.holes[axis.column]
            for number, axis in enumerate(self.axes)
            if axis.missing and axis.column in self.part.holes
        }
        places = drawn(chain, self.new, self.counted.sizes, rng, holes=holes)
        first = len(self.part.given)
        values = {
            axis.column: axis.drawn(places[:, first + number], rng) for number, axis in enumerate(self.axes[first:])
        }
        return Made(values, captured)


def placed(part: Part, *, bins: int) -> Placed:
    """A part on axes: categories as they are, amounts of more than ``bins`` values in bins by quantiles. O(n log n · columns)."""
    axes = tuple(learnt(part.learn[c], amount=part.amount(c), bins=bins) for c in (*part.given, *part.targets))
    learn = np.column_stack([axis.places(part.learn[axis.column]) for axis in axes])
    new = np.zeros((part.count, len(axes)), dtype=np.int64)
    for number, axis in enumerate(axes[: len(part.given)]):
        new[:, number] = axis.places(part.known[axis.column])
        if (new[:, number] < 0).any():
            raise TacitError(
                f"has a category in row {int((new[:, number] < 0).argmax()) + 1} that no record to learn from has",
                column=readable(axis.column),
                fix="choose more records to learn from, or recode rare categories first",
            )
    return Placed(part, axes, Counted(learn, tuple(axis.size for axis in axes)), new)
