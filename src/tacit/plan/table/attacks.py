"""The attacks that every job on tables makes, before and after the protection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import TacitError
from ...result import Result
from ...tables.intruders.claims import CELL
from ...tables.intruders.coalition import Coalition
from ...tables.intruders.external import External
from ...tables.intruders.judge import judged
from ...tables.intruders.knowledge import Knowledge
from ...tables.intruders.rival import Rival
from ...tables.problem import Problem
from ...tables.published import Published
from ...tables.rules.p_percent import PPercent
from ...tables.rules.rule import Rule

__all__ = ["attacks_on", "nearness", "unmade"]

ATTACKS: dict[str, External | Rival | Coalition] = {
    "outsider who knows the numbers of respondents": External(),
    "second largest respondent": Rival(n=1),
    "respondent of a cell of two": Coalition(c=1),
    "two respondents of a cell of three": Coalition(c=2),
}
"""Who attacks: what the reader sees of it, and how."""


def nearness(rules: Sequence[Rule]) -> float:
    """Within what share a contribution counts as known: the p of the p %-rule, else only exactly."""
    return max((rule.p / 100 for rule in rules if isinstance(rule, PPercent)), default=0.0)


def attacks_on(
    problem: Problem, published: Published, *, hidden: np.ndarray | None = None, within: float = 0.0
) -> tuple[Result, ...]:
    """How many respondents each intruder finds out about (G-02); nothing where the table does not tell who contributes, or
    counts respondents, of each of whom everybody knows that it adds one.

    ``published`` should have every suppressed cell narrowed to its interval, as somebody who can do the sums would start.
    """
    if problem.table.contributions is None or problem.table.counts:
        return ()
    return tuple(_made(problem, published, hidden, within))


def unmade(problem: Problem) -> tuple[str, ...]:
    """Which attacks cannot be made on the table, and why: what is not tried must not look as if it had failed."""
    table = problem.table
    if table.counts:
        return ()
    kept = 0 if table.contributions is None else table.contributions.values.shape[1]
    if kept >= 3:
        return ()
    said = "no contribution" if not kept else "the largest contribution" if kept == 1 else "two contributions"
    return (f"attacks by respondents were not all made: the table keeps {said} to each cell",)


def _made(problem: Problem, published: Published, hidden: np.ndarray | None, within: float) -> Iterator[Result]:
    knowledge = Knowledge.of(problem.table, counts="all", hidden=hidden)
    for name, attack in ATTACKS.items():
        try:
            claims = attack.claims(published, knowledge)
        except TacitError:
            continue  # the table keeps too few contributions to a cell for so many intruders
        if len(claims) and (claims.owners != CELL).any():
            found = judged(claims, problem, within=within).of("respondents disclosed")[0]
            facts = {key: value for key, value in found.facts.items() if key not in ("notes", "wrong claims")}
            yield Result(name=found.name, column=name, value=found.value, worse="high", about="attribute", facts=facts)
