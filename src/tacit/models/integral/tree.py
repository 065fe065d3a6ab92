"""Decision trees: which columns are asked, at which steps of the grid, and what the leaves say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import TacitError, typed, whole
from ...frozen import FrozenDict
from ..stated import Stated
from .design import Design, checked_on, design_of, feature_columns
from .grid import Grid, checked_grid
from .learner import Key
from .targets import class_labels, labels_of
from .tree_key import answered, grown, lines, needed, tree_estimator

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["Tree"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Tree(Stated):
    r"""A decision tree (CART, Gini) of at most ``depth`` questions, each leaf with ``leaf`` of the records or more (D-09).

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
    >>> design = learner.designed(people)
    >>> key = learner.learnt(learner.matrix(design, people), design.wanted(people))
    >>> key, dict(learner.told(key, design))
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
        whole("depth", self.depth, least=1)
        if isinstance(self.leaf, bool) or not isinstance(self.leaf, int | float) or not 0 <= self.leaf < 0.5:
            raise TacitError(f"leaf={typed(self.leaf)} is no share below a half", fix="e.g. leaf=0.01")
        object.__setattr__(self, "on", checked_on(self.on))
        object.__setattr__(self, "grid", checked_grid(self.grid))

    def designed(self, release: Release) -> Design:
        """The features, named or all, and the labels of the target."""
        target = labels_of(release, self.target)
        return design_of(release, feature_columns(release, self.on, but=self.target), self.grid, target=target)

    def matrix(self, design: Design, release: Release) -> np.ndarray:
        """Cells of the grid, and 0 or 1 for every label."""
        return design.cells(release)

    def learnt(self, features: np.ndarray, target: np.ndarray) -> Key | None:
        """The key of the tree."""
        if len(features) == 0:
            return None
        return grown(features, target, depth=self.depth, least=max(1, int(self.leaf * len(features))))

    def answers(self, key: Key, features: np.ndarray) -> np.ndarray:
        """The place of the class that each record's leaf says."""
        return answered(key, features)

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:
        """The share of right answers."""
        return float((answered(key, features) == target).mean())

    def positions(self, keys: Sequence[Key], features: np.ndarray) -> np.ndarray:
        """What each tree says of the records."""
        return np.array([answered(key, features) for key in keys], dtype=np.int16)

    def apart(self, position: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """The share of the records of which trees say different classes."""
        found: np.ndarray = (positions != position).mean(axis=1)
        return found

    def trimmed(self, key: Key, design: Design) -> tuple[Key, Design]:
        """With the columns and labels that it asks about, and the classes that it says."""
        return needed(key, design)

    def told(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The questions, each followed by what is asked or said below it."""
        yield from lines(key, design, class_labels(design))

    def estimator(self, key: Key, design: Design) -> Any:
        """A ``DecisionTreeClassifier`` without counts: each leaf is sure of its class."""
        width = len(design.columns(every_label=True))
        if not width:
            raise TacitError(
                "the tree says one class of everybody and asks nothing", fix="read it with predict() or rows()"
            )
        return tree_estimator(key, width, class_labels(design), depth=self.depth)
