"""Propensity: how well a classifier tells masked records from original ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from ...errors import TacitError, instead, typed
from ...result import Result, Results
from ...seed import child, generator
from ..numbers.standardised import settled
from .logistic_fit import fitted_chances, whitened
from .propensity_design import Block, blocks_of, crossed, sampled

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release

__all__ = ["propensity"]

Model: TypeAlias = Literal["logistic", "cart"]
Fit: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""Which records are masked → the chance of each to be so."""


def propensity(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,
    model: Model = "logistic",
    permutations: int = 20,
    seed: int | bytes = 0,
) -> Results:
    r"""How well masked records can be told from original ones: 0, not at all, to 1, for sure.

    Both files are put together, and a classifier gives each of the N records its chance :math:`\hat p_i` to be a masked
    one; c is the share of masked records.

    .. math:: \frac{pMSE}{c(1-c)}, \qquad pMSE = \frac1N \sum_i (\hat p_i - c)^2

    The ``"logistic"`` regression has numbers, their squares and the ten most common categories of each column (others
    are one; missing is one), and all products of two columns where these are few; ``"cart"`` is a tree that splits
    while a leaf keeps one in 200 records. A column's own result has a model of that column alone. Even without masking
    a model finds chance differences, and two facts say how many times more was found here:

    - *ratio to a draw from the original*: to :math:`(k-1)(1-c)^2 c/N`, what a logistic regression with k parameters
      finds in a file drawn afresh, with replacement, from the original. About 1 for good synthetic data;
    - *ratio to another sample*: to the mean of ``permutations`` fits with the labels dealt at random, what is found
      between two samples of one population, 1/(1−c) times more than the other for the regression.

    A mask of the same people, little changed, is nearer to its original than either: a ratio below 1. Coarser labels
    cost nothing (columns are compared at the level of the masked file); a dropped column is one that is missing
    throughout, by which records are told apart for sure. Of files above 10 000 records, so many people
    are drawn with ``seed``, and what became of them. Records are not paired otherwise. Unweighted.

    Utility, measured (F-03). O(n · k²) time per fit with n ≤ 20 000 and k ≤ 200 or so, O(n · k) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"sex": list(sex)})) for sex in ("ffmm", "fffm"))
    >>> found = propensity(m, original=r)
    >>> round(found[0].value, 4), round(found[0].facts["pMSE"], 4)
    (0.0667, 0.0167)

    References
    ----------
    Woo, Reiter, Oganian and Karr (2009), Global measures of data utility for microdata masked for disclosure
    limitation, Journal of Privacy and Confidentiality 1, 111–124.
    Snoke, Raab, Nowok, Dibben and Slavkovic (2018), General and specific utility measures for synthetic data, Journal
    of the Royal Statistical Society A 181, 663–688.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    _checked(model, permutations)
    masked, original = sampled(release, original, lineage, seed)
    blocks = blocks_of(masked, original)
    labels = np.repeat([False, True], [original.size, masked.size])
    with threadpool_limits(1):
        whole = _whole(blocks, labels, model, permutations, seed)
        return Results((whole, *(_alone(block, labels, model, seed) for block in blocks)))


def _checked(model: str, permutations: int) -> None:
    if model not in get_args(Model):
        raise TacitError(f"the model {typed(model)} is unknown", fix=instead(str(model), get_args(Model)))
    if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 0:
        raise TacitError(
            f"labels cannot be dealt {typed(permutations)} times", fix="give permutations=20, or 0 for none"
        )


def _whole(blocks: list[Block], labels: np.ndarray, model: Model, permutations: int, seed: int | bytes) -> Result:
    fit, facts = _model(blocks, labels, model, seed)
    found, share = _spread(fit, labels), float(labels.mean())
    told: dict[str, object] = {"pMSE": found, "model": model, "records": len(labels), "masked part": share, **facts}
    parameters = facts.get("parameters")
    if isinstance(parameters, int) and parameters > 1:
        told["ratio to a draw from the original"] = found / ((parameters - 1) * (1 - share) ** 2 * share / len(labels))
    dealt = generator(child(seed, "labels"))
    null = [_spread(fit, dealt.permutation(labels)) for _ in range(permutations)]
    if null and np.mean(null) > 0:
        told["ratio to another sample"] = found / float(np.mean(null))
    return _result(found, share, None, told)


def _alone(block: Block, labels: np.ndarray, model: Model, seed: int | bytes) -> Result:
    fit, facts = _model([block], labels, model, seed)
    return _result(_spread(fit, labels), float(labels.mean()), block.column, facts)


def _result(found: float, share: float, column: str | None, facts: dict[str, object]) -> Result:
    value = min(1.0, found / (share * (1 - share)))
    return Result(name="propensity", column=column, value=value, worse="high", about="utility", facts=facts)


def _spread(fit: Fit, labels: np.ndarray) -> float:
    """The mean squared distance of the chances from the share of masked records, pMSE."""
    return settled(float(((fit(labels) - labels.mean()) ** 2).mean()))


def _model(blocks: list[Block], labels: np.ndarray, model: Model, seed: int | bytes) -> tuple[Fit, dict[str, object]]:
    """What fits the chances, and the facts to say of it."""
    if model == "cart":
        features = np.column_stack([block.features for block in blocks])
        return lambda dealt: _tree_chances(features, dealt, seed), {}
    features, products = crossed(blocks, min(int(labels.sum()), int((~labels).sum())))
    design = whitened(features)
    facts: dict[str, object] = {"parameters": design.parameters}
    if len(blocks) > 1:
        facts["products of columns"] = products
    return lambda dealt: fitted_chances(design, dealt), facts


def _tree_chances(features: np.ndarray, labels: np.ndarray, seed: int | bytes) -> np.ndarray:
    """The share of masked records in the leaf of each record."""
    from sklearn.tree import DecisionTreeClassifier

    if not features.shape[1]:
        return np.full(len(labels), labels.mean())
    state = int(generator(child(seed, "tree")).integers(2**31))
    tree = DecisionTreeClassifier(min_samples_leaf=max(5, len(labels) // 200), random_state=state)
    chances: np.ndarray = tree.fit(features, labels).predict_proba(features)[:, 1]
    return chances
