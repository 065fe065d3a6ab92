r"""How many of each.

Keys that are not public: a key is shown when its noisy number of records reaches a threshold.

*Claim.* Counts of the keys that occur, each with discrete Laplace noise of scale b, shown from τ on, are (ε, δ)-differentially
private with :math:`\delta = P(1 + z \ge \tau) = e^{-(\tau - 1)/b}/(1 + e^{-1/b})` for τ ≥ 2, and ε = 1/b for neighbours by adding
and removing, 2/b by replacement.

*Precondition.* A key is a value as it is written: were 0.0 and −0.0 one key, one record could decide which of them is shown.

*Argument.* A key that both data sets have is ε-close as in every count. A key that only one of them has, has one record there,
so it is shown with chance δ; where it is not shown, both say the same. By replacement one key may vanish and another appear:
each data set has at most one such key, and the bound is again the chance δ that its own key is shown.

(OpenDP 0.16's ``make_laplace_threshold`` on whole numbers reports P(z ≥ τ) instead, e.g. 0.036 where the chance is 0.099 for
b = 1, τ = 3; so counts with noise are taken from it, and the threshold is set here.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...errors import TacitError
from ...frozen import FrozenDict
from ..cost import Cost, check_positive
from ..event import Event
from ..keys import check_keys, column_values, is_missing, key_indices
from ..mechanisms.discrete_laplace import tail_threshold
from ..mechanisms.laplace import Laplace
from .estimate import Estimate, PrivateStatistic


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram(PrivateStatistic):
    """The number of records of each key, of a public list or above a threshold.

    With ``keys`` every key of the list is answered, also those of nobody; a record of another key, or of none, is left out.
    Without a list, ``delta`` is the chance that the key of a single person is shown: keys that occur are shown when their
    noisy count reaches a threshold (:mod:`.threshold`), in an order that does not come from the data. Equal keys of several
    spellings (0.0 and −0.0) are thresholded apart. A record is in one count, so one that is added changes one count by 1, and
    one that is replaced two. Time O(n).
    """

    keys: tuple[Hashable, ...] | None = None
    delta: Fraction | None = None

    def __post_init__(self) -> None:
        if (self.keys is None) == (self.delta is None):
            raise TacitError(
                "a histogram has public keys, or a delta for keys that are not",
                code="wrong_type",
                fix="give either keys=[…] or delta=1e-8",
            )
        if self.keys is not None:
            object.__setattr__(self, "keys", check_keys(self.keys))
        else:
            object.__setattr__(self, "delta", check_positive(self.delta, "delta"))
        PrivateStatistic.__post_init__(self)
        Cost(self.epsilon, self.delta or Fraction(0))  # refuses a delta of 1 or more

    @property
    def noise(self) -> Laplace:
        """The mechanism, for all counts together."""
        touched = Fraction(2 if self.neighbours == "replace" else 1)
        return Laplace(sensitivity=touched, epsilon=self.epsilon, neighbours=self.neighbours)

    @property
    def mechanisms(self) -> tuple[Laplace, ...]:
        """The noise alone."""
        return (self.noise,)

    @property
    def threshold(self) -> int | None:
        """The noisy count from which on a key is shown; None with public keys."""
        return None if self.delta is None else threshold_for(self.noise.scale, float(self.delta))

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        if self.delta is None:
            return (self.noise.event,)
        rho = self.epsilon**2 / 2
        return (Event(law="threshold", neighbours=self.neighbours, cost=self.cost, rho=rho, scale=self.noise.scale),)

    @property
    def cost(self) -> Cost:
        """ε, and δ where keys are not public."""
        return Cost(self.epsilon, self.delta or Fraction(0))

    def release(self, data: Iterable[object]) -> Estimate:
        """The counts, with noise."""
        found = self._count_public_keys(data) if self.keys is not None else self._count_above_threshold(data)
        notes = () if self.threshold is None else (f"keys are shown from a noisy count of {self.threshold} on",)
        changes = "two counts by 1 each" if self.neighbours == "replace" else "one count by 1"
        return self._estimate(
            "histogram",
            FrozenDict(found),
            self.noise.half_width(),
            f"a record is in one count, so it changes {changes}",
            notes=notes,
        )

    def _count_public_keys(self, data: Iterable[object]) -> dict[Hashable, int]:
        keys = self.keys or ()
        found = key_indices(data, keys)
        counts = np.bincount(found[found >= 0], minlength=len(keys)).tolist()
        noisy = self.noise.release_steps(counts)
        return {key: max(0, count) for key, count in zip(keys, noisy, strict=True)}

    def _count_above_threshold(self, data: Iterable[object]) -> dict[Hashable, int]:
        """Counts of keys as they are written: equal values of several spellings (0.0 and −0.0, 1 and True) are several keys.

        One key for all of them would be shown in the spelling of the first record, with certainty and without noise. Equal
        keys that are shown are added up after the noise.
        """
        present = [value for value in column_values(data) if not is_missing(value)]
        spellings = [(type(value).__name__, repr(value)) for value in present]
        counts, keys = Counter(spellings), dict(zip(spellings, present, strict=True))
        order = sorted(counts)
        noisy = self.noise.release_steps([counts[spelling] for spelling in order])
        least, shown = self.threshold or 0, Counter[Hashable]()
        for spelling, count in zip(order, noisy, strict=True):
            if count >= least:
                shown[keys[spelling]] += count
        return shown


def threshold_for(scale: float, delta: float) -> int:
    """The smallest τ ≥ 2 for which a key with one record is shown with chance at most δ.

    >>> threshold_for(1.0, 0.1)
    3
    """
    return 1 + tail_threshold(scale, delta)
