"""Differentially private synthetic records from a Bayesian network with noisy tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_int
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ._bounds import Bounds
from ._synthetic.discrete.chain import Link
from ._synthetic.discrete.coded_records import count_cells
from ._synthetic.discrete.max_entropy import LARGEST
from ._synthetic.discrete.reconcile import NoisyMarginal, estimate_total
from ._synthetic.discrete.simplex import on_simplex
from ._synthetic.discrete.structure import Parents, build_network, link_of, parent_candidates, parents_by_name
from ._synthetic.private.forest import noise_cost
from ._synthetic.private.params import Categories, settle_params
from ._synthetic.private.spending import Spending, choice_loss
from ._synthetic.private.synthesis import PrivateAnswer, synthesise_private
from .private.values import declared_types

if TYPE_CHECKING:
    import polars as pl

    from ..progress import Progress
    from ..release.masked import Masked
    from ..release.release import Release
    from ..seed import Seed


CHOOSING = Fraction(1, 10)
"""Of ρ, for the choice of parents. PrivBayes takes three tenths of ε; with ρ less is enough (bench/synthetic_dp.py)."""

SENSITIVITY = 4
"""Of :func:`independence_gap`, for one record more or fewer (network.md)."""


@describe(
    tags=Tags(about="identity and attribute", kind="method", form="semantic", shown="proven"),
    effects=MethodEffects("changes", ("categories", "bounds"), synthetic=True),
    family="private",
    example={
        "epsilon": 1,
        "delta": 1e-6,
        "categories": {"sex": ["F", "M", "X"]},
        "bounds": {"visits": [1, 20], "rent": [0, 5000]},
        "rows": 300,
        "degree": 2,
    },
    use="A whole file with a guarantee, many records or a large ε: columns that depend on several others at once.",
    avoid="Few records or a small ε: tables of several columns drown in noise; dp_marginals.",
    repeatable=False,
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DpNetwork:
    r"""New records from a Bayesian network with noisy tables, (ε, δ)-differentially private: PrivBayes in ρ.

    .. math:: P(x) = \prod_i P(x_i \mid x_{\pi_i}), \qquad |\pi_i| \le \text{degree}

    ε and δ buy ρ of zero-concentrated differential privacy. One tenth chooses, column by column, which comes next and
    which earlier ones are its parents, by the exponential mechanism; a candidate scores how far the column and its parents
    are from independence, :math:`\sum |n_{x\pi} - n_x n_\pi/n|`, less what the noise on its table will cost. (PrivBayes
    calls half of it over n the score R; for one record more or fewer it changes by less than 4.) The rest of ρ is
    discrete Gaussian noise on the tables, whose counts below 0 are then taken off evenly.

    Beside :class:`~tacit.protect.dp_marginals.DpMarginals` it has tables of more than two columns and needs no descent, but
    its tables are not reconciled: the same column comes out of two of them a little different.

    **All is declared**: ``categories``, ``bounds``, ``bins``, ``missing``, as in
    :class:`~tacit.protect.dp_marginals.DpMarginals`; other columns are left out, and without ``rows`` their number is noisy.
    Neighbours are files of which one has one record more; noise comes from OpenDP's secure source, so that no seed repeats
    it. Time O(n · columns · sets of parents).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500}), quasi="sex")
    >>> yes_no = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> m = r.protect(DpNetwork(epsilon=2, delta=1e-6, degree=1, categories=yes_no, bounds={}), seed=7)
    >>> m.trace[0].outcome["captured"].value["parents"], abs(m.release.size - 1000) < 50
    ({'sex': [], 'smokes': ['sex']}, True)

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM
    Transactions on Database Systems 42 (4), 25.
    """

    epsilon: float
    delta: float
    categories: Categories
    bounds: Bounds
    degree: int = 2
    bins: int | Mapping[str, int] = 16
    missing: str | Sequence[str] = ()
    rows: int | None = None

    def __post_init__(self) -> None:
        settle_params(self)
        check_int("degree", self.degree, least=1)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """New records of the declared columns; the outcome has the guarantee, what was spent on what, and the parents."""
        return synthesise_private(self, release, self._spend_budget, PROOF, seed=seed, progress=progress)

    def declared_types(self) -> dict[str, pl.DataType]:
        """The type of every declared column, from its categories or bounds alone."""
        return declared_types(self.categories, self.bounds)

    def _spend_budget(self, spending: Spending, columns: Sequence[str], progress: Progress | None) -> PrivateAnswer:
        choosing = spending.remaining_rho * CHOOSING
        sigma = math.sqrt(len(columns) / (2 * float(spending.remaining_rho - choosing)))
        found = chosen_network(spending, columns, choosing, degree=self.degree, sigma=sigma)
        report_progress(progress, "dp_network", 0.6)
        chain, measured = measured_links(spending, found)
        return PrivateAnswer(chain, estimate_total(measured), {"parents": parents_by_name(found, columns)})


PROOF = (
    "one record more adds 1 to one cell of every table, and changes the distance of a table from independence, in records, "
    "by less than 4"
)


def independence_gap(table: np.ndarray) -> Fraction:
    r"""How far counts are from independence of the first axis and the others: :math:`\sum |n_{x\pi} - n_x n_\pi / n|`, exactly.

    One record more changes it by less than 4 (see network.md); half of it over n is the total variation distance, the
    score R of PrivBayes. O(cells).

    >>> independence_gap(np.array([[5, 0], [0, 5]])), independence_gap(np.array([[4, 4], [2, 2]]))
    (Fraction(10, 1), Fraction(0, 1))
    """
    flat = table.reshape(len(table), -1)
    records = int(flat.sum())
    if not records:
        return Fraction(0)
    gaps = np.abs(records * flat - flat.sum(axis=1, keepdims=True) * flat.sum(axis=0, keepdims=True))
    return Fraction(int(gaps.sum()), records)


def chosen_network(
    spending: Spending, columns: Sequence[str], rho: Fraction, *, degree: int, sigma: float
) -> tuple[Parents, ...]:
    """The columns one after the other, each drawn together with at most ``degree`` parents; the smallest domain begins.

    A candidate is worth how far the column and its parents are :func:`independence_gap` from independence, less what noise of ``sigma``
    on its table costs. Columns − 1 draws of ρ/(columns − 1) each.

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM
    Transactions on Database Systems 42 (4).
    """
    counted, sizes = spending.counted, spending.counted.sizes
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    if sizes[largest] > LARGEST:
        raise TacitError(
            f"has {sizes[largest]:,} places",
            code="unsuitable_column",
            column=columns[largest],
            fix="declare fewer categories or bins",
        )
    epsilon = choice_loss(rho / max(1, len(sizes) - 1))

    @cache
    def worth(axis: int, given: tuple[int, ...]) -> Fraction:
        return independence_gap(counted.table((axis, *given))) - noise_cost(sigma, count_cells(sizes, (axis, *given)))

    def next_one(known: set[int], new: set[int]) -> Parents:
        if not known:
            return min(new, key=lambda axis: (sizes[axis], axis)), ()
        listed = list(parent_candidates(known, new, sizes, degree))
        return listed[
            spending.choose_candidate([worth(*one) for one in listed], SENSITIVITY, epsilon, "choice of parents")
        ]

    return tuple(build_network(range(len(sizes)), (), next_one))


def measured_links(spending: Spending, found: Sequence[Parents]) -> tuple[tuple[Link, ...], list[NoisyMarginal]]:
    """The conditional tables of a network from noisy counts, for all that is left of ρ, and these counts."""
    share = spending.remaining_rho / len(found)
    measured = [spending.noisy_table((*given, axis), share, "tables") for axis, given in found]
    links = [link_of(axis, given, on_simplex(one.table)) for (axis, given), one in zip(found, measured, strict=True)]
    return tuple(links), measured
