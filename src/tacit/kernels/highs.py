"""Linear and integer programs for HiGHS: one thread, silent, the same answer on every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from highspy import Highs


INFINITE = float("inf")


def quiet_solver(**options: float | int | str | bool) -> Highs:
    """A solver that prints nothing and runs on one thread, so that the same input gives the same answer."""
    from highspy import Highs

    solver = Highs()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        solver.setOptionValue(name, value)
    return solver


def pass_program(
    solver: Highs,
    matrix: Any,
    *,
    columns: tuple[np.ndarray, np.ndarray],
    rows: tuple[np.ndarray, np.ndarray],
    costs: np.ndarray,
    whole: np.ndarray | None = None,
) -> None:
    """Hand over: minimise costs·x under rows[0] ≤ matrix x ≤ rows[1] and columns[0] ≤ x ≤ columns[1]; ``whole`` x are integers."""
    from highspy import HighsLp, HighsVarType, MatrixFormat

    stored = sp.csc_matrix(matrix)
    model = HighsLp()
    model.num_row_, model.num_col_ = stored.shape
    model.col_cost_ = np.asarray(costs, dtype=np.float64)
    model.col_lower_, model.col_upper_ = (np.asarray(side, dtype=np.float64) for side in columns)
    model.row_lower_, model.row_upper_ = (np.asarray(side, dtype=np.float64) for side in rows)
    model.a_matrix_.format_ = MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = stored.indptr, stored.indices, stored.data
    if whole is not None:
        kinds = (HighsVarType.kContinuous, HighsVarType.kInteger)
        model.integrality_ = [kinds[int(one)] for one in whole]
    solver.passModel(model)
