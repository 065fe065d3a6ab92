"""Outcomes of a mechanism sorted into cells, from which an auditor builds events."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

__all__ = ["Cells"]

BODY, TAIL = 100, 30
"""Quantiles at even distances, and ever closer ones towards both ends, where losses are largest."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Intervals between edges for numbers; one cell for each outcome that was seen, and one for others, for anything else."""

    edges: np.ndarray | None
    kinds: dict[Hashable, int]

    @classmethod
    def of(cls, samples: list[Sequence[Any]]) -> Cells:
        """Cells from outcomes on both data sets."""
        if all(isinstance(outcome, Real) for sample in samples for outcome in sample):
            pooled = np.concatenate([np.asarray(sample, float) for sample in samples])
            tails = np.geomspace(1 / len(pooled), 1 / BODY, TAIL)
            shares = np.concatenate([[0], tails, np.linspace(0, 1, BODY), 1 - tails, [1]])
            return cls(np.unique(np.quantile(pooled[~np.isnan(pooled)], shares, method="inverted_cdf")), {})
        seen = dict.fromkeys(_named(outcome) for sample in samples for outcome in sample)
        return cls(None, {kind: number for number, kind in enumerate(seen)})

    @property
    def size(self) -> int:
        """How many cells."""
        return (len(self.kinds) if self.edges is None else len(self.edges)) + 1

    def counts(self, sample: Sequence[Any]) -> np.ndarray:
        """How many outcomes are in each cell."""
        if self.edges is not None:
            found = np.searchsorted(self.edges, np.asarray(sample, float), "left")
        else:
            found = np.array([self.kinds.get(_named(outcome), len(self.kinds)) for outcome in sample])
        return np.bincount(found, minlength=self.size)

    def orders(self, likelier: np.ndarray, other: np.ndarray) -> Iterator[np.ndarray]:
        """Orders of the cells whose beginnings are events: by the ratio of counts, and of numbers the two tails."""
        yield np.argsort(-np.log((likelier + 0.5) / (other + 0.5)), kind="stable")
        if self.edges is not None:
            yield np.arange(self.size)
            yield np.arange(self.size)[::-1]


def _named(outcome: Any) -> Hashable:
    return outcome if isinstance(outcome, Hashable) else repr(outcome)
