"""Propensity: how well a classifier tells masked records from original ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative
from ...registry import Tags, describe
from ...release.common_level import as_numbers, standard_deviation
from ...release.masked import Masked, checked_lineage
from ...release.pairs import numeric_columns
from ...result import Result, Results
from ...seed import DEFAULT_SEED, child_seed, make_generator
from ..numbers.standardised import drop_rounding
from .codings import by_values, common_columns, date_columns, two_files

if TYPE_CHECKING:
    from ...release.release import Release


Model: TypeAlias = Literal["logistic", "cart"]

Fit: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""Which records are masked → the chance of each to be so."""

ALIKE = 1e-10
"""A direction with less than this share of the largest variance is one that the others already tell."""

FLAT = 1e-9
"""The fit is done when no part of the mean gradient is larger."""

STEPS = 50
"""Newton's method takes six or so, and twenty where files can be told apart for sure and the chances go to 0 and 1."""

SAMPLE = 10_000
"""Of larger files so many records are taken."""

CATEGORIES = 10
"""The most common categories of a column that have a feature; the others are one."""

FARTHEST = 1000.0
"""Numbers farther than so many standard deviations are no farther for the classifier, so that no square overflows."""

TERMS = 200
"""Features are multiplied with each other while there are no more than this …"""

PER_TERM = 10
"""… and this many records of either file for each."""


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def propensity(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,
    model: Model = "logistic",
    permutations: int = 20,
    seed: int | bytes = DEFAULT_SEED,
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

    Utility, measured. O(n · k²) time per fit with n ≤ 20 000 and k ≤ 200 or so, O(n · k) memory.

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

    _check_options(model, permutations)
    masked, original = sample_files(release, original, lineage, seed)
    blocks = blocks_of(masked, original)
    labels = np.repeat([False, True], [original.size, masked.size])
    with threadpool_limits(1):
        whole = _file_propensity(blocks, labels, model, permutations, seed)
        return Results((whole, *(_column_propensity(block, labels, model, seed) for block in blocks)))


def _check_options(model: str, permutations: int) -> None:
    if model not in get_args(Model):
        raise TacitError(
            f"the model {format_value(model)} is unknown",
            code="unknown_name",
            fix=suggest_alternative(str(model), get_args(Model)),
        )
    if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 0:
        raise TacitError(
            f"labels cannot be dealt {format_value(permutations)} times",
            code="not_applicable",
            fix="give permutations=20, or 0 for none",
        )


def _file_propensity(
    blocks: list[Block], labels: np.ndarray, model: Model, permutations: int, seed: int | bytes
) -> Result:
    fit, facts = _make_model(blocks, labels, model, seed)
    found, share = _propensity_error(fit, labels), float(labels.mean())
    told: dict[str, object] = {"pMSE": found, "model": model, "records": len(labels), "masked part": share, **facts}
    parameters = facts.get("parameters")
    if isinstance(parameters, int) and parameters > 1:
        told["ratio to a draw from the original"] = found / ((parameters - 1) * (1 - share) ** 2 * share / len(labels))
    dealt = make_generator(child_seed(seed, "labels"))
    null = [_propensity_error(fit, dealt.permutation(labels)) for _ in range(permutations)]
    if null and np.mean(null) > 0:
        told["ratio to another sample"] = found / float(np.mean(null))
    return _propensity_result(found, share, None, told)


def _column_propensity(block: Block, labels: np.ndarray, model: Model, seed: int | bytes) -> Result:
    fit, facts = _make_model([block], labels, model, seed)
    return _propensity_result(_propensity_error(fit, labels), float(labels.mean()), block.column, facts)


def _propensity_result(found: float, share: float, column: str | None, facts: dict[str, object]) -> Result:
    value = min(1.0, found / (share * (1 - share)))
    return Result(name="propensity", column=column, value=value, worse="high", about="utility", facts=facts)


def _propensity_error(fit: Fit, labels: np.ndarray) -> float:
    """The mean squared distance of the chances from the share of masked records, pMSE."""
    return drop_rounding(float(((fit(labels) - labels.mean()) ** 2).mean()))


def _make_model(
    blocks: list[Block], labels: np.ndarray, model: Model, seed: int | bytes
) -> tuple[Fit, dict[str, object]]:
    """What fits the chances, and the facts to say of it."""
    if model == "cart":
        features = np.column_stack([block.features for block in blocks])
        return lambda dealt: _tree_chances(features, dealt, seed), {}
    features, products = cross_features(blocks, min(int(labels.sum()), int((~labels).sum())))
    design = whiten_features(features)
    facts: dict[str, object] = {"parameters": design.parameters}
    if len(blocks) > 1:
        facts["products of columns"] = products
    return lambda dealt: fitted_chances(design, dealt), facts


def _tree_chances(features: np.ndarray, labels: np.ndarray, seed: int | bytes) -> np.ndarray:
    """The share of masked records in the leaf of each record."""
    from sklearn.tree import DecisionTreeClassifier

    if not features.shape[1]:
        return np.full(len(labels), labels.mean())
    state = int(make_generator(child_seed(seed, "tree")).integers(2**31))
    tree = DecisionTreeClassifier(min_samples_leaf=max(5, len(labels) // 200), random_state=state)
    chances: np.ndarray = tree.fit(features, labels).predict_proba(features)[:, 1]
    return chances


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A table of features made free of repetition: ``terms`` are uncorrelated, with mean 0, variance 1."""

    terms: np.ndarray

    @property
    def parameters(self) -> int:
        """The parameters of the regression: one for each term, and the constant."""
        return int(self.terms.shape[1]) + 1


def whiten_features(features: np.ndarray) -> Design:
    """The features as uncorrelated terms; constants and what other features tell already are left out.

    O(n · d²) time for d features, O(n · d) memory.

    >>> whiten_features(np.array([[1.0, 2.0, 7.0], [3.0, 6.0, 7.0]])).parameters
    2
    """
    centred = features - features.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    centred = centred[:, spread > ALIKE] / spread[spread > ALIKE]
    if not centred.shape[1]:
        return Design(centred)
    variances, directions = np.linalg.eigh(centred.T @ centred / len(centred))
    kept = variances > ALIKE * variances[-1]
    return Design(centred @ (directions[:, kept] / np.sqrt(variances[kept])))


def fitted_chances(design: Design, masked: np.ndarray) -> np.ndarray:
    r"""The chance of each record to be a masked one, :math:`\hat p_i`, by maximum likelihood.

    Uncorrelated terms keep the curvature regular at the start. Where the files can be told apart there is no maximum:
    the chances go to 0 and 1 until the gradient is flat. O(n · k²) time per step of Newton's method.

    >>> same = whiten_features(np.array([[0.0], [1.0], [0.0], [1.0]]))
    >>> fitted_chances(same, np.array([False, False, True, True])).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    from sklearn.linear_model import LogisticRegression

    if not design.terms.shape[1]:
        return np.full(len(masked), masked.mean())
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=FLAT, max_iter=STEPS)
    with warnings.catch_warnings():
        # That chances of 0 and 1 leave no curvature is expected, and nothing that a user could mend.
        warnings.simplefilter("ignore")
        chances: np.ndarray = model.fit(design.terms, masked).predict_proba(design.terms)[:, 1]
    return chances


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The features of one column, the original's records first; the first ``amounts`` of them are amounts."""

    column: str
    features: np.ndarray
    amounts: int


def sample_files(
    release: Release | Masked, original: Release, lineage: np.ndarray | None, seed: int | bytes
) -> tuple[Release, Release]:
    """Masked and original, whole or, of more than 10 000 records, that many people of the original and what became of them.

    Where nobody knows what became of whom (other sizes, invented rows), the masked rows are drawn for themselves.
    """
    masked, original = two_files(release, original)
    if lineage is None and isinstance(release, Masked):
        lineage = release.lineage
    if lineage is None:
        same = masked.size == original.size
        rows = np.arange(masked.size) if same else np.full(masked.size, -1)
    else:
        rows = checked_lineage(lineage, masked=masked.size, original=original.size)
    share = min(1.0, SAMPLE / max(masked.size, original.size))
    if share == 1:
        return masked, original
    people = make_generator(child_seed(seed, "people"))
    chosen = np.zeros(original.size, dtype=bool)
    chosen[people.choice(original.size, max(1, round(share * original.size)), replace=False)] = True
    drawn = make_generator(child_seed(seed, "invented")).random(masked.size) < share
    kept = np.flatnonzero(np.where(rows >= 0, chosen[rows], drawn))
    kept = kept if len(kept) else np.arange(min(masked.size, SAMPLE))
    return masked.take(kept), original.take(np.flatnonzero(chosen))


def blocks_of(masked: Release, original: Release) -> list[Block]:
    """The features of each column of the original; one that the masked file no longer has is missing there."""
    amounts = {*numeric_columns(masked, original), *date_columns(masked, original)}
    both = common_columns(masked, original)
    found = []
    for column in common_columns(original, original):
        if column not in both:
            missing = np.concatenate([~original.valid(column), np.ones(masked.size, dtype=bool)])
            found.append(Block(column, missing[:, None].astype(float), 0))
        elif column in amounts:
            found.append(_amount_block(masked, original, column))
        else:
            found.append(_category_block(masked, original, column))
    return found


def _amount_block(masked: Release, original: Release, column: str) -> Block:
    """Standard deviations from the original's mean, and whether it is missing, which counts as the mean."""
    before, after = (as_numbers(side.series(column), column) for side in (original, masked))
    known = before[~np.isnan(before)]
    scale = float(np.abs(known).max(initial=0.0)) or 1.0
    mean = float((known / scale).mean()) * scale if len(known) else 0.0
    unit = standard_deviation(before) or scale
    numbers = np.concatenate([before, after])
    missing = np.isnan(numbers)
    numbers = np.clip(numbers / unit - mean / unit, -FARTHEST, FARTHEST)
    numbers[missing] = 0.0
    return Block(column, np.column_stack([numbers, missing]) if missing.any() else numbers[:, None], 1)


def _category_block(masked: Release, original: Release, column: str) -> Block:
    """A feature for each common category but one: the rare ones together, or else the most common."""
    coding = by_values(masked, original, column)
    codes = np.concatenate([coding.before, coding.after])
    counts = np.bincount(codes, minlength=coding.count)
    present = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    common = present[1:] if len(present) <= CATEGORIES + 1 else present[:CATEGORIES]
    return Block(column, (codes[:, None] == common[None, :]).astype(float), 0)


def cross_features(blocks: list[Block], records: int) -> tuple[np.ndarray, bool]:
    """The features of all columns with the squares of amounts, and with all products of two columns if those are few.

    Few for ``records``, the size of the smaller file: with more terms than it has records, anybody stands out.
    """
    plain = np.column_stack([block.features for block in blocks])
    squares = [block.features[:, : block.amounts] ** 2 for block in blocks if block.amounts]
    sizes = [block.features.shape[1] for block in blocks]
    products = sum(one * other for one, other in combinations(sizes, 2))
    every = plain.shape[1] + len(squares) + products
    if not products or every > min(TERMS, records // PER_TERM):
        return np.column_stack([plain, *squares]), False
    pairs = [
        (one.features[:, :, None] * other.features[:, None, :]).reshape(len(plain), -1)
        for one, other in combinations(blocks, 2)
    ]
    return np.column_stack([plain, *squares, *pairs]), True
