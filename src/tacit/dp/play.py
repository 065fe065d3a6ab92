"""The game played: the adversary's error and what the answers are still worth, from no noise to very much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from ..errors import TacitError, check_int, format_value
from ..result import DisplayMixin, format_fact
from .game import game
from .noise import with_laplace

MOST = 10**6
"""Rounds of a game, and how wide its noise may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One amount of noise: how often the adversary was wrong, and how far the answers were off on average.

    ``expected_error`` and ``expected_off`` are what the law of the noise says of the two.
    """

    name: str
    scale: float
    error: float
    off: float
    expected_error: float
    expected_off: float


@dataclass(frozen=True, slots=True, repr=False)
class GameResults(DisplayMixin):
    """What came of the game at each level of noise."""

    answers: tuple[int, int]
    rounds: int
    levels: tuple[Level, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees."""
        yield "the game", f"{self.answers[0]} or {self.answers[1]}? {self.rounds:,} rounds, even odds"
        for level in self.levels:
            wrong = f"wrong in {100 * level.error:.1f} % of the rounds (by the law {100 * level.expected_error:.1f} %)"
            yield f"{level.name} noise", f"adversary {wrong}; answers off by {format_fact(level.off)}"

    def __repr__(self) -> str:
        return f"<Played {self.rounds:,} rounds at {', '.join(level.name for level in self.levels)} noise>"


def play(scales: Mapping[str, float], *, answers: tuple[int, int] = (5, 6), rounds: int = 1000) -> GameResults:
    r"""Play the game with noise of each of the ``scales`` by name, half of the rounds with each database.

    With no noise the adversary is never wrong; with very much it flips a coin, and so might the analyst: a defence that
    is judged by the adversary's error alone is made of straw, since any constant is safe. Read the two figures together.

    The noise is discrete Laplace from the library's secure source, so that no two games are equal. The adversary says the
    nearer answer and flips a coin between equally near ones (counted as half an error); no other is wrong less often.
    Expected: :func:`~tacit.dp.game.game` with ε = d/scale, and answers off by :math:`2\alpha/(1-\alpha^2)`,
    :math:`\alpha = e^{-1/scale}`. O(rounds) draws for each scale.

    >>> found = play({"no": 0, "small": 0.2, "very large": 1000}, rounds=200)
    >>> [(level.name, round(level.expected_error, 4), round(level.expected_off, 3)) for level in found.levels]
    [('no', 0.0, 0.0), ('small', 0.0067, 0.013), ('very large', 0.4998, 1000.0)]
    >>> found.levels[0].error
    0.0
    """
    check_int("rounds", rounds, least=2)
    if rounds > MOST or rounds % 2:
        raise TacitError(
            f"rounds={rounds} is odd or above {MOST:,}",
            code="invalid_parameter",
            parameter="rounds",
            fix="half of the rounds are of each database",
        )
    for answer in answers:
        check_int("an answer", answer, least=-(2**53))
    if answers[0] == answers[1]:
        raise TacitError(
            "both databases have the same answer",
            code="conflicting_parameters",
            fix="give two different ones, e.g. answers=(5, 6)",
        )
    return GameResults(
        answers, rounds, tuple(_play_level(name, scale, answers, rounds) for name, scale in scales.items())
    )


def _play_level(name: str, scale: object, answers: tuple[int, int], rounds: int) -> Level:
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 <= scale <= MOST:
        raise TacitError(
            f"the {name} noise has the scale {format_value(scale)}",
            code="invalid_parameter",
            fix=f"give a number from 0 (none) to {MOST:,}",
        )
    pairs = [(answer, answers[1 - place]) for place, answer in enumerate(answers)]
    given = [(with_laplace([true] * (rounds // 2), scale) if scale else [true], true, other) for true, other in pairs]
    wrong = [_adversary_error(out, true, other) for published, true, other in given for out in published]
    off = list(chain.from_iterable((abs(out - true) for out in published) for published, true, _ in given))
    return Level(
        name=name,
        scale=float(scale),
        error=sum(wrong) / len(wrong),
        off=sum(off) / len(off),
        expected_error=_expected_error(scale, answers),
        expected_off=1 / math.sinh(1 / scale) if scale > 1 / 700 else 0.0,
    )


def _adversary_error(published: int, true: int, other: int) -> float:
    """1 when the adversary takes the answer for the other's, ½ when it flips a coin."""
    nearer, farther = abs(published - true), abs(published - other)
    return 0.5 if nearer == farther else float(nearer > farther)


def _expected_error(scale: float, answers: tuple[int, int]) -> float:
    if not scale:
        return 0.0
    return float(game(abs(answers[1] - answers[0]) / Fraction(scale), answers=answers, law="discrete laplace").error)
