"""Which are the most frequent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...errors import TacitError, check_int
from ..keys import check_keys, key_indices
from ..mechanisms.choice import PermuteAndFlip
from .estimate import Estimate, PrivateStatistic


@dataclass(frozen=True, slots=True, kw_only=True)
class TopK(PrivateStatistic):
    """The k most frequent of public keys, in order, without their counts.

    One after the other is chosen by permute-and-flip among those that are left, each for ε/k. A record changes a count by at
    most 1; one that is added lowers none, so that no factor 2 is needed then. Time O(n + k·keys).

    References
    ----------
    Durfee, Rogers (2019), Practical differentially private top-k selection with pay-what-you-get composition, NeurIPS.
    """

    keys: tuple[Hashable, ...]
    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", check_keys(self.keys))
        check_int("k", self.k, least=1)
        if self.k > len(self.keys):
            raise TacitError(
                f"k={self.k} is more than there are keys",
                code="out_of_range",
                parameter="k",
                fix=f"k is at most {len(self.keys)}",
            )
        PrivateStatistic.__post_init__(self)

    @property
    def choice(self) -> PermuteAndFlip:
        """The mechanism of one turn."""
        return PermuteAndFlip(
            sensitivity=Fraction(1),
            epsilon=self.epsilon / self.k,
            neighbours=self.neighbours,
            monotone=self.neighbours == "add_remove",
        )

    @property
    def mechanisms(self) -> tuple[PermuteAndFlip, ...]:
        """One choice for each of the k places."""
        return (self.choice,) * self.k

    def release(self, data: Iterable[object]) -> Estimate:
        """The chosen keys, the first one first."""
        found = key_indices(data, self.keys)
        counts = np.bincount(found[found >= 0], minlength=len(self.keys)).tolist()
        left, chosen = list(range(len(self.keys))), []
        for _ in range(self.k):
            chosen.append(left.pop(self.choice.release([counts[place] for place in left])))
        off = self.choice.shortfall(len(self.keys), 1 - 0.05 / self.k)
        return self._estimate(
            f"top {self.k}",
            tuple(self.keys[place] for place in chosen),
            None,
            "one record changes the count of a key by at most 1, in each of the k turns",
            notes=(f"with a chance of 95 % no key that was left had {off:.3g} records more than the one chosen",),
        )
