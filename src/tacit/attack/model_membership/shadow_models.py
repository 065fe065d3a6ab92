"""Shadow models: the same algorithm, trained many times on known halves of a pool."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ...errors import format_value
from ...progress import Progress, report_progress
from .data import LabelledData
from .model import Model, call_quietly, wrap_model

LARGEST_STATE = 2**31 - 1


def no_estimator(estimator: Any) -> str | None:
    """Why no shadow can be trained by this algorithm; None when it can."""
    if estimator is None:
        return "nobody said by which algorithm the model was fitted (estimator=)"
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        return f"estimator={format_value(estimator)} is no scikit-learn estimator that can be fitted"
    return None


def random_halves(size: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Which records each shadow is trained on: random halves, every second one the rest of that before.

    So each record is in half of them (but for an odd last one), which a likelihood ratio needs. A count × size matrix.

    >>> random_halves(4, 2, np.random.default_rng(1)).sum(axis=0).tolist()
    [1, 1, 1, 1]
    """
    inside = np.zeros((count, size), dtype=bool)
    for shadow in range(count):
        if shadow % 2:
            inside[shadow] = ~inside[shadow - 1]
        else:
            inside[shadow, rng.permutation(size)[: (size + 1) // 2]] = True
    return inside


def train_shadows(
    estimator: Any, pool: LabelledData, inside: np.ndarray, rng: np.random.Generator, progress: Progress | None
) -> Iterator[Model]:
    """The shadow of each row of ``inside``, one after the other: they are large, and asked once. Single-threaded."""
    from sklearn.base import clone
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    for number, rows in enumerate(inside):
        report_progress(progress, "training shadow models", number / len(inside))
        shadow = clone(estimator)
        _fix_randomness(shadow, int(rng.integers(LARGEST_STATE)))
        part = pool.take(np.flatnonzero(rows))
        with threadpool_limits(1):
            call_quietly(partial(shadow.fit, y=part.labels), part.records, "no shadow could be trained")
            yield wrap_model(shadow, part.labels)


def _fix_randomness(estimator: Any, state: int) -> None:
    """Every draw from our seed, and no processes of its own."""
    changes = {name: state for name in estimator.get_params() if name.split("__")[-1] == "random_state"}
    alone = {name: None for name in estimator.get_params() if name.split("__")[-1] == "n_jobs"}
    estimator.set_params(**changes, **alone)
