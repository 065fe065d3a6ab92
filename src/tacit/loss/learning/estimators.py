"""Which estimator predicts: a fast one by its name, or any of scikit-learn's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative

Estimator: TypeAlias = Any
"""A name of ``NAMES``, or an object of scikit-learn's with ``fit`` and ``predict``."""
NAMES = ("boosting", "linear", "neighbours", "tree")
TREES = 150
"""So many trees are grown at most, however many categories there are to tell apart."""
CLASSES = 30
"""With more categories than these boosting would grow a tree for each in every round: one tree tells all apart instead."""


@dataclass(frozen=True, slots=True)
class LearningTask:
    """What is to be learnt: from how many records, how many categories (0: numbers), which columns hold codes."""

    records: int
    classes: int
    categorical: np.ndarray | None = None


def checked_estimator(estimator: Estimator) -> None:
    """Refuse what is neither a name nor an object with ``fit`` and ``predict``."""
    if isinstance(estimator, str):
        if estimator not in NAMES:
            raise TacitError(f"estimator={estimator!r} is unknown", fix=suggest_alternative(estimator, NAMES))
        return
    lacking = [one for one in ("fit", "predict") if not callable(getattr(estimator, one, None))]
    if isinstance(estimator, type) or lacking:
        what = "is a class" if isinstance(estimator, type) else f"has no {' and no '.join(lacking)}"
        raise TacitError(
            f"the estimator {what} ({format_value(estimator)})",
            fix=f"give one of {', '.join(NAMES)}, or an object such as sklearn.ensemble.RandomForestClassifier()",
        )


def takes_codes(estimator: Estimator) -> bool:
    """Whether it learns from codes and gaps as they are; all others get numbers without gaps."""
    return isinstance(estimator, str) and estimator in ("boosting", "tree")


def make_estimator(estimator: Estimator, task: LearningTask, rng: np.random.Generator) -> Any:
    """A fresh estimator for the task; what it draws is drawn from ``rng``, unless its own state was set.

    ============== ============================================= ======================================
    name           categories                                    numbers
    ============== ============================================= ======================================
    ``boosting``   histogram gradient boosting, at most 150 trees the same
    ``linear``     logistic regression                           ridge regression
    ``neighbours`` the 5 nearest                                 their mean
    ``tree``       one tree                                      one tree
    ============== ============================================= ======================================

    With more than 30 categories ``boosting`` is one tree.
    """
    state = int(rng.integers(2**31))
    if not isinstance(estimator, str):
        return _clone_estimator(estimator, task, state)
    kind = "tree" if estimator == "boosting" and task.classes > CLASSES else estimator
    leaf = int(np.clip(task.records // (25 * max(2, task.classes)), 1, 20))
    if kind == "boosting":
        return _gradient_boosting(task, leaf, state)
    if kind == "tree":
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        tree = DecisionTreeClassifier if task.classes else DecisionTreeRegressor
        return tree(min_samples_leaf=leaf, random_state=state)
    if kind == "neighbours":
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

        return (KNeighborsClassifier if task.classes else KNeighborsRegressor)(n_neighbors=min(5, task.records))
    from sklearn.linear_model import LogisticRegression, Ridge

    return LogisticRegression(max_iter=200) if task.classes else Ridge()


def _gradient_boosting(task: LearningTask, leaf: int, state: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    each = task.classes if task.classes > 2 else 1
    options = {
        "max_iter": int(np.clip(TREES // each, 10, 100)),
        "min_samples_leaf": leaf,
        "early_stopping": False,
        "categorical_features": task.categorical,
        "random_state": state,
    }
    return (HistGradientBoostingClassifier if task.classes else HistGradientBoostingRegressor)(**options)


def _clone_estimator(estimator: Any, task: LearningTask, state: int) -> Any:
    from sklearn.base import clone, is_classifier, is_regressor

    told = hasattr(estimator, "__sklearn_tags__")
    if told and (is_regressor if task.classes else is_classifier)(estimator):
        says, needs = ("numbers", "categories") if task.classes else ("categories", "numbers")
        raise TacitError(
            f"the estimator predicts {says} ({format_value(estimator)}) where {needs} are to be learnt",
            fix="give a classifier for categories and a regressor for amounts and dates, or change the column's kind",
        )
    fresh = clone(estimator, safe=False)
    if hasattr(fresh, "get_params"):
        open_states = {
            name: state
            for name, value in fresh.get_params(deep=True).items()
            if value is None and name.split("__")[-1] == "random_state"
        }
        fresh.set_params(**open_states)
    return fresh
