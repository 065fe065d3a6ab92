"""A decision tree as nested tuples: grown, asked, written, and as scikit-learn holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .design import Amount, Design, Labels

__all__ = ["answered", "grown", "lines", "needed", "tree_estimator"]


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
        question, sides = f"{feature.column} < {feature.said(cut)}", (below, above)
    else:
        label = feature.labels[place]
        question, sides = f"{feature.column} is {'missing' if label is None else label}", (above, below)
    for asked, side in zip((question, "else"), sides, strict=True):
        if isinstance(side, int):
            yield "  " * depth + asked, classes[side]
        else:
            yield "  " * depth + asked, ""
            yield from lines(side, design, classes, depth + 1)


def needed(key: Any, design: Design) -> tuple[Any, Design]:
    """The tree over a design of what it asks about and says, so that no rare label of the file is published unasked."""
    columns, target = design.columns(every_label=True), design.target
    assert isinstance(target, Labels)
    asked, said = _asked(key)
    features: list[Amount | Labels] = []
    for feature in design.features:
        places = [place for column, (one, place) in enumerate(columns) if one is feature and column in asked]
        if places and isinstance(feature, Labels):
            features.append(replace(feature, labels=tuple(feature.labels[place] for place in places)))
        elif places and isinstance(feature, Amount):
            features.append(replace(feature, origin=0))  # cells are counted from 0
    classes = sorted(said)
    numbered = {column: number for number, column in enumerate(sorted(asked))}

    def again(part: Any) -> Any:
        if isinstance(part, int):
            return classes.index(part)
        column, cut, below, above = part
        return numbered[column], cut, again(below), again(above)

    spoken = replace(target, labels=tuple(target.labels[place] for place in classes))
    return again(key), Design(features=tuple(features), target=spoken)


def _asked(key: Any) -> tuple[set[int], set[int]]:
    """The columns that a tree asks about, and the classes that it says."""
    if isinstance(key, int):
        return set(), {key}
    column, _, *sides = key
    (below, says), (above, says_too) = map(_asked, sides)
    return {column} | below | above, says | says_too


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
