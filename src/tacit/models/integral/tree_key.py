"""A decision tree as nested tuples: grown, asked, written, and as scikit-learn holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...result import shown
from .design import Amount, Design

__all__ = ["answered", "grown", "lines", "tree_estimator"]


def grown(features: np.ndarray, target: np.ndarray, *, depth: int, least: int) -> Any:
    """The key of the CART tree of some records of whole numbers; what it is depends on no order of the records.

    Two columns that part the records equally well are told apart by a fixed draw over the columns.
    """
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=least, random_state=0).fit(features, target)
    tree, classes = fitted.tree_, fitted.classes_

    def key(node: int) -> Any:
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            return int(classes[tree.value[node, 0].argmax()])
        below, above = key(left), key(right)
        if below == above:
            return below
        return int(tree.feature[node]), int(np.floor(tree.threshold[node])) + 1, below, above

    return key(0)


def answered(key: Any, features: np.ndarray) -> np.ndarray:
    """What the tree says of each record. O(n · depth)."""
    said = np.empty(len(features))

    def ask(part: Any, rows: np.ndarray) -> None:
        if isinstance(part, int):
            said[rows] = part
            return
        column, cut, below, above = part
        under = features[rows, column] < cut
        ask(below, rows[under])
        ask(above, rows[~under])

    ask(key, np.arange(len(features)))
    return said


def lines(key: Any, design: Design, classes: tuple[str, ...], depth: int = 0) -> Iterator[tuple[str, str]]:
    """A question, what follows where it is so, ``else`` and what follows where it is not."""
    if isinstance(key, int):
        yield "  " * depth + "always", classes[key]
        return
    column, cut, below, above = key
    feature, place = design.columns(every_label=True)[column]
    if isinstance(feature, Amount):
        question, sides = f"{feature.column} < {shown(cut * feature.step)}", (below, above)
    else:
        label = feature.labels[place]
        question, sides = f"{feature.column} is {'missing' if label is None else label}", (above, below)
    for asked, side in zip((question, "else"), sides, strict=True):
        if isinstance(side, int):
            yield "  " * depth + asked, classes[side]
        else:
            yield "  " * depth + asked, ""
            yield from lines(side, design, classes, depth + 1)


def tree_estimator(key: Any, width: int, classes: tuple[str, ...], *, depth: int) -> Any:
    """The same tree as a fitted classifier of scikit-learn's, by the state in which it pickles trees."""
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree._tree import NODE_DTYPE, Tree

    nodes: list[tuple[int, int, int, float]] = []
    says: list[int] = []

    def put(part: Any) -> int:
        number = len(nodes)
        nodes.append((-1, -1, -2, -2.0))
        says.append(part if isinstance(part, int) else 0)
        if not isinstance(part, int):
            column, cut, below, above = part
            nodes[number] = (put(below), put(above), column, cut - 0.5)
        return number

    put(key)
    state = np.zeros(len(nodes), dtype=NODE_DTYPE)
    for place, name in enumerate(("left_child", "right_child", "feature", "threshold")):
        state[name] = [node[place] for node in nodes]
    values = np.zeros((len(nodes), 1, len(classes)))
    values[np.arange(len(nodes)), 0, says] = 1.0
    made = DecisionTreeClassifier(max_depth=depth)
    made.classes_, made.n_classes_ = np.array(classes), len(classes)
    made.n_features_in_, made.n_outputs_, made.max_features_ = width, 1, width
    made.tree_ = Tree(width, np.array([len(classes)], dtype=np.intp), 1)
    made.tree_.__setstate__({"max_depth": depth, "node_count": len(nodes), "nodes": state, "values": values})
    return made
