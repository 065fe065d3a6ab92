"""Semantic noise: categories exchanged by lot, near ones in meaning more often than far ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TacitError, check_columns
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.hierarchy.recipe import GrownHierarchy
from ..release.hierarchy.taxonomy import Distance, checked_distance
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import child_seed
from ._checks import refuse_empty
from ._numbers import masked_dtypes
from ._pram_matrix.categories import Categories
from ._pram_matrix.row_kernel import make_row_kernel
from ._pram_matrix.tables import cumulative_rows
from ._row_by_row import row_by_row
from ._semantic.taxonomies import listed_taxonomy
from .parameters import column_names, per_column, seed_of, value_for

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.hierarchy.taxonomy import Taxonomy
    from ..release.release import Release
    from ..seed import Seed


DIGITS = 9
"""Of the entries of a matrix in the trace, which is written as that of PRAM."""

MOST_SHOWN = 100
"""Matrices of more values than this are not written into the trace: they follow from ε and the taxonomy."""

MOST_VALUES = 4000
"""All pairs of so many values are compared."""

LARGEST = 2.0**14
"""Beyond this nothing moves."""

STEPS = 60


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",), model="semantic_noise"),
    family="noise",
    example={"columns": ["occupation"], "stay": 0.7},
    use="Categories with a taxonomy, and each cell needs doubt of its own by a law that can be published.",
    avoid="The counts of each category must stay exact (semantic_swap), or there is no taxonomy (pram).",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticNoise:
    r"""Replace values of a taxonomy by lot, near values in meaning more often than far ones.

    A value v becomes w, any value that the column's taxonomy lists, with the chance

    .. math:: P(w \mid v) = \frac{e^{-\varepsilon\, d(v, w)/2}}{\sum_u e^{-\varepsilon\, d(v, u)/2}},

    d the semantic distance (:class:`~tacit.release.hierarchy.taxonomy.Taxonomy`), below 1. Give ``epsilon``, or
    ``stay``: the chance to keep its value, on average over the values of the taxonomy, from which ε follows. Both can
    be given by column.

    **What is proven.** d is a metric, so that :math:`d(w, y) \le d(v, w) + d(v, y)`; hence
    :math:`e^{-\varepsilon d(v,y)/2} \le e^{\varepsilon d(v,w)/2} e^{-\varepsilon d(w,y)/2}`, and the same for the sums:

    .. math:: \frac{P(y \mid v)}{P(y \mid w)} \le e^{\varepsilon\, d(v, w)} < e^{\varepsilon}.

    That is ε-metric privacy for each cell, and local differential privacy of the cell with the ε that the trace gives as
    ``local_epsilon``: the largest log ratio of the chances as they are drawn, in whole multiples of 2⁻³²; there is none
    where a chance below that became 0 (ε of about 50 and more), which rules a value out. It speaks of one cell given that
    it is not missing: several columns add up, other columns of the record stay as they are, and
    a taxonomy grown from the data tells of the data. The release as a whole is NOT differentially private unless
    every column is masked so. An ε above 10 or so is noise for analysts, not a promise.

    Missing values stay missing. A column that is equal within every household changes once for all its members. The law
    depends on the taxonomy alone, so it is published (the matrix up to 100 values), and counts can be corrected with it
    as after PRAM.

    Row by row, on every engine: O(n + v²) time, O(v²) memory for v ≤ 4000 values.

    >>> import polars as pl
    >>> from tacit import Release
    >>> jobs = {"edges": {"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"}}
    >>> r = Release(pl.DataFrame({"job": ["surgeon"] * 1000}), hierarchies={"job": jobs})
    >>> noisy = r.protect(SemanticNoise(columns="job", epsilon=4), seed=7)
    >>> noisy.trace[0].outcome["matrix"].value["job"][0]["matrix"]["surgeon"]
    {'clerk': 0.131811634, 'nurse': 0.205646511, 'surgeon': 0.662541855}

    References
    ----------
    Rodriguez-Garcia, Batet and Sánchez (2017), A semantic framework for noise addition with nominal data, Knowledge-Based
    Systems 122, 103–118. McSherry and Talwar (2007), Mechanism design via differential privacy, FOCS, 94–103. Chatzikokolakis, Andrés,
    Bordenabe and Palamidessi (2013), Broadening the scope of differential privacy using metrics, PETS, LNCS 7981, 82–102.
    """

    columns: str | Sequence[str]
    epsilon: float | Mapping[str, float] | None = None
    stay: float | Mapping[str, float] | None = None
    distance: Distance = "ancestors"

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        checked_distance(self.distance)
        if (self.epsilon is None) == (self.stay is None):
            raise TacitError(
                "say how much noise, in one of two ways",
                code="conflicting_parameters",
                fix="epsilon=2, or stay=0.7 for the share of values that stay",
            )
        if self.epsilon is not None:
            given = per_column("epsilon", self.epsilon, columns, lambda value: value > 0, "a number above 0, e.g. 2")
            object.__setattr__(self, "epsilon", given)
        else:
            given = per_column("stay", self.stay, columns, lambda value: 0 < value < 1, "a share in (0, 1), e.g. 0.7")
            object.__setattr__(self, "stay", given)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with noise; the outcome has ε, the matrix and what it proves, by column."""
        key = seed_of(self, seed)
        columns = check_columns(self.columns, release.columns)
        refuse_empty(release)
        report_progress(progress, "semantic_noise", 0.0)
        types = masked_dtypes(release, columns)
        make, outcome = {}, _Outcome()
        for column in columns:
            known = listed_taxonomy(release, column, types[column])
            epsilon, chances = self._transition_matrix(known, column)
            make[column] = make_row_kernel(
                _taxonomy_categories(column, known), chances[None], {}, child_seed(key, column)
            )
            outcome.add(column, known, epsilon, chances, grown=isinstance(release.hierarchies[column], GrownHierarchy))
        noisy = row_by_row(release, make, types)
        report_progress(progress, "semantic_noise", 1.0)
        return Masked(noisy, (Trace.of(self, **outcome.findings()),))

    def _transition_matrix(self, known: Taxonomy, column: str) -> tuple[float, np.ndarray]:
        if len(known.values) > MOST_VALUES:
            raise TacitError(
                f"has a taxonomy of {len(known.values):,} values, more than the {MOST_VALUES:,} that are compared in pairs",
                code="out_of_range",
                column=column,
                fix="generalise it by a level first, or use semantic_swap",
            )
        apart = known.distances(self.distance)
        if self.epsilon is None:
            epsilon = epsilon_for(apart, value_for(self.stay, column), column)
        else:
            epsilon = value_for(self.epsilon, column)
        return epsilon, exponential_matrix(apart, epsilon)


def _taxonomy_categories(column: str, known: Taxonomy) -> Categories:
    """The values of a taxonomy as those of a column with one stratum."""
    return Categories(column, tuple(known.values), ((),), np.zeros((1, len(known.values)), dtype=np.int64))


class _Outcome:
    """What the trace tells of each column."""

    def __init__(self) -> None:
        self.epsilon: dict[str, float] = {}
        self.stay: dict[str, float] = {}
        self.proven: dict[str, float] = {}
        self.matrix: dict[str, Any] = {}

    def add(self, column: str, known: Taxonomy, epsilon: float, chances: np.ndarray, *, grown: bool) -> None:
        self.epsilon[column] = epsilon
        self.stay[column] = float(np.diag(chances).mean())
        told = largest_log_ratio(as_drawn(chances))
        if isfinite(told) and not grown:
            self.proven[column] = told
        if len(chances) <= MOST_SHOWN:
            written = _taxonomy_categories(column, known).as_texts
            rows = (dict(zip(written, row, strict=True)) for row in chances.round(DIGITS).tolist())
            self.matrix[column] = [{"stratum": {}, "matrix": dict(zip(written, rows, strict=True))}]

    def findings(self) -> dict[str, Finding]:
        given = {"epsilon": self.epsilon, "stay": self.stay, "local_epsilon": self.proven, "matrix": self.matrix}
        return {name: Finding(value, publishable=True) for name, value in given.items()}


def exponential_matrix(distances: np.ndarray, epsilon: float) -> np.ndarray:
    r"""The chance of each value to become each other one: :math:`P(w \mid v) \propto e^{-\varepsilon d(v, w)/2}`.

    >>> exponential_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]), 2 * np.log(3)).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    weight = np.exp(-0.5 * epsilon * distances)
    found: np.ndarray = weight / weight.sum(axis=1, keepdims=True)
    return found


def epsilon_for(distances: np.ndarray, stay: float, column: str) -> float:
    """The ε for which a value stays with this chance, on average over the values; it grows with ε, so by halving."""
    least = 1 / len(distances)
    if stay <= least:
        raise TacitError(
            f"has {len(distances)} values: stay={stay:g} is no more than chance, which is {least:.3g}",
            code="out_of_range",
            column=column,
            fix=f"a larger stay, up to 1, e.g. stay={min(0.99, max(0.5, 1.5 * least)):.2g}",
        )
    apart, of_pair = np.unique(distances, return_inverse=True)
    classes = np.zeros((len(distances), len(apart)))
    np.add.at(classes, (np.arange(len(distances))[:, None], of_pair.reshape(distances.shape)), 1)
    low, high = 0.0, LARGEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        stays = (1 / (classes @ np.exp(-0.5 * middle * apart))).mean()
        low, high = (middle, high) if stays < stay else (low, middle)
    return high


def as_drawn(chances: np.ndarray) -> np.ndarray:
    """The chances that the draws really have, in multiples of 2⁻³²: what is proven must hold for these.

    >>> as_drawn(np.array([[1 - 1e-12, 1e-12], [0.5, 0.5]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    upto = cumulative_rows(chances[None])[: len(chances)].astype(float)
    found: np.ndarray = np.diff(upto, axis=1, prepend=0.0) / upto[:, -1:]
    return found


def largest_log_ratio(chances: np.ndarray) -> float:
    r"""The largest :math:`\ln P(y \mid v)/P(y \mid w)`: how much any outcome tells; infinite where one is impossible.

    >>> round(float(np.exp(largest_log_ratio(np.array([[0.75, 0.25], [0.25, 0.75]])))), 9)
    3.0
    """
    if (chances == 0).any():
        return float("inf")
    return float(np.log(chances.max(axis=0) / chances.min(axis=0)).max())
