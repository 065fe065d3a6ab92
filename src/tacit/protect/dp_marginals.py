"""Differentially private synthetic records from noisy marginals that are reconciled on a junction tree."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import TacitError, format_value
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ._bounds import Bounds
from ._synthetic.column_sets import checked_sets, sets_of
from ._synthetic.discrete.beliefs import chain_of
from ._synthetic.discrete.elimination import Node
from ._synthetic.discrete.max_entropy import Model, Target, fit_max_entropy, joined_tree
from ._synthetic.discrete.reconcile import NoisyMarginal, estimate_total, reconcile_marginals
from ._synthetic.private.forest import chosen_forest
from ._synthetic.private.params import Categories, settle_params
from ._synthetic.private.spending import Spending
from ._synthetic.private.synthesis import PrivateAnswer, synthesise_private
from .private.values import declared_types

if TYPE_CHECKING:
    import polars as pl

    from ..progress import Progress
    from ..release.masked import Masked
    from ..release.release import Release
    from ..seed import Seed


Sets = tuple[tuple[int, ...], ...]


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
    },
    use="A whole file with a guarantee: counts of columns and of the pairs that hang together most, also at small ε.",
    avoid="Relations of three columns at once matter (dp_network, or declare the sets), or columns cannot be declared.",
    repeatable=False,
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DpMarginals:
    r"""New records from noisy counts of columns and pairs of columns, (ε, δ)-differentially private.

    ε and δ buy ρ of zero-concentrated differential privacy, which is spent in thirds:

    1. every column's counts get discrete Gaussian noise;
    2. pairs of columns are drawn by the exponential mechanism, as long as they make no ring and are worth their noise;
    3. the counts of these pairs get noise, with :math:`\sigma = \sqrt{\text{pairs}/2\rho_3}`.

    Noisy counts contradict each other and may lie below 0. The distribution on the junction tree of the pairs that comes
    nearest to all of them is found (it reads nothing but the noisy counts), and records are drawn from it.
    ``sets`` of columns may be declared instead, ``[["age", "sex", "pay"], …]``; then nothing is spent on step 2.

    **All is declared**: the ``categories`` and the ``bounds`` of every column, cut into ``bins`` of equal width. Other
    columns are left out. Types follow from the declaration: whole bounds make whole numbers, ``[0.0, 90.0]`` decimals. A number
    beyond its bounds counts at them. A value without a place (another category, a gap, a text where a number is declared) is
    missing where the column is among the ``missing`` ones; else the record is left out. Which of this happened to whom is
    told nobody. Without ``rows`` the number of records is the noisy one.

    Neighbours are files of which one has one record more (for one record replaced: 2ε and (1 + e^ε)δ). Noise comes from OpenDP's
    secure source, so the seed, which draws the records, does not repeat a release. What is not among the columns and pairs
    is not promised. With ``engine="mbi"`` the noisy counts are reconciled by private-PGM (extra ``mbi``).
    Time O(n · columns²) for the choice and O(cells) for each of up to 400 steps of the descent.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500}), quasi="sex")
    >>> yes_no = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> m = r.protect(DpMarginals(epsilon=2, delta=1e-6, categories=yes_no, bounds={}), seed=7)
    >>> m.trace[0].outcome["captured"].value["sets"], abs(m.release.size - 1000) < 50
    ([['sex', 'smokes']], True)

    References
    ----------
    McKenna, Miklau and Sheldon (2021), Winning the NIST contest: a scalable and general approach to differentially private
    synthetic data, Journal of Privacy and Confidentiality 11 (3).
    McKenna, Sheldon and Miklau (2019), Graphical-model based estimation and inference for differential privacy, ICML.
    """

    epsilon: float
    delta: float
    categories: Categories
    bounds: Bounds
    bins: int | Mapping[str, int] = 16
    missing: str | Sequence[str] = ()
    sets: Sequence[Sequence[str]] | None = None
    rows: int | None = None
    engine: Literal["own", "mbi"] = "own"

    def __post_init__(self) -> None:
        settle_params(self)
        if self.engine not in ("own", "mbi"):
            raise TacitError(
                f"engine={format_value(self.engine)} reconciles nothing",
                code="invalid_parameter",
                parameter="engine",
                fix="engine='own' or engine='mbi'",
            )
        object.__setattr__(self, "sets", checked_sets(self.sets, [*self.categories, *self.bounds]))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """New records of the declared columns; the outcome has the guarantee, what was spent on what, and the pairs."""
        return synthesise_private(self, release, self._spend_budget, PROOF, seed=seed, progress=progress)

    def declared_types(self) -> dict[str, pl.DataType]:
        """The type of every declared column, from its categories or bounds alone."""
        return declared_types(self.categories, self.bounds)

    def _spend_budget(self, spending: Spending, columns: Sequence[str], progress: Progress | None) -> PrivateAnswer:
        sizes = spending.counted.sizes
        declared = None if self.sets is None else sets_of(self.sets, columns)
        joined_tree(declared or (), sizes, columns)  # what is too large is refused before anything is spent
        sets, measured = measured_marginals(spending, columns, sets=declared)
        report_progress(progress, "dp_marginals", 0.4)
        tree = joined_tree(sets, sizes, columns)
        model = (reconcile_marginals if self.engine == "own" else reconciled_by_mbi)(tree, sizes, measured)
        captured = {"columns": [*columns], "sets": [[columns[axis] for axis in one] for one in sets]}
        return PrivateAnswer(chain_of(tree, model.logs, sizes), estimate_total(measured), captured)


PROOF = (
    "one record more adds 1 to one cell of every table, and 1 at most to how many records a pair of independent columns "
    "would have elsewhere"
)


def measured_marginals(
    spending: Spending, columns: Sequence[str], *, sets: Sets | None = None
) -> tuple[Sets, list[NoisyMarginal]]:
    """The sets of columns that were chosen, and all noisy marginals: a third of ρ for each column, one to choose, one for the sets.

    With declared ``sets`` nothing is spent on a choice, and two thirds go to them. What the choice leaves unspent goes to
    the marginals too; where no pair is worth its noise, to the columns once more. All of ρ is spent, exactly.
    """
    count = len(columns)
    alone = tuple((axis,) for axis in range(count))
    third = spending.remaining_rho / 3
    found = [spending.noisy_table(axes, third / count, "columns") for axes in alone]
    if sets is None:
        sets = _choose_pairs(spending, columns, found, third) if count > 1 else ()
    later = [one for one in sets if len(one) > 1] or alone
    share = spending.remaining_rho / len(later)
    found += [spending.noisy_table(axes, share, "sets of columns") for axes in later]
    return sets, found


def _choose_pairs(spending: Spending, columns: Sequence[str], found: list[NoisyMarginal], rho: Fraction) -> Sets:
    sizes, pairs = spending.counted.sizes, len(columns) - 1
    model = reconcile_marginals(joined_tree([], sizes, columns), sizes, found)
    shares = [model.share((axis,)) for axis in range(len(sizes))]
    sigma = 1 / math.sqrt(2 * float(rho) / pairs)
    return chosen_forest(spending, shares, estimate_total(found), rho, sigma=sigma)


def reconciled_by_mbi(tree: tuple[Node, ...], sizes: tuple[int, ...], measured: Sequence[NoisyMarginal]) -> Model:
    """The same as :func:`~tacit.protect._synthetic.discrete.reconcile.reconcile_marginals`, estimated by mbi (private-PGM).

    Its marginals of the tree's cliques make the model, so that records are drawn as by our own engine.
    """
    mbi, exact = _import_mbi()
    with exact(True):
        domain = mbi.Domain([str(axis) for axis in range(len(sizes))], sizes)
        asked = [
            mbi.LinearMeasurement(one.table.ravel(), tuple(map(str, one.axes)), stddev=one.scale) for one in measured
        ]
        found = mbi.estimation.MirrorDescent().estimate(domain, asked, known_total=estimate_total(measured))
        targets = [Target(node.clique, _model_marginal(found, node.clique)) for node in tree]
    return fit_max_entropy(tree, sizes, targets)


def _model_marginal(model: Any, axes: Sequence[int]) -> np.ndarray:
    table = np.asarray(model.project(tuple(map(str, axes))).datavector(flatten=False), dtype=float)
    found: np.ndarray = np.maximum(table, 0.0)
    return found


def _import_mbi() -> tuple[Any, Any]:
    """The library, and how to make it count in 64 bits for a while; of both it warns at import, and of no fault of ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import mbi
            from jax import enable_x64
    except ImportError:
        raise TacitError(
            "engine='mbi' needs private-PGM",
            code="not_installed",
            parameter="engine",
            fix="pip install 'tacit[mbi]', or engine='own'",
        ) from None
    return mbi, enable_x64
