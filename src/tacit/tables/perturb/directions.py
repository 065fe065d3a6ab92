"""Which unsafe cells move up and which down: drawn at random near the relaxation, then made to agree, then improved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...progress import Progress, report
from .demands import Demands
from .moves import Moves

__all__ = ["Directed", "agreed", "drawn_directions", "improved"]


@dataclass(frozen=True, slots=True, eq=False)
class Directed:
    """Directions of the unsafe cells (True: up), the best moves for them, and how far cells fall short of their levels."""

    upward: np.ndarray
    moves: np.ndarray
    short: np.ndarray
    worth: float

    @classmethod
    def of(cls, program: Moves, upward: np.ndarray) -> Directed:
        """Solve for these directions."""
        moves, short = program.best(upward)
        return cls(upward, moves, short, program.demands.cost(moves) + program.penalty * float(short.sum()))


def drawn_directions(demands: Demands, relaxed: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Up with the chance that the relaxed move suggests: 1 where it lies at the upper level, 0 at the lower one (G-05).

    The draw matters for protection: the cheapest direction alone could be guessed.
    """
    both = demands.may_up & demands.may_down
    chance = np.clip((relaxed[demands.cells] + demands.down) / (demands.up + demands.down), 0.0, 1.0)
    found: np.ndarray = np.where(both, random.random(len(chance)) < chance, demands.may_up)
    return found


def agreed(program: Moves, start: Directed, random: np.random.Generator, *, rounds: int) -> Directed:
    """Turn cells that fall short, half of them by chance, until none does or the rounds are used; the best is returned."""
    both = program.demands.may_up & program.demands.may_down
    best = now = start
    for _ in range(rounds):
        if not best.short.any():
            break
        turned = (now.short > 0) & both & (random.random(len(both)) < 0.5)
        now = Directed.of(program, now.upward ^ turned)
        if now.worth < best.worth:
            best = now
    return best


def improved(
    program: Moves,
    start: Directed,
    random: np.random.Generator,
    *,
    enough: float,
    programs: int,
    progress: Progress | None = None,
) -> Directed:
    r"""Turn cells where the prices of the last program promise a gain: many at once, then fewer, then one by one.

    With the price :math:`\rho_i` that the rest of the table pays for a unit more in cell i, to turn it from up to down
    promises :math:`u (w - \rho) - l (w + \rho)`. Every step is tried by the linear program and kept only when it is better.
    A cost of ``enough`` ends it.
    """
    best, share, end = start, 1.0, program.programs + programs
    while program.programs < end and best.worth > enough:
        gain = _promised(program, best)
        able = np.flatnonzero(gain > 1e-12)
        count = int(share * len(able))
        if count < 2:
            break
        chosen = able[np.argsort(-gain[able], kind="stable")[:count]]
        best, better = _tried(program, best, chosen)
        share = share if better else share / 2
    both = np.flatnonzero(program.demands.may_up & program.demands.may_down)
    # one by one pays only where a pass over all unsafe cells fits into the budget
    passes = (end - program.programs) // max(1, len(both))
    for number in range(passes):
        before = best.worth
        for done, cell in enumerate(random.permutation(both)):
            if done % 50 == 0:
                report(progress, "improving directions", (number + done / len(both)) / passes)
            if best.worth <= enough:
                return best
            best, _ = _tried(program, best, np.array([cell]))
        if best.worth > before - 1e-9:
            break
    return best


def _promised(program: Moves, now: Directed) -> np.ndarray:
    demands = program.demands
    program.best(now.upward)
    dual = np.asarray(program.solver.getSolution().row_dual)
    rest = np.asarray(demands.problem.table.equations.matrix[:, demands.cells].T @ dual)
    price = demands.price[demands.cells]
    up, down = demands.up * (price - rest), demands.down * (price + rest)
    gain = np.where(now.upward, up - down, down - up)
    return np.where(demands.may_up & demands.may_down, gain, -np.inf)


def _tried(program: Moves, now: Directed, cells: np.ndarray) -> tuple[Directed, bool]:
    upward = now.upward.copy()
    upward[cells] = ~upward[cells]
    new = Directed.of(program, upward)
    return (new, True) if new.worth < now.worth - 1e-9 * max(1.0, abs(now.worth)) else (now, False)
