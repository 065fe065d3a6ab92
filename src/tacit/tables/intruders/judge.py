"""The judge of attacks on tables: it alone knows the true figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import TacitError, format_value
from ...result import Result, Results
from ..problem import TOLERANCE, Problem
from ..table import Table
from .claims import CELL, CellClaims
from .knowledge import known_owners

EXACT = 1e-9
"""Two figures that differ by less than this share are one: the rest is rounding of sums."""


def judge_claims(claims: CellClaims, problem: Problem | Table, *, within: float = 0.0) -> Results:
    r"""How many cells and respondents the claims disclose, exactly and to within a share.

    A claim about a true figure t is off by

    .. math:: e = \frac{|estimate - t|}{|t|}, \text{ or } e = \frac{\max(high - t,\ t - low)}{|t|}

    where the attack names no one number (a figure of zero is off by nothing or by infinitely much). It discloses when
    :math:`e < within`, as in the p %-rule, or when it is exact. ``value`` counts what is disclosed, a cell or a respondent in a cell once, however many claim it.
    ``facts``: claims; how many disclose exactly; the smallest error; how many intervals do not hold the true figure, which is
    0 unless figures were perturbed or the intruder assumed what is not so. One result for cells, one for respondents.
    Attribute disclosure, measured. O(claims log claims).

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> table = Table(
    ...     labels=pl.DataFrame({"a": ["x", "y"]}), values=np.array([10.0, 50.0]), equations=Equations.of(np.zeros((0, 2)))
    ... )
    >>> cells = np.array([0, 1])
    >>> claims = CellClaims(cells=cells, owners=np.array([-1, -1]), low=np.array([10.0, 40.0]), high=np.array([10.0, 54.0]))
    >>> [judge_claims(claims, table, within=share)["cells disclosed"].value for share in (0.0, 0.2, 0.25)]
    [1, 1, 2]
    """
    if not within >= 0:
        raise TacitError(
            f"within={format_value(within)} is no share from 0 on",
            code="out_of_range",
            parameter="within",
            fix="e.g. within=0.1 for 10 %",
        )
    table = problem.table if isinstance(problem, Problem) else problem
    truth = _true_figures(claims, table)
    worse = np.maximum(claims.high - truth, truth - claims.low)
    off = worse if claims.estimate is None else np.abs(claims.estimate - truth)
    scale = np.abs(truth)
    tiny = EXACT * np.maximum(scale, np.abs(table.values).max(initial=0.0) * 1e-3)
    # A cell that is protected to the tolerance of its level is protected: what the audit accepts is no disclosure here.
    near = (off <= tiny) | (off < within * scale - TOLERANCE * np.maximum(1.0, within * scale))
    right = (claims.low <= truth + tiny) & (claims.high >= truth - tiny)
    error = np.divide(off, scale, out=np.full(len(off), np.inf), where=scale > 0)
    error[off <= tiny] = 0.0
    about = {"cells disclosed": claims.owners == CELL, "respondents disclosed": claims.owners != CELL}
    return Results(
        tuple(
            _disclosure_result(name, _ScoredClaims(claims, chosen, near=near, error=error, right=right), within)
            for name, chosen in about.items()
        )
    )


@dataclass(frozen=True, slots=True)
class _ScoredClaims:
    """The claims of one kind, and how good each claim is."""

    claims: CellClaims
    chosen: np.ndarray
    near: np.ndarray
    error: np.ndarray
    right: np.ndarray

    def count_targets(self, which: np.ndarray) -> int:
        """How many cells, or respondents in cells, these claims are about."""
        pairs = np.stack([self.claims.cells, self.claims.owners], axis=1)
        return len(np.unique(pairs[self.chosen & which], axis=0))


def _true_figures(claims: CellClaims, table: Table) -> np.ndarray:
    """What is claimed, as it really is."""
    truth: np.ndarray = table.values[claims.cells].astype(np.float64)
    about = np.flatnonzero(claims.owners != CELL)
    if not len(about):
        return truth
    kept = table.contributions
    same = known_owners(table)[claims.cells[about]] == claims.owners[about, None]
    if kept is None or not same.any(axis=1).all():
        raise TacitError(
            "a claim is about a respondent whose contribution the table does not keep",
            code="invalid_table",
            fix="judge with the table from which the intruder's knowledge was made",
        )
    truth[about] = np.where(same, (kept.values * kept.weights)[claims.cells[about]], 0.0).sum(axis=1)
    return truth


def _disclosure_result(name: str, scored: _ScoredClaims, within: float) -> Result:
    least = float(scored.error[scored.chosen].min(initial=np.inf))
    facts: dict[str, object] = {
        "claims": int(scored.chosen.sum()),
        "exactly": scored.count_targets(scored.error == 0),
        "within": within,
    }
    if np.isfinite(least):
        facts["smallest error"] = least
    facts["wrong claims"] = int((scored.chosen & ~scored.right).sum())
    if scored.claims.notes:
        facts["notes"] = "; ".join(scored.claims.notes)
    return Result(name=name, value=scored.count_targets(scored.near), worse="high", about="attribute", facts=facts)
