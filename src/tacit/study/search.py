"""In which order candidates are tried: all combinations of a grid, or at random.

Every search is asked for a fixed number of candidates at a time and told what came of them, so that with the same seed
it asks for the same ones, however many processes there are and however long they take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Protocol

from ..errors import TacitError
from ..seed import child, generator
from .candidate import Candidate
from .front import Place
from .space import Strategy

TRIES = 50
"""How often a search looks for a candidate that it has not tried before it gives up: the space is exhausted."""


class Search(Protocol):
    """Asks for candidates and learns from what is told of them."""

    def ask(self, count: int) -> list[Candidate]:
        """At most so many candidates that were not asked before; none when there are no more."""

    def tell(self, found: Sequence[Place | None]) -> None:
        """Where the candidates asked last lie, in their order; None for one that failed."""


class Grid:
    """All combinations of equally spaced levels, as many levels as ``most`` candidates allow for each strategy.

    The strategies share the candidates evenly, and take turns in random order, so that a search that is cut short has
    seen some of everything.

    >>> swap = Strategy.of("swap", [{"method": "rank_swap", "columns": ["pay"], "percent": {"from": 1, "to": 21}}])
    >>> sorted(found.values["percent"] for found in Grid([swap], most=5, seed=1).ask(9))
    [1, 6, 11, 16, 21]
    """

    def __init__(self, strategies: Sequence[Strategy], *, most: int, seed: int | bytes) -> None:
        shares = [most // len(strategies) + (place < most % len(strategies)) for place in range(len(strategies))]
        lists = [
            _shuffled(_levelled(strategy, share), child(seed, "grid", place))
            for place, (strategy, share) in enumerate(zip(strategies, shares, strict=True))
        ]
        longest = max(map(len, lists))
        turns = [found[turn] for turn in range(longest) for found in lists if turn < len(found)]
        self._left = list({candidate.key: candidate for candidate in turns}.values())

    def ask(self, count: int) -> list[Candidate]:
        """The next ones."""
        asked, self._left = self._left[:count], self._left[count:]
        return asked

    def tell(self, found: Sequence[Place | None]) -> None:
        """A grid learns nothing."""


class Random:
    """A strategy at random, and each of its open parameters at random.

    >>> swap = Strategy.of("swap", [{"method": "rank_swap", "columns": ["pay"], "percent": {"from": 1, "to": 3}}])
    >>> sorted(found.values["percent"] for found in Random([swap], seed=1).ask(9))
    [1, 2, 3]
    """

    def __init__(self, strategies: Sequence[Strategy], *, seed: int | bytes) -> None:
        self._strategies, self._draw = strategies, generator(child(seed, "random"))
        self._seen: set[str] = set()

    def ask(self, count: int) -> list[Candidate]:
        """Some that were not asked before."""
        return unseen(self._one, count, self._seen)

    def tell(self, found: Sequence[Place | None]) -> None:
        """Chance learns nothing."""

    def _one(self) -> Candidate:
        strategy = self._strategies[int(self._draw.integers(len(self._strategies)))]
        return Candidate.of(strategy, {path: given.at(self._draw.random()) for path, given in strategy.open.items()})


def unseen(draw: Callable[[], Candidate], count: int, seen: set[str]) -> list[Candidate]:
    """So many different candidates that are not among those ``seen``, which they then are."""
    found: list[Candidate] = []
    tries = 0
    while len(found) < count and tries < TRIES:
        candidate = draw()
        tries += 1
        if candidate.key not in seen:
            seen.add(candidate.key)
            found.append(candidate)
            tries = 0
    return found


def _levelled(strategy: Strategy, most: int) -> list[Candidate]:
    """Every combination of the most levels that give no more than ``most`` candidates."""
    if not most:
        return []
    opened = strategy.open
    lists = [given.levels(1) for given in opened.values()]
    if prod(map(len, lists)) > most:
        raise TacitError(
            f"the choices of the strategy {strategy.name!r} alone make {prod(map(len, lists))} candidates, and it may have {most}",
            fix="allow more candidates, leave choices out, or search at random or with the optimiser",
        )
    for count in range(2, most + 1):
        finer = [given.levels(count) for given in opened.values()]
        if prod(map(len, finer)) > most:
            break
        lists = finer
    return [Candidate.of(strategy, dict(zip(opened, values, strict=True))) for values in product(*lists)]


def _shuffled(candidates: list[Candidate], seed: bytes) -> list[Candidate]:
    return [candidates[place] for place in generator(seed).permutation(len(candidates))]
