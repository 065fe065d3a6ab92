"""One statistic for every group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...errors import TacitError
from ...frozen import FrozenDict
from ..bounds import Bounds, whole_sum
from ..cost import Cost, sum_costs
from ..event import Event
from ..keys import check_keys, column_values, is_missing, key_indices
from ..mechanisms.laplace import Laplace
from ..neighbours import Neighbours, check_neighbours, one_kind
from .estimate import Estimate, PrivateStatistic
from .histogram import Histogram
from .moments import Moments, covering_half_width, declared_size, ratio_bounds
from .quantile import Quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class _MomentStatistic(PrivateStatistic):
    """A statistic that is computed from noisy sums of values (and of squares) and the number of records."""

    bounds: Bounds
    size: int | None = None

    squares: ClassVar[bool]

    def __post_init__(self) -> None:
        PrivateStatistic.__post_init__(self)
        declared_size(self.neighbours, self.size)

    @property
    def moments(self) -> Moments:
        """The noisy figures behind it."""
        return Moments(
            bounds=self.bounds, epsilon=self.epsilon, neighbours=self.neighbours, size=self.size, squares=self.squares
        )

    @property
    def mechanisms(self) -> tuple[Laplace, ...]:
        """Those of the moments."""
        return self.moments.mechanisms


class Mean(_MomentStatistic):
    r"""The mean of values cut to declared bounds, always within them.

    With middle c of the bounds and :math:`S = \sum (x - c)`, the answer is :math:`c + \tilde S/\max(\tilde n, 1)`, cut to the
    bounds.

    * ``neighbours="replace"``: the number n = ``size`` is public, a promise that is checked; all ε goes to the sum, whose
      noise has scale (high − low)/ε.
    * ``neighbours="add_remove"``: n is private and gets noise of scale 2/ε; the sum about the middle moves by at most
      (high − low)/2 and gets (high − low)/ε.

    The empty database goes the same way as every other one: the answer is then noise about the middle, never an error, which
    would tell that nobody is there. A form that is often taught adds up values that are not cut
    and uses n as it is; it is not differentially private (:mod:`tacit.dp.teaching`). Time O(n).

    >>> from tacit.dp import Bounds
    >>> mean = Mean(bounds=Bounds(2000, 4000), epsilon=10**6, neighbours="replace", size=10)
    >>> salaries = [1000, 2000, 3000, 2000, 1000, 6000, 2000, 10000, 2000, 4000]
    >>> round(mean.release(salaries).value)
    2700
    """

    __slots__ = ()
    squares = False

    def release(self, data: Iterable[object]) -> Estimate:
        """The mean, with noise."""
        number, deviations, _ = self.moments.release(data)
        half_step = self.bounds.step / 2

        def mean(deviation: Fraction) -> float:
            return self.bounds.clip_value(self.bounds.middle + deviation * half_step)

        value = mean(deviations.value / max(number.value, Fraction(1)))
        low, high = ratio_bounds(deviations, number)
        return self._estimate(
            "mean",
            value,
            covering_half_width(value, mean(low), mean(high)),
            _PROOF[self.neighbours],
        )


_PROOF: dict[Neighbours, str] = {
    "replace": "values are cut to the bounds and n is public, so one record changes the mean by at most (high − low)/n",
    "add_remove": "one record changes the sum about the middle by at most (high − low)/2 and the number by 1; ε is halved",
}


class Variance(_MomentStatistic):
    r"""The variance (division by n) of values cut to declared bounds, between 0 and (high − low)²/4.

    :math:`\tilde Q/\tilde n - (\tilde S/\tilde n)^2` from the noisy sums of deviations from the middle of the bounds and of
    their squares, and from the number of records as in :class:`~tacit.dp.Mean`; ε is shared equally. Time O(n).
    """

    __slots__ = ()
    squares = True

    def release(self, data: Iterable[object]) -> Estimate:
        """The variance, with noise."""
        moments = self.moments
        number, deviations, squares = moments.release(data)
        most = (self.bounds.high - self.bounds.low) ** 2 / 4

        def variance(square: Fraction, mean_squared: Fraction) -> float:
            found = (square * moments.unit - mean_squared) * self.bounds.step**2 / 4
            return float(max(Fraction(0), min(most, found)))

        least = max(number.value, Fraction(1))
        value = variance(squares.value / least, (deviations.value / least) ** 2)
        (low, high), (left, right) = ratio_bounds(squares, number), ratio_bounds(deviations, number)
        nearest = Fraction(0) if left <= 0 <= right else min(left**2, right**2)
        return self._estimate(
            "variance",
            value,
            covering_half_width(value, variance(low, max(left**2, right**2)), variance(high, nearest)),
            "values are cut to the bounds, so one record changes the sum of squares about the middle by at "
            "most (high − low)²/4, and sum and number as in a mean; ε is shared",
        )


class _OneFigure(PrivateStatistic):
    """A statistic that is one exact figure plus Laplace noise."""

    __slots__ = ()

    @property
    def noise(self) -> Laplace:
        """The mechanism."""
        raise NotImplementedError

    @property
    def mechanisms(self) -> tuple[Laplace, ...]:
        """The noise alone."""
        return (self.noise,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(_OneFigure):
    """The sum of values cut to declared bounds.

    A record that is added or removed changes it by at most max(|low|, |high|), a record that is replaced by high − low. It
    is added up in whole steps of the grid, exactly, in any order of the records. Time O(n).

    >>> Sum(bounds=Bounds(0, 10), epsilon=1000, neighbours="replace").release([3, 99, -5, float("nan")]).value
    18
    """

    bounds: Bounds

    @property
    def noise(self) -> Laplace:
        """The mechanism."""
        low, high = self.bounds.low, self.bounds.high
        furthest = high - low if self.neighbours == "replace" else max(abs(low), abs(high))
        return Laplace(sensitivity=furthest, epsilon=self.epsilon, neighbours=self.neighbours, step=self.bounds.step)

    def release(self, data: Iterable[object]) -> Estimate:
        """The sum, with noise; under replacement a missing value counts as the middle of the bounds, else as nothing."""
        codes, gaps = self.bounds.codes(data)
        middle = (self.bounds.first + self.bounds.last) // 2 if self.neighbours == "replace" else 0
        exact = (whole_sum(codes) + gaps * middle) * self.bounds.step
        furthest = "high − low" if self.neighbours == "replace" else "max(|low|, |high|)"
        return self._estimate(
            "sum",
            self.noise.release(exact),
            self.noise.half_width(),
            f"values are cut to the bounds, so one record changes the sum by at most {furthest}",
        )


class Count(_OneFigure):
    """How many records: those that hold a value, of truth values those that are true.

    One record changes a count by at most 1, added, removed or replaced, so that Laplace noise of scale 1/ε is enough. A
    count below 0 is shown as 0. Time O(n).

    >>> Count(epsilon=1000, neighbours="add_remove").release([True, False, True, None]).value
    2
    """

    __slots__ = ()

    @property
    def noise(self) -> Laplace:
        """The mechanism."""
        return Laplace(sensitivity=Fraction(1), epsilon=self.epsilon, neighbours=self.neighbours)

    def release(self, data: Iterable[object]) -> Estimate:
        """The count, with noise."""
        exact = sum(not is_missing(value) and value is not False for value in column_values(data))
        return self._estimate(
            "count",
            max(0, int(self.noise.release(exact))),
            self.noise.half_width(),
            "one record changes a count by at most 1",
        )


Statistic = Count | Sum | Mean | Variance | Quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBy:
    """A statistic of each group of records; groups are public keys, or a thresholded histogram finds them.

    A record is in one group, so one that is added or removed touches one answer: all groups together cost what one costs
    (parallel composition). One that is replaced may leave a group and enter another: that costs twice. The statistic itself
    is declared for ``add_remove``, because the size of a group is private in both. Time O(n) for each pass.

    >>> from tacit.dp import Count
    >>> counts = GroupBy(statistic=Count(epsilon=1, neighbours="add_remove"), keys=["a", "b"], neighbours="replace")
    >>> str(counts.cost)
    'ε = 2'
    """

    statistic: Statistic
    keys: tuple[Hashable, ...] | Histogram
    neighbours: Neighbours

    def __post_init__(self) -> None:
        check_neighbours(self.neighbours)
        if not isinstance(self.statistic, Statistic):
            raise TacitError(
                "each group has one statistic",
                code="invalid_parameter",
                fix="e.g. statistic=Count(epsilon=1, neighbours='add_remove')",
            )
        if self.statistic.neighbours != "add_remove":
            raise TacitError(
                "the number of records of a group is private, so its statistic is of neighbours by 'add_remove'",
                code="invalid_parameter",
                fix="declare neighbours='add_remove' in the statistic",
            )
        if isinstance(self.keys, Histogram):
            one_kind((self.keys.neighbours, self.neighbours))
        else:
            object.__setattr__(self, "keys", check_keys(self.keys))

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told: of the search for keys, and of the one or two groups that a person touches."""
        touched = 2 if self.neighbours == "replace" else 1
        own = tuple(event.for_neighbours(self.neighbours) for event in self.statistic.events) * touched
        return (*self.keys.events, *own) if isinstance(self.keys, Histogram) else own

    @property
    def cost(self) -> Cost:
        """ε of the groups that a person touches, and of the search for keys."""
        return sum_costs(event.cost for event in self.events)

    def release(self, groups: Iterable[object], data: Iterable[object]) -> Estimate:
        """One estimate for each group; ``groups`` and ``data`` are two columns of the same records."""
        group, value = column_values(groups), column_values(data)
        if len(group) != len(value):
            raise TacitError(
                "the two columns are not of the same length", code="wrong_type", fix="give two columns of one table"
            )
        keys = tuple(self.keys.release(group).value) if isinstance(self.keys, Histogram) else self.keys
        return Estimate(
            name=f"by {len(keys)} groups",
            value=FrozenDict(self._by_group(group, value, keys)),
            accuracy=None,
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity="a record is in one group, so it touches one answer, or two when it is replaced",
            bounds=getattr(self.statistic, "bounds", None),
        )

    def _by_group(self, group: list[Any], value: list[Any], keys: tuple[Hashable, ...]) -> dict[Hashable, Estimate]:
        found = key_indices(group, keys)
        order = np.argsort(found, kind="stable")
        edges = np.searchsorted(found[order], np.arange(len(keys) + 1))
        rows = [order[start:end].tolist() for start, end in zip(edges[:-1], edges[1:], strict=True)]
        return {key: self.statistic.release([value[row] for row in part]) for key, part in zip(keys, rows, strict=True)}
