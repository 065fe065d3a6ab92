"""A part of a synthesis on finite axes: what is learnt from, what is known of the new records, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import TacitError
from ..part import Part, SyntheticValues, readable_name
from .axes import Axis, learn_axis
from .chain import Link, draw_chain
from .coded_records import CodedRecords


@dataclass(frozen=True, slots=True, eq=False)
class DiscretePart:
    """Axes of the given columns, then of the targets; the records to learn from, and those to be made, on them."""

    part: Part
    axes: tuple[Axis, ...]
    counted: CodedRecords
    new: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """The columns as the trace has them."""
        return tuple(readable_name(axis.column) for axis in self.axes)

    @property
    def given_axes(self) -> tuple[int, ...]:
        """The axes of the given columns."""
        return tuple(range(len(self.part.given)))

    def draw_targets(
        self, chain: Sequence[Link], captured: Mapping[str, Any], rng: np.random.Generator
    ) -> SyntheticValues:
        """Values of the targets from a chain; numbers anywhere in their bin."""
        holes = {
            number: self.part.holes[axis.column]
            for number, axis in enumerate(self.axes)
            if axis.missing and axis.column in self.part.holes
        }
        places = draw_chain(chain, self.new, self.counted.sizes, rng, holes=holes)
        first = len(self.part.given)
        values = {
            axis.column: axis.draw_values(places[:, first + number], rng)
            for number, axis in enumerate(self.axes[first:])
        }
        return SyntheticValues(values, captured)


def discretise_part(part: Part, *, bins: int) -> DiscretePart:
    """A part on axes: categories as they are, amounts of more than ``bins`` values in bins by quantiles. O(n log n · columns)."""
    axes = tuple(
        learn_axis(part.learn[c], amount=part.is_amount_column(c), bins=bins) for c in (*part.given, *part.targets)
    )
    learn = np.column_stack([axis.encode_values(part.learn[axis.column]) for axis in axes])
    new = np.zeros((part.count, len(axes)), dtype=np.int64)
    for number, axis in enumerate(axes[: len(part.given)]):
        new[:, number] = axis.encode_values(part.known[axis.column])
        if (new[:, number] < 0).any():
            raise TacitError(
                f"has a category in row {int((new[:, number] < 0).argmax()) + 1} that no record to learn from has",
                code="too_few_records",
                column=readable_name(axis.column),
                fix="choose more records to learn from, or recode rare categories first",
            )
    return DiscretePart(part, axes, CodedRecords(learn, tuple(axis.size for axis in axes)), new)
