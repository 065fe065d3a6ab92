"""Columns of any kind through normal variables that are correlated as they are, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ..noise.scores import Scale, scale_of
from ..numbers import as_numbers, from_numbers
from ..swapping.copula import conditional, refuse_determined
from .coded import categories, order_of
from .conditioned import behind
from .correlations import correlations
from .latent import Latent, latent_of
from .part import Made, Part, readable

__all__ = ["by_copula"]

ROUNDS = 2
"""How often categories are put in order anew, by the scores that the last order gave."""


@dataclass(frozen=True, eq=False)
class _Column:
    """A column by the place of its values: of the records to learn from, and of those to be made if it is given."""

    values: pl.Series
    learn: np.ndarray
    new: np.ndarray
    ordered: bool
    scale: Scale | None = None

    def reordered(self, place: np.ndarray) -> _Column:
        """The same column with its values at other places."""
        moved = [np.where(codes >= 0, place[codes], -1) for codes in (self.learn, self.new)]
        return _Column(self.values.gather(np.argsort(place)), moved[0], moved[1], self.ordered)

    def latent(self) -> Latent:
        """The normal variable behind the column."""
        return latent_of(self.learn, len(self.values))

    def at(self, drawn: np.ndarray, latent: Latent) -> pl.Series:
        """The values at draws of the variable; amounts lie between those of the data, and inside their range."""
        if self.scale is None:
            return self.values.gather(latent.of(drawn))
        low, high = self.scale.score[0], self.scale.score[-1]
        inside = np.where(drawn < low, 2 * low - drawn, np.where(drawn > high, 2 * high - drawn, drawn))
        return from_numbers(self.scale.values(np.clip(inside, low, high)), self.values.name, self.values.dtype)


def by_copula(part: Part, rng: np.random.Generator) -> Made:
    """New values of the targets by a normal copula; see :class:`SynthCopula`."""
    columns = _in_order({name: _column(part, name, rng) for name in (*part.targets, *part.given)})
    latent = {name: one.latent() for name, one in columns.items()}
    lacking = {
        name: latent_of((columns[name].learn < 0).astype(np.int64), 2)
        for name in part.targets
        if name not in part.holes and (columns[name].learn < 0).any()
    }
    of_targets = [*(latent[name] for name in part.targets), *lacking.values()]
    correlation, moved = correlations([*of_targets, *(latent[name] for name in part.given)])
    law = conditional(correlation, len(of_targets))
    if part.given:
        refuse_determined(part.targets, law.explained[: len(part.targets)])
    drawn = rng.standard_normal((part.count, len(of_targets))) @ law.root.T
    if part.given:
        there = [latent[name].shown_by(columns[name].new) for name in part.given]
        drawn += behind(there, correlation[len(of_targets) :, len(of_targets) :], rng) @ law.slope
    scores = dict(zip([*part.targets, *(("lacking", name) for name in lacking)], drawn.T, strict=True))
    values = {}
    for name in part.targets:
        gone = lacking[name].of(scores["lacking", name]) == 1 if name in lacking else np.zeros(part.count, dtype=bool)
        values[name] = _with_holes(columns[name], latent[name], scores[name], gone)
    return Made(values, _captured(part, list(lacking), moved))


def _with_holes(column: _Column, latent: Latent, drawn: np.ndarray, gone: np.ndarray) -> pl.Series:
    if not len(column.values):
        return column.values.clear(len(drawn))
    made = column.at(drawn, latent)
    return pl.select(pl.when(~pl.Series(gone)).then(made)).to_series().alias(column.values.name)


def _captured(part: Part, lacking: Sequence[str], moved: float) -> Mapping[str, object]:
    return {
        "correlations": list(part.targets),
        "given": [readable(name) for name in part.given],
        "missing": list(lacking),
        "repaired_by": float(f"{moved:.2g}"),
    }


def _column(part: Part, name: str, rng: np.random.Generator) -> _Column:
    learn = part.learn[name]
    new = part.known[name] if name in part.given else learn.clear()
    if not part.amount(name):
        of = categories(learn, new)
        both = pl.concat([learn, new.cast(learn.dtype)]).drop_nulls().unique().sort()
        return _Column(both, of.learn - 1, of.new - 1, part.kinds[name] == "ordinal")
    numbers = as_numbers(learn)
    known = ~np.isnan(numbers)
    distinct = np.unique(numbers[known])
    scale = None
    if part.kinds[name] != "ordinal" and len(distinct) > 1:
        scale = scale_of(numbers[known], rng.random(int(known.sum())))[1]
    values = from_numbers(distinct, name, learn.dtype)
    return _Column(values, _nearest(distinct, numbers), _nearest(distinct, as_numbers(new)), True, scale)


def _nearest(distinct: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The place of the value that is nearest to each number, −1 for none."""
    if not len(distinct):
        return np.full(len(numbers), -1)
    right = np.minimum(np.searchsorted(distinct, numbers), len(distinct) - 1)
    left = np.maximum(right - 1, 0)
    place = np.where(numbers - distinct[left] < distinct[right] - numbers, left, right)
    return np.where(np.isnan(numbers), -1, place)


def _in_order(columns: dict[str, _Column]) -> dict[str, _Column]:
    """The columns, those without an order of their own in the one that tells most of the others."""
    scores = {name: one.latent().scores for name, one in columns.items()}
    for _ in range(ROUNDS):
        for name, one in columns.items():
            others = [score for other, score in scores.items() if other != name]
            known = one.learn >= 0
            if one.ordered or not others or not known.any():
                continue
            place = order_of(one.learn[known], len(one.values), np.column_stack(others)[known])
            columns[name] = one.reordered(place)
            scores[name] = columns[name].latent().scores
    return columns
