"""Logistic regression on everybody's rows: Newton's steps, each from one secure sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_int
from ..agreement.section import one_of
from ..statistics.column import NumericColumn, parse_column
from ..statistics.feasibility import Check, InfeasibleSums, check_rows
from .learner import Add, Figures

GRID = 2.0**30
"""Coefficients are kept to 2^−30, so that all parties go on from the same ones whatever their machines round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticRegression:
    r"""Maximum likelihood of a 0/1 ``target`` on all other columns, by :math:`\beta \leftarrow \beta + H^{-1} g`.

    Columns are scaled to [0, 1] by their agreed bounds. Each party rounds its part of the gradient :math:`g = \sum z (y - p)` and of
    :math:`H = \sum p(1-p) z z'` once, to 2^−``bits``: the fixed point is that of the pooled data up to
    :math:`n\,2^{-bits-1} \lVert H^{-1} \rVert`. The agreed number of rounds is always done. **All learn** g and H at every step.
    """

    columns: tuple[NumericColumn, ...]
    rows: int
    target: NumericColumn
    rounds: int
    bits: int

    @classmethod
    def of(cls, task: Mapping[str, Any], rows: int, room: int) -> LogisticRegression:
        """From ``[task]``: columns, ``target`` with the bounds 0 and 1, and ``rounds``."""
        columns = {name: parse_column(name, given) for name, given in task["columns"].items()}
        target = columns.pop(one_of(task, "target", list(columns)))
        if (target.low, target.high, target.decimals) != (0, 1, 0):
            raise TacitError(
                "is no column of yes and no", code="not_boolean", column=target.name, fix="low = 0, high = 1"
            )
        check_int("rounds", task.get("rounds", 12), least=1)
        bits = min(40, room.bit_length() - 1)
        if bits < 16:
            raise TacitError(
                "the modulus leaves no room for fractions",
                code="invalid_protocol_input",
                fix="fewer rows, or 2^64",
                where="session.modulus",
            )
        rounds = task.get("rounds", 12)
        return cls(columns=tuple(columns.values()), rows=rows, target=target, rounds=rounds, bits=bits)

    @property
    def side_information(self) -> str:
        """What Newton's steps are made of."""
        return f"gradient and curvature of each of {self.rounds} steps"

    def max_sum(self, parties: int) -> int:
        """A row adds at most 1 to any sum."""
        return parties * (self.rows * (1 << self.bits) + 1)

    def load_input(self, frame: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """The scaled columns with a 1 in front, and the target."""
        scaled = [np.ones(frame.height)]
        for one in self.columns:
            scaled.append((np.array(one.units(frame), float) / 10**one.decimals - one.low) / (one.high - one.low))
        return np.column_stack(scaled), np.array(self.target.units(frame), float)

    async def learn(self, own: tuple[np.ndarray, np.ndarray], add: Add) -> Figures:
        """One secure sum a round."""
        z, y = own
        size, upper = z.shape[1], np.triu_indices(z.shape[1])
        beta, step = np.zeros(size), np.inf
        (rows,) = await add([len(y)], lambda sums, parties: check_rows(sums[0], parties * self.rows))
        feasible = self._feasibility_check(rows - len(y), size)
        for _ in range(self.rounds):
            p = 1 / (1 + np.exp(-np.clip(z @ beta, -500, 500)))
            curvature = (z.T * (p * (1 - p))) @ z
            mine = np.concatenate([z.T @ (y - p), curvature[upper]])
            units = await add([round(number * 2**self.bits) for number in mine.tolist()], feasible)
            sums = np.array(units) / 2**self.bits
            hessian = np.zeros((size, size))
            hessian[upper] = sums[size:]
            hessian = hessian + np.triu(hessian, 1).T
            moved = _newton_step(hessian, sums[:size])
            beta, step = np.round((beta + moved) * GRID) / GRID, float(np.abs(moved).max())
        if not step < 1e-5:
            raise _no_fit()
        return {"rows": rows} | self._unscaled_figures(beta, np.linalg.inv(hessian)) | {"last step": step}

    def _feasibility_check(self, rows: int, size: int) -> Check:
        """So many rows change a part of the gradient by 1 each at most, one of the curvature by 1/4 and never downwards."""

        def check(sums: list[int], parties: int) -> None:
            whole = rows << self.bits
            room = parties + (whole >> 20)  # for rounding: of each party's sum, and of the numbers in it
            gradient, curvature = sums[:size], sums[size:]
            if max(map(abs, gradient)) > whole + room:
                raise InfeasibleSums("the gradient is beyond what the rows allow")
            if min(curvature) < -room or max(curvature) > whole // 4 + room:
                raise InfeasibleSums("the curvature is beyond what the rows allow")
            if max(curvature) > curvature[0] + room:
                raise InfeasibleSums("the curvature is beyond that of the intercept")

        return check

    def _unscaled_figures(self, beta: np.ndarray, spread: np.ndarray) -> Figures:
        """In the columns' own measure."""
        widths = np.array([one.high - one.low for one in self.columns])
        slopes = beta[1:] / widths
        intercept = beta[0] - slopes @ np.array([one.low for one in self.columns]) if len(widths) else beta[0]
        errors = np.sqrt(np.diag(spread))[1:] / widths
        names = [one.name for one in self.columns]
        coefficients = {"intercept": float(intercept)} | dict(zip(names, slopes.tolist(), strict=True))
        return {"coefficients": coefficients, "standard errors": dict(zip(names, errors.tolist(), strict=True))}


def _newton_step(hessian: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    try:
        found = np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError:
        raise _no_fit() from None
    if not np.isfinite(found).all() or np.abs(found).max() > 1e6:
        raise _no_fit()
    return found


def _no_fit() -> TacitError:
    return TacitError(
        "the regression has no finite fit, or needs more rounds",
        code="not_finite",
        fix="leave out columns that are constant, depend on each other or tell the target apart; or agree on more rounds",
    )
