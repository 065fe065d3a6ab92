"""Decision trees: which columns are asked, at which steps of the grid, and what the leaves say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import TacitError, check_int, format_value
from ...frozen import FrozenDict
from ...seed import DEFAULT_SEED
from ..compact_repr import CompactRepr
from .design import Amount, Design, Labels, checked_on, design_of, feature_columns
from .grid import Grid, checked_grid
from .learner import Key
from .targets import class_labels, labels_of

if TYPE_CHECKING:
    from ...release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tree(CompactRepr):
    r"""A decision tree (CART, Gini) of at most ``depth`` questions, each leaf with ``leaf`` of the records or more.

    Amounts are read as cells of their grid before the tree is grown, :math:`\lfloor x / step \rfloor`, so that a question
    is ``x < c · step`` for a whole c; of a label it is whether the record has it. The key is the tree from its root:
    ``(column of the matrix, c, key if below, key if not)``, or the place of the class that a leaf says (the first in
    sorted order of several equally frequent ones). A question with equal trees on both sides is left out. No counts,
    shares or impurities are in it. Columns are numbered by name, so that their order in the file changes nothing. The
    distance of two trees is the share of the records on which they differ. O(n · q · log n · depth).

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = Release(pl.DataFrame({"age": [21, 34, 47, 52, 66, 71], "ill": ["no", "no", "no", "yes", "yes", "yes"]}))
    >>> learner = Tree(target="ill", depth=2, leaf=0.1, grid={"age": 10})
    >>> design = learner.build_design(people)
    >>> key = learner.fit_key(learner.matrix(design, people), design.target_values(people))
    >>> key, dict(learner.describe_lines(key, design))
    ((0, 5, 0, 1), {'age < 50': 'no', 'else': 'yes'})

    References
    ----------
    Senavirathne and Torra (2019), Integrally private model selection for decision trees, Computers & Security 83, 167–181.
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, Wadsworth.
    """

    target: str
    depth: int = 4
    leaf: float = 0.01
    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()

    NAME: ClassVar[str] = "tree"
    MEASURED: ClassVar[str] = "accuracy"
    COUNTED: ClassVar[bool] = True
    HELD_OUT: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_int("depth", self.depth, least=1)
        if isinstance(self.leaf, bool) or not isinstance(self.leaf, int | float) or not 0 <= self.leaf < 0.5:
            raise TacitError(
                f"leaf={format_value(self.leaf)} is no share below a half",
                code="out_of_range",
                parameter="leaf",
                fix="e.g. leaf=0.01",
            )
        object.__setattr__(self, "on", checked_on(self.on))
        object.__setattr__(self, "grid", checked_grid(self.grid))

    def build_design(self, release: Release) -> Design:
        """The features, named or all, and the labels of the target."""
        target = labels_of(release, self.target)
        return design_of(release, feature_columns(release, self.on, but=self.target), self.grid, target=target)

    def matrix(self, design: Design, release: Release) -> np.ndarray:
        """Cells of the grid, and 0 or 1 for every label."""
        return design.cell_matrix(release)

    def fit_key(self, features: np.ndarray, target: np.ndarray) -> Key | None:
        """The key of the tree."""
        if len(features) == 0:
            return None
        return grow_tree(features, target, depth=self.depth, least=max(1, int(self.leaf * len(features))))

    def predict_targets(self, key: Key, features: np.ndarray) -> np.ndarray:
        """The place of the class that each record's leaf says."""
        return predict_tree(key, features)

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:
        """The share of right answers."""
        return float((predict_tree(key, features) == target).mean())

    def positions(self, keys: Sequence[Key], features: np.ndarray) -> np.ndarray:
        """What each tree says of the records."""
        return np.array([predict_tree(key, features) for key in keys], dtype=np.int16)

    def distances_to(self, position: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """The share of the records of which trees say different classes."""
        found: np.ndarray = (positions != position).mean(axis=1)
        return found

    def trim_design(self, key: Key, design: Design) -> tuple[Key, Design]:
        """With the columns and labels that it asks about, and the classes that it says."""
        return trim_tree(key, design)

    def describe_lines(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The questions, each followed by what is asked or said below it."""
        yield from format_tree(key, design, class_labels(design))

    def estimator(self, key: Key, design: Design) -> Any:
        """A ``DecisionTreeClassifier`` without counts: each leaf is sure of its class."""
        width = len(design.columns(every_label=True))
        if not width:
            raise TacitError(
                "the tree says one class of everybody and asks nothing",
                code="invalid_parameter",
                fix="read it with predict() or rows()",
            )
        return tree_estimator(key, width, class_labels(design), depth=self.depth)


def grow_tree(features: np.ndarray, target: np.ndarray, *, depth: int, least: int) -> Any:
    """The key of the CART tree of some records of whole numbers; what it is depends on no order of the records.

    Two columns that part the records equally well are told apart by a fixed draw over the columns.
    """
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=least, random_state=DEFAULT_SEED).fit(
        features, target
    )
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


def predict_tree(key: Any, features: np.ndarray) -> np.ndarray:
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


def format_tree(key: Any, design: Design, classes: tuple[str, ...], depth: int = 0) -> Iterator[tuple[str, str]]:
    """A question, what follows where it is so, ``else`` and what follows where it is not."""
    if isinstance(key, int):
        yield "  " * depth + "always", classes[key]
        return
    column, cut, below, above = key
    feature, place = design.columns(every_label=True)[column]
    if isinstance(feature, Amount):
        question, sides = f"{feature.column} < {feature.format_steps(cut)}", (below, above)
    else:
        label = feature.labels[place]
        question, sides = f"{feature.column} is {'missing' if label is None else label}", (above, below)
    for asked, side in zip((question, "else"), sides, strict=True):
        if isinstance(side, int):
            yield "  " * depth + asked, classes[side]
        else:
            yield "  " * depth + asked, ""
            yield from format_tree(side, design, classes, depth + 1)


def trim_tree(key: Any, design: Design) -> tuple[Any, Design]:
    """The tree over a design of what it asks about and says, so that no rare label of the file is published unasked."""
    columns, target = design.columns(every_label=True), design.target
    assert isinstance(target, Labels)
    asked, said = _used_columns(key)
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


def _used_columns(key: Any) -> tuple[set[int], set[int]]:
    """The columns that a tree asks about, and the classes that it says."""
    if isinstance(key, int):
        return set(), {key}
    column, _, *sides = key
    (below, says), (above, says_too) = map(_used_columns, sides)
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
