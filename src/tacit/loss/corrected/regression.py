"""Regression on columns with noise: the coefficients that the original would have given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_columns
from ...release.pairs import numeric_columns
from ...seed import DEFAULT_SEED
from .estimates import Corrected
from .moments import GroupSums, sum_by_group
from .step_inverses import MULTIPLIED_NOISE, NOISE, SecondMoments, StepInverse, undo_of
from .steps import check_strata_unchanged, release_and_steps, selection_notes, steps_changing

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release
    from ...release.trace import Trace


SINGULAR = 1e-9
"""Of the correlations of columns: a direction with less variance than this is none."""

STEP = 1e-5
"""Of the product of two standard deviations: by how much a covariance is moved to see what depends on it."""

Estimate = Callable[[SecondMoments], np.ndarray]


def regression(
    release: Release | Masked,
    *,
    outcome: str,
    on: str | Iterable[str],
    trace: Sequence[Trace] | None = None,
    seed: int | bytes = DEFAULT_SEED,
) -> Corrected:
    r"""The coefficients of a linear regression, corrected for the noise in its columns.

    Noise in the columns :math:`X'` draws the coefficients towards 0, and sends what they lose to others. With the
    covariances before the noise (:func:`.covariance.covariance`) they are what they were:

    .. math:: \hat\beta = (S_{X'X'} - \Sigma_{\varepsilon\varepsilon})^{-1} (S_{X'y'} - \Sigma_{\varepsilon y}),
              \qquad \hat\alpha = \bar y - \hat\beta' \bar x

    Noise in the outcome alone leaves them unbiased. Noise of one variance, correlated like the data, leaves them too.
    The standard error is as in :func:`.covariance.covariance`. O(n · columns²) time, O(n · columns) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import AddNoise
    >>> age = np.random.default_rng(1).normal(40, 10, 20000)
    >>> r = Release(pl.DataFrame({"age": age, "pay": 100 + 2 * age}))
    >>> m = r.protect(AddNoise(columns="age", variance=1), seed=7)
    >>> found = regression(m.release, trace=m.trace, outcome="pay", on="age")
    >>> found.names, found.naive.round(1).tolist()[1], found.corrected.round(1).tolist()[1]
    ((('intercept',), ('age',)), 1.0, 2.0)

    References
    ----------
    Fuller (1987), Measurement error models, Wiley.
    """
    chosen = check_columns(on)
    if not chosen or outcome in chosen or not isinstance(outcome, str):
        raise TacitError(
            f"{outcome!r} cannot be explained by {', '.join(chosen) or 'no column'}",
            code="not_applicable",
            fix="name one outcome and other columns: outcome='pay', on=['age']",
        )
    found = recover_moments(release, trace, (*chosen, outcome), seed)

    value, error = found.estimate_with_error(_regression_coefficients)
    return Corrected(
        names=(("intercept",), *((column,) for column in chosen)),
        naive=_regression_coefficients(found.sums.second_moments()),
        corrected=value,
        standard_error=error,
        records=found.sums.records,
        notes=found.notes,
    )


def _regression_coefficients(second: SecondMoments) -> np.ndarray:
    """Intercept and slopes; the outcome is the last column."""
    inside = second.total[:-1, :-1]
    if not is_positive_definite(inside):
        raise TacitError(
            "the covariance of the explaining columns is not positive definite: columns are sums of each other, "
            "or the noise is too large for so few records",
            code="out_of_range",
            fix="name fewer columns in on=…",
        )
    slopes = np.linalg.solve(inside, second.total[:-1, -1])
    return np.append(second.mean[-1] - slopes @ second.mean[:-1], slopes)


def covariance(
    release: Release | Masked,
    *,
    trace: Sequence[Trace] | None = None,
    columns: str | Iterable[str] | None = None,
    seed: int | bytes = DEFAULT_SEED,
) -> Corrected:
    r"""The variances and covariances that the columns had before noise was added.

    Independent noise of published covariance adds to that of the data, and is taken away again:

    .. math:: \hat\Sigma_X = S_{X'} - \Sigma_\varepsilon; \qquad
              \hat\sigma_{ij} = \frac{s'_{ij}}{1 + \sqrt{k_i k_j}}

    where :math:`\Sigma_\varepsilon` is in the trace, and else, where only the parameter ``variance`` :math:`k` is known,
    by deflation (of uncorrelated noise the variances only; in strata the part of the covariance inside them). Noise with
    the transformation of Kim keeps the covariances of its own columns and shrinks those with others, which are
    stretched. After multiplication by a factor with variance :math:`v`, :math:`E(X^2) = E(X'^2)/(1 + v)`. Columns
    masked several times are followed back step by step; whole numbers lose 1/12 for their rounding. Steps on other
    columns do not matter; a step that cannot be undone is refused by its name.

    Without ``columns``: all amounts that were masked by noise. Uses the records that have all of them, unweighted, and of
    the trace only what is published. A standard error is that of the people *and* of the noise (100 groups of records,
    drawn by ``seed``, are left out in turn), so for the very file that was masked it is on the safe side. Where the noise
    was scaled by the covariance of the very sample, and that of the noise is not published (``form="transformed"``, strata,
    or a trace without it), people set the scale of everybody's noise, too; that is added, by the moments of the noise.
    O(n · columns²) time, O(n · columns) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import AddNoise
    >>> r = Release(pl.DataFrame({"pay": np.random.default_rng(1).normal(50, 10, 5000)}), confidential="pay")
    >>> m = r.protect(AddNoise(columns="pay", variance=0.5), seed=7)
    >>> found = covariance(m.release, trace=m.trace)
    >>> (found.naive / r.floats("pay").var()).round(1).tolist(), (found.corrected / r.floats("pay").var()).round(1).tolist()
    ([1.5], [1.0])

    References
    ----------
    Kim (1986), A method for limiting disclosure in microdata based on random noise and transformation, Proceedings of the
    Section on Survey Research Methods, American Statistical Association, 303–308.
    Fuller (1993), Masking procedures for microdata disclosure limitation, Journal of Official Statistics 9, 383–406.
    """
    found = recover_moments(release, trace, columns, seed)
    corner = np.triu_indices(len(found.columns))
    value, error = found.estimate_with_error(lambda second: second.total[corner])
    notes = found.notes
    if not is_positive_definite(found.undo_steps(found.sums.second_moments()).total):
        notes = (*notes, "the corrected matrix is not positive definite: the noise is too large for so few records")
    pairs = tuple((found.columns[i], found.columns[j]) for i, j in zip(*corner, strict=True))
    naive = found.sums.second_moments().total[corner]
    return Corrected(
        names=pairs, naive=naive, corrected=value, standard_error=error, records=found.sums.records, notes=notes
    )


def correlation(
    release: Release | Masked,
    *,
    trace: Sequence[Trace] | None = None,
    columns: str | Iterable[str] | None = None,
    seed: int | bytes = DEFAULT_SEED,
) -> Corrected:
    r"""The correlations that the columns had before noise was added, from :func:`covariance`.

    .. math:: \hat\rho_{ij} = \hat\sigma_{ij} / \sqrt{\hat\sigma_{ii} \hat\sigma_{jj}}

    Estimates beyond ±1 are possible, and are given as they are with a note. O(n · columns²) time.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import AddNoise
    >>> x = np.random.default_rng(1).normal(size=5000)
    >>> r = Release(pl.DataFrame({"x": x, "y": x}))
    >>> m = r.protect(AddNoise(columns=["x", "y"], variance=1, form="uncorrelated"), seed=7)
    >>> found = correlation(m)
    >>> found.naive.round(1).tolist(), found.corrected.round(1).tolist()
    ([0.5], [1.0])

    References
    ----------
    Fuller (1987), Measurement error models, Wiley.
    """
    found = recover_moments(release, trace, columns, seed)
    if len(found.columns) < 2:
        raise TacitError(
            "one column has no correlation", code="no_usable_column", fix="name two or more: columns=['age', 'pay']"
        )
    corner = np.triu_indices(len(found.columns), 1)

    def estimate(second: SecondMoments) -> np.ndarray:
        total = second.total
        _refuse_negative(found.columns, total)
        root = np.sqrt(np.diag(total))
        scaled: np.ndarray = (total / np.outer(root, root))[corner]
        return scaled

    value, error = found.estimate_with_error(estimate)
    notes = found.notes
    if (np.abs(value) > 1).any():
        notes = (*notes, "a correlation beyond 1 is none: by the standard error it may be 1")
    total = found.sums.second_moments().total
    naive = (total / np.sqrt(np.outer(np.diag(total), np.diag(total))))[corner]
    return Corrected(
        names=tuple(combinations(found.columns, 2)),
        naive=naive,
        corrected=value,
        standard_error=error,
        records=found.sums.records,
        notes=notes,
    )


def recover_moments(
    release: Release | Masked, trace: Sequence[Trace] | None, columns: str | Iterable[str] | None, seed: int | bytes
) -> OriginalMoments:
    """The moments of the release, and the way back from them; refuses columns that cannot be corrected."""
    table, steps = release_and_steps(release, trace)
    table.capabilities.require("can_read_columns", "moments of the original cannot be estimated")
    chosen = check_columns(columns, table.columns) or _noisy_columns(table, steps)
    for column in chosen:
        if table.types[column] not in ("integer", "number"):
            raise TacitError(
                f"holds {table.types[column]}, not amounts",
                code="wrong_kind",
                column=column,
                fix="name columns of numbers",
            )
    done = steps_changing(steps, chosen, table)
    ways = tuple(undo_of(step, chosen, table) for step in reversed(done))
    strata = _masking_strata(done)
    check_strata_unchanged(steps, strata, table)
    notes = dict.fromkeys([*selection_notes(steps), *(note for way in ways for note in way.notes)])
    return OriginalMoments(chosen, sum_by_group(table, chosen, strata, seed), ways, tuple(notes))


def is_positive_definite(matrix: np.ndarray) -> bool:
    """Whether a covariance matrix is one of columns that vary, none of them a sum of others."""
    if not (np.diag(matrix) > 0).all():
        return False
    root = np.sqrt(np.diag(matrix))
    return bool(np.linalg.eigvalsh(matrix / np.outer(root, root)).min() > SINGULAR)


def _noisy_columns(release: Release, steps: Sequence[Trace]) -> tuple[str, ...]:
    """The amounts that a step of noise masked."""
    named = {
        column for step in steps if step.model in NOISE for column in check_columns(step.parameters.get("columns"))
    }
    found = tuple(column for column in numeric_columns(release, release) if column in named)
    if not found:
        raise TacitError(
            "no amount was masked by noise",
            code="already_masked",
            fix="name columns=…; those that no step changed stay as they are",
        )
    return found


def _masking_strata(steps: Sequence[Trace]) -> tuple[str, ...]:
    """The strata in which the columns were masked: one set of them, and no other step that they would not go with."""
    every = {check_columns(step.parameters.get("strata")) for step in steps} - {()}
    if not every:
        return ()
    other = next((step.method for step in steps if step.model == MULTIPLIED_NOISE), None)
    if len(every) > 1 or other:
        raise TacitError(
            f"noise in strata and {other or 'noise in other strata'} on the same columns cannot be taken back together",
            code="not_applicable",
            fix="estimate the columns of each step by themselves",
        )
    return every.pop()


def _refuse_negative(columns: Sequence[str], total: np.ndarray) -> None:
    for column, variance in zip(columns, np.diag(total), strict=True):
        if variance <= 0:
            raise TacitError(
                "has a corrected variance of 0 or less: the noise leaves nothing to tell in so few records",
                code="too_few_records",
                column=column,
                fix="leave the column out; its variance stands in covariance()",
            )


@dataclass(frozen=True, slots=True, eq=False)
class OriginalMoments:
    """The sums of a release, and what leads from its moments to those of the original: the last step is undone first."""

    columns: tuple[str, ...]
    sums: GroupSums
    ways: tuple[StepInverse, ...]
    notes: tuple[str, ...]

    def undo_steps(self, second: SecondMoments, *, first: int = 0, last: int | None = None) -> SecondMoments:
        """The moments before the steps; ``first`` and ``last`` are places among those to be undone."""
        for way in self.ways[first:last]:
            second = way.undo(second)
        return second

    def estimate_with_error(self, estimate: Estimate) -> tuple[np.ndarray, np.ndarray]:
        r"""What the estimate makes of the original moments, and its standard error.

        One group g of G records after the other is left out:

        .. math:: se^2 = \frac{G-1}{G} \sum_g (\hat\theta_{(g)} - \bar\theta)^2 + \text{the part of the scale}

        The first part takes the masked records as drawn one by one. Where the covariance of the noise is a share of that of
        the very sample, and was not published, it is not all: see :meth:`_noise_scale`.
        """
        each = self._left_out(lambda second: estimate(self.undo_steps(second)))
        spread = _jackknife_variance(each)
        for place, way in enumerate(self.ways):
            if way.share is not None:
                spread = spread + self._noise_scale_variance(place, way, estimate)
            if way.shrunk is not None:
                spread = spread + self._centre_variance(place, way, estimate)
        return estimate(self.undo_steps(self.sums.second_moments())), np.sqrt(spread)

    def _left_out(self, estimate: Estimate) -> np.ndarray:
        return np.array([estimate(self.sums.second_moments(without)) for without in range(len(self.sums.count))])

    def _noise_scale_variance(self, place: int, way: StepInverse, estimate: Estimate) -> np.ndarray:
        r"""The variance that comes from noise whose covariance is a share of the sample's own, E = share · S.

        With T = S'/c, c = 1 + share, the covariance after the noise deflated, and V the variance of the original S,
        C that of what the noise adds to S' (both per record), T has the variance V + C/c²: the noise swells with the sample. Leaving
        records out sees (V + C)/c², so that V (1 − 1/c²) is missing; V itself is c² times what leaving out sees, less C. An
        estimate takes the same along its gradient. Noise that was made to leave the sample's covariance exactly as it was
        adds no C at all. Never negative: C is estimated, too.
        """
        share = way.share
        assert share is not None
        corner = np.triu_indices(len(self.columns))
        whole = self.undo_steps(self.sums.second_moments(), last=place + 1)
        base = way.noise_base(whole)
        gradient = self._estimate_gradient(place, way, whole, estimate, corner)
        each = self._left_out(lambda second: way.noise_base(self.undo_steps(second, last=place + 1))[corner])
        wide = (1.0 + share)[corner]
        added = _added_variance(base, share * base, way.flatness, corner) / self.sums.records
        kept = np.where(way.exact[corner], 0.0, 1.0 / wide)
        missing = (
            _jackknife_variance(each @ (gradient * wide).T)
            - _jackknife_variance(each @ gradient.T)
            - _quadratic_form(gradient, added)
            + _quadratic_form(gradient * kept, added)
        )
        positive: np.ndarray = np.maximum(0.0, missing)
        return positive

    def _centre_variance(self, place: int, way: StepInverse, estimate: Estimate) -> np.ndarray:
        """The variance of means that comes from values drawn towards the mean of the very sample.

        After y = m + (x + ε − m)/√(1 + k), m the sample's mean, the mean of y moves with m as a whole, where leaving records
        out sees 1/√(1 + k) of it: of the covariance Σ/n of two means the part 1 − 1/(1 + k) is missing.
        """
        whole = self.undo_steps(self.sums.second_moments(), last=place + 1)
        step, rows = STEP * np.sqrt(np.abs(np.diag(whole.total))), []
        for column in range(len(self.columns)):
            move = np.where(np.arange(len(self.columns)) == column, step, 0.0)
            ends = [
                estimate(
                    self.undo_steps(SecondMoments(whole.mean + by * move, whole.total, whole.within), first=place + 1)
                )
                for by in (-1.0, 1.0)
            ]
            rows.append((ends[1] - ends[0]) / (2.0 * step[column]))
        missing = _quadratic_form(np.array(rows).T, way.shrunk * way.noise_base(whole)) / self.sums.records
        return np.maximum(0.0, missing)

    def _estimate_gradient(
        self, place: int, way: StepInverse, whole: SecondMoments, estimate: Estimate, corner: Sequence[np.ndarray]
    ) -> np.ndarray:
        """How the estimates move with each covariance before the step: estimates × covariances."""
        base, rows = way.noise_base(whole), []
        root = np.sqrt(np.abs(np.diag(base)))
        for i, j in zip(*corner, strict=True):
            move = np.zeros_like(base)
            move[i, j] = move[j, i] = STEP * root[i] * root[j]
            ends = [
                estimate(
                    self.undo_steps(
                        SecondMoments(whole.mean, whole.total + by * move, whole.within + by * move), first=place + 1
                    )
                )
                for by in (-1.0, 1.0)
            ]
            rows.append((ends[1] - ends[0]) / (2.0 * move[i, j]))
        return np.array(rows).T


def _jackknife_variance(each: np.ndarray) -> np.ndarray:
    """The jackknife variance of each column, from the values without one group after the other."""
    count = len(each)
    found: np.ndarray = (count - 1) / count * ((each - each.mean(axis=0)) ** 2).sum(axis=0)
    return found


def _quadratic_form(gradient: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.einsum("ep,pq,eq->e", gradient, matrix, gradient)
    return found


def _added_variance(base: np.ndarray, noise: np.ndarray, flatness: float, corner: Sequence[np.ndarray]) -> np.ndarray:
    """The covariances, per record, of what noise adds to the products of values: x ε' + ε x' + ε ε' of independent x and ε."""
    (i, j), (k, m) = corner, corner

    def crossed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        found: np.ndarray = one[np.ix_(i, k)] * other[np.ix_(j, m)] + one[np.ix_(i, m)] * other[np.ix_(j, k)]
        return found

    found: np.ndarray = crossed(base, noise) + crossed(noise, base) + flatness * crossed(noise, noise)
    return found
