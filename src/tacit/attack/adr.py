"""Model-based attribute disclosure by the lecture's name: how often a model that never saw a person says what is true."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..claims.gain import above_own
from ..claims.judge import judge
from ..claims.values import known_values
from ..errors import TacitError, check_int
from ..loss.learning.estimators import Estimator
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from ..risk.intervals import checked_percent
from ._scenarios import scenario_of, truth_of
from ._target import single_guess, target_of, with_values
from ._value_scoring import without_own
from .inference import Inference


def adr(
    masked: Masked | Release,
    *,
    original: Release,
    column: str,
    knows: str | Iterable[str] | None = None,
    estimator: Estimator = "boosting",
    percent: float = 10,
    folds: int = 5,
    lineage: np.ndarray | None = None,
    seed: int | bytes | None = None,
) -> Result:
    r"""The share of people whose true value a model says that was learnt from the released records of the others.

    .. math:: adr = \frac1{|X|} \sum_{i=1}^{k} \bigl|\{x \in C_i :\ M_{X' \setminus C_i}(x) = V(x)\}\bigr|

    The people are dealt into ``folds`` :math:`C_i`; the model of :class:`Inference` learns from the masked records of all other
    folds, and is asked about the original ones. A number is a hit within ``percent`` % of the standard deviation of V. In
    the lecture the masked file X′ does not occur in the formula; here it is what is learnt from.

    No record is predicted by a model that saw it, so this is knowledge about the world that the release spreads, not what it
    betrays of single people: for that compare it with the same model on the whole release. ``facts`` have the best
    single guess for everybody (the most frequent true value, or the number that most people are near to, see
    :func:`.values.single_guess.single_guess`), and the gain above it with its interval. ``knows`` are the columns that the intruder knows, the quasi-identifiers when absent. ``per_record`` is 1 for
    each person hit. Costs ``folds`` fits.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"zip": ["N1", "N2", "N3"] * 40, "ill": ["flu", "gout", "flu"] * 40})
    >>> r = Release(frame, quasi="zip", confidential="ill")
    >>> found = adr(r, original=r, column="ill", lineage=np.arange(120), seed=1)
    >>> found.value, round(found.facts["best single guess"], 2), round(found.facts["gain"], 2)
    (1.0, 0.67, 0.33)

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    """
    check_int("folds", folds, least=2)
    checked_percent(percent)
    release = release_of(masked)
    scenario = scenario_of(masked, original, knows=knows)
    attack = Inference(column=column, estimator=estimator)
    why_not = attack.applies(release, scenario)
    if why_not:
        raise TacitError(
            f"cannot be inferred: {why_not}",
            code="not_applicable",
            column=column,
            fix="name other columns, column= and knows=",
        )
    people = release_of(original)
    truth = with_values(truth_of(masked, original, lineage), release, people, column, percent=percent)

    model = judge(without_own(attack, release, scenario, truth, folds=folds, seed=seed), truth)
    assert model.per_record is not None and truth.values is not None
    known = known_values(truth.values)
    target = target_of(release, column)
    last = target.count - 1 if target.codes is not None else np.inf  # a code beyond is no value of the release
    guess = single_guess(np.where(truth.values <= last, truth.values, np.nan)[known], within=truth.within)
    gain, interval = above_own(model.per_record.values()[known], guess)
    return Result(
        name="model-based disclosure (adr)",
        column=column,
        value=model.value,
        interval=model.interval,
        worse="high",
        about="attribute",
        facts={
            "best single guess": float(guess.mean()) if len(guess) else 0.0,
            "gain": gain,
            "interval of the gain": interval,
            "folds": min(folds, people.size),
            **model.facts,
        },
        per_record=model.per_record,
    )
