"""Cluster centres on a grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import whole
from ...frozen import FrozenDict
from ..stated import Stated
from .design import Amount, Design, design_of
from .grid import Grid, on_grid
from .learner import Key
from .parameters import Parameters
from .targets import numbers_only

if TYPE_CHECKING:
    from ...release.release import Release


STARTS = 4
"""Of k-means++, of which the tightest result is kept."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KMeans(Parameters, Stated):
    r"""The centres of k-means in columns of amounts, rounded to ``rounding`` of the column's step (D-09).

    The records come in canonical order and the starts are fixed, so that the result is a function of the database. The
    key is the set of rounded centres :math:`\lfloor c_j / r + \tfrac12 \rfloor`, sorted: the numbering of
    clusters is no part of the model. Databases with fewer different records than ``clusters`` give no model. The distance
    of two models is the largest difference of a coordinate when their sorted centres are compared one by one, an upper
    bound on that of the best matching. O(n · m · clusters) for each step of k-means.

    >>> import polars as pl
    >>> from tacit import Release
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 12.0, 50.0, 52.0]}))
    >>> learner = KMeans(clusters=2, grid={"pay": 5})
    >>> design = learner.designed(pay)
    >>> key = learner.learnt(learner.matrix(design, pay), design.wanted(pay))
    >>> dict(learner.told(key, design))
    {'centre 1': 'pay 10', 'centre 2': 'pay 50'}

    References
    ----------
    Torra, Navarro-Arribas and Galván (2020), Explaining recurrent machine learning models: integral privacy revisited,
    PSD, LNCS 12276, 62–73. Lloyd (1982), Least squares quantization in PCM, IEEE Trans. Inf. Theory 28, 129–137.
    """

    clusters: int
    on: tuple[str, ...] | None = None
    grid: Grid = FrozenDict()
    rounding: float = 1.0

    NAME: ClassVar[str] = "k_means"
    MEASURED: ClassVar[str] = "share of the variance explained"
    COUNTED: ClassVar[bool] = False
    HELD_OUT: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole("clusters", self.clusters, least=1)
        Parameters.__post_init__(self)

    def designed(self, release: Release) -> Design:
        """The columns of amounts, named or all."""
        return design_of(release, numbers_only(release, self.on), self.grid)

    def learnt(self, features: np.ndarray, target: np.ndarray) -> Key | None:  # noqa: ARG002 - every learner takes it
        """The sorted, rounded centres."""
        from sklearn.cluster import KMeans as Clusters

        if len(np.unique(features, axis=0)) < self.clusters:
            return None
        found = Clusters(self.clusters, n_init=STARTS, random_state=0).fit(features)
        return tuple(sorted(on_grid(centre, self.rounding) for centre in found.cluster_centers_))

    def answers(self, key: Key, features: np.ndarray) -> np.ndarray:
        """The number of the nearest centre, from 0 in the order of the key."""
        found: np.ndarray = self._squares(key, features).argmin(axis=1)
        return found

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:  # noqa: ARG002
        """1 minus the squared distance to the nearest centre over that to the mean."""
        spread = float(((features - features.mean(axis=0)) ** 2).sum())
        return 1.0 - float(self._squares(key, features).min(axis=1).sum()) / spread if spread > 0 else 0.0

    def told(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The centres in the units of the columns."""
        for number, centre in enumerate(key):
            said = []
            for feature, one in zip(design.features, centre, strict=True):
                assert isinstance(feature, Amount)
                said.append(f"{feature.column} {feature.said(one * self.rounding + feature.origin)}")
            yield f"centre {number + 1}", ", ".join(said)

    def estimator(self, key: Key, design: Design) -> Any:  # noqa: ARG002
        """A ``KMeans`` that answers with the number of the nearest centre."""
        from warnings import catch_warnings, simplefilter

        from sklearn.cluster import KMeans as Clusters

        centres = np.array(key, dtype=float) * self.rounding
        with catch_warnings():
            simplefilter("ignore")  # centres that are equal on the grid are two clusters nevertheless
            return Clusters(self.clusters, init=centres, n_init=1, max_iter=1).fit(centres)

    def _squares(self, key: Key, features: np.ndarray) -> np.ndarray:
        centres = np.array(key, dtype=float) * self.rounding
        return np.column_stack([((features - centre) ** 2).sum(axis=1) for centre in centres])
