"""The enrolment game: how soon a few exact means give away that somebody is in the class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_int
from ..result import DisplayMixin, format_fact
from ..seed import make_generator

if TYPE_CHECKING:
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Enrolment(DisplayMixin):
    """A class of ``scores``, of which each of the ``queries`` shows the exact mean of ``drawn``, chosen anew."""

    scores: int
    drawn: int
    queries: int

    @property
    def in_one(self) -> Fraction:
        """The chance that a pupil's score is in a given mean: C(n−1, m−1) / C(n, m) = m/n."""
        return Fraction(comb(self.scores - 1, self.drawn - 1), comb(self.scores, self.drawn))

    @property
    def in_any(self) -> Fraction:
        """The chance that it is in any of the means: 1 − (1 − m/n)^queries."""
        return 1 - (1 - self.in_one) ** self.queries

    @property
    def error(self) -> Fraction:
        """How often the adversary is wrong, with even odds of being enrolled and a score that shows in every mean it is in.

        Seen means enrolled, for sure; unseen is taken for not enrolled: ½ (1 − ``in_any``).
        """
        return (1 - self.in_any) / 2

    def simulate(self, *, rounds: int, seed: Seed) -> tuple[float, float]:
        """The shares of means, and of rounds, with the first pupil among those drawn; a check of the formulas.

        The teacher's choices are drawn from the seed. O(rounds · queries · scores) time.
        """
        check_int("rounds", rounds, least=1)
        rng = make_generator(seed)
        # The first pupil is among those drawn when fewer than m of the others got a smaller lot.
        lots = rng.random((rounds, self.queries, self.scores))
        inside = (lots[:, :, 1:] < lots[:, :, :1]).sum(axis=2) < self.drawn
        return float(inside.mean()), float(np.any(inside, axis=1).mean())

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees."""
        yield "the game", f"{self.queries} means of {self.drawn} of {self.scores} scores"
        yield "a score is in one mean", f"{format_fact(100 * float(self.in_one))} %"
        yield "a score is in any of them", f"{format_fact(100 * float(self.in_any))} %"
        yield "adversary's error, even odds", f"{format_fact(100 * float(self.error))} %"

    def __repr__(self) -> str:
        return f"<Enrolment {self.queries} means of {self.drawn} of {self.scores}: {float(self.in_any):.2%} are seen>"


def enrolment(*, scores: int = 30, drawn: int = 3, queries: int = 5) -> Enrolment:
    r"""The game in which a teacher answers with means of a few scores, and an adversary asks whether Alice is enrolled.

    Each answer is the exact mean of ``drawn`` scores chosen at random; the adversary knows all other scores.

    .. math:: \binom{n-1}{m-1} \Big/ \binom{n}{m} = \frac{m}{n}, \qquad 1 - \left(1 - \frac{m}{n}\right)^q

    Means of three hide nobody: after five answers, two pupils in five have been in one. (A lecture has 10.7 % and 43.26 %,
    which are 3/28 and its complement's fifth power; with 30 scores it is 10 % and 40.95 %.) O(1).

    >>> print(enrolment())
    the game                      5 means of 3 of 30 scores
    a score is in one mean        10 %
    a score is in any of them     40.95 %
    adversary's error, even odds  29.52 %
    """
    for name, value in (("scores", scores), ("drawn", drawn), ("queries", queries)):
        check_int(name, value, least=1)
    if drawn > scores:
        raise TacitError(
            f"of {scores} scores {drawn} cannot be drawn",
            code="invalid_parameter",
            fix=f"give drawn from 1 to {scores}",
        )
    return Enrolment(scores=scores, drawn=drawn, queries=queries)
