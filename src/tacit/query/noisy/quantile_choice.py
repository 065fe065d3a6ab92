"""The exponential mechanism over the bins of a column: which bin holds the quantile of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...dp.cost import Unit
from ...dp.mechanisms.choice import Exponential, PermuteAndFlip
from ...dp.mechanisms.noise_distribution import NoiseDistribution, Sensitivity
from ..column import Column
from ..question import Key
from .sensitivity import PrivacyDefinition, of_rows

MOST_BINS = 1_000
"""A quantile is picked among so many bins at the most."""


@dataclass(frozen=True, slots=True, order=True)
class QuantileChoice:
    """The bin of ``width`` steps in which the quantile of order ``share`` lies, chosen with noise.

    The score of a bin is how many rows the quantile is away from it, in ``share.denominator``-ths of a row: 0 for the bin
    that holds it. With L rows below the bin, U up to its end and n in all, for share p/q: max(q·L − p·n, p·n − q·U, 0).
    """

    column: str
    low: int
    high: int
    width: int
    share: Fraction

    @property
    def key(self) -> Key:
        """What to group by, besides the keys of the question, to count the rows of each bin."""
        return Key(self.column, self.width)

    @property
    def bins(self) -> int:
        """How many there are to choose from."""
        return (self.high - self.low) // self.width + 1

    def bin_index(self, code: int) -> int:
        """The bin of a value."""
        return (code - self.low) // self.width

    def bin_middle(self, place: int) -> int:
        """The value that stands for a bin."""
        first = self.low + place * self.width
        return (first + min(first + self.width - 1, self.high)) // 2

    def sensitivity(self, *, groups: int | None, promise: PrivacyDefinition) -> Sensitivity:
        """A row moves a score by at most p or q − p: as a sum to which rows bring −p to q − p."""
        p, q = self.share.numerator, self.share.denominator
        return of_rows(-p, q - p, groups=groups, promise=promise)

    def noise_distribution(self, reach: Sensitivity, spend: Fraction, unit: Unit) -> NoiseDistribution:
        """Noise that hides twice the change of a score from ε; for ρ see ``quantile_choice.md``."""
        doubled = Sensitivity(2 * reach.l1, reach.l2_squared)
        return NoiseDistribution.of(doubled, spend, unit)

    def scores(self, counts: Mapping[int, int]) -> list[int]:
        """The score of each bin from the numbers of rows in those that have any. O(bins)."""
        p, q = self.share.numerator, self.share.denominator
        aim, below, found = p * sum(counts.values()), 0, []
        for place in range(self.bins):
            upto = below + counts.get(place, 0)
            found.append(max(q * below - aim, aim - q * upto, 0))
            below = upto
        return found

    def draw_quantile(self, counts: Mapping[int, int], law: NoiseDistribution) -> int:
        """A value at or near the quantile: the middle of the bin with the least noisy score."""
        choose = PermuteAndFlip if law.unit == "epsilon" else Exponential
        # Scores in units of one: 2/scale is the ε that gives this scale, whatever it stands for in the ledger.
        one = choose(sensitivity=Fraction(1), epsilon=2 / Fraction(law.scale), neighbours="add_remove")
        return self.bin_middle(one.release([-score for score in self.scores(counts)]))


def choose_quantile(column: Column, share: Fraction) -> QuantileChoice:
    """The quantile of a column over at most a thousand bins between its declared bounds."""
    low, high = column.bounds()
    return QuantileChoice(column.name, low, high, -(-(high - low + 1) // MOST_BINS), share)
