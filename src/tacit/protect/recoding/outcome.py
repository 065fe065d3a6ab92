"""From the groups that a search found to the masked release, its trace and its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...release.masked import Masked
from ...release.trace import Finding, Trace
from .._verification import verify_models
from .clustering import merge_equal_labels
from .labelling import recode_release

if TYPE_CHECKING:
    from .problem import Problem


def masked_by(method: Any, problem: Problem, of_cell: np.ndarray) -> Masked:
    """The masked release; the outcome has the number of groups, and of the cells that had to be blanked."""
    groups = merge_equal_labels(problem, of_cell)
    release = recode_release(problem, groups)
    blanks = {column: count for column, count in release.suppressed.items() if column in release.mixed}
    trace = Trace.of(
        method,
        groups=Finding(int(groups.max()) + 1, publishable=True),
        blanked=Finding(blanks, publishable=True, counts=True),
    )
    return verify_models(Masked(release, (trace,)), method.models)
