"""Overlap of confidence intervals: whether an analyst of the masked file comes to the same estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from ...errors import TacitError, names, typed
from ...release.masked import release_of
from ...result import Result, Results
from .design import Regressed, in_turn, regressed
from .least_squares import Intervals
from .two_files import TwoFiles

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


NAME = "interval overlap"
NORMAL = NormalDist().inv_cdf(0.975)
ROUNDING = 1e-12
"""An interval shorter than this share of its ends has no length."""


class Estimate(NamedTuple):
    """An estimate with its standard error; its 95 % interval is that of the normal distribution."""

    value: float
    error: float


def interval_overlap(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,  # noqa: ARG001
    f: Callable[[pl.DataFrame], Mapping[str, tuple[float, float] | Estimate]] | None = None,
    outcome: str | None = None,
    on: str | Iterable[str] | None = None,
) -> Results:
    r"""How far the confidence intervals from the masked file miss those from the original, mean over all coefficients.

    .. math:: 1 - \max(0, IO), \qquad IO = \frac12 \left[
              \frac{\min(u, u') - \max(l, l')}{u - l} + \frac{\min(u, u') - \max(l, l')}{u' - l'} \right]

    0, each interval is that of the original; 1, they have nothing in common (IO, in ``facts``, is then negative:
    the gap in units of their lengths). Your own model is ``f``: it gets a file as a Polars frame and gives name →
    (low, high), or name → :class:`Estimate`. Without it, least squares of the ``outcome`` on the columns ``on``
    (categories as one 0/1 term each but the first, the original's values at the level of a generalised column),
    with t-intervals of 95 % for every coefficient, the intercept included. Without either, every confidential
    amount (else every amount in turn) on the other amounts, less those that are linear combinations of the ones before
    (told in ``facts``).

    Each file is estimated by itself, over its complete records; no records are paired, and ``lineage`` is not
    needed. A coefficient that the masked file does not yield (a column without spread, a category that is gone) is
    lost whole. An interval without length counts as covered (1) or not (0). The result for a coefficient has its
    name as ``column``.

    Utility, measured (F-03). O(n log n + n · m²) time for m terms, however many outcomes; or that of ``f``, twice.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]))
    >>> def mean(frame):
    ...     return {"mean pay": Estimate(frame["pay"].mean(), frame["pay"].std() / len(frame) ** 0.5)}
    >>> round(interval_overlap(m, original=r, f=mean)["mean pay"].value, 3)
    0.395

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006), A framework for evaluating the utility of data altered to protect
    confidentiality, The American Statistician 60, 224–232.
    """
    masked, original = release_of(release), release_of(original)
    if f is not None:
        if outcome is not None or on is not None:
            raise TacitError("both f and a regression are given", fix="give f=…, or outcome=… and on=…")
        return _results(_compared(_asked(f, original, "original"), _asked(f, masked, "masked file")), {})
    files = TwoFiles(masked, original, np.arange(masked.size), original.size)
    if (outcome is None) != (on is None):
        raise TacitError("a regression needs an outcome and what explains it", fix="outcome='pay', on=['age', 'sex']")
    if outcome is not None:
        columns = names(on)
        _checked(files, outcome, columns)
        return _results(_named(outcome, regressed(files, outcome, columns)), {})
    found = in_turn(files, *_usual(files))
    parts = [part for one, each in found.items() for part in _named(one, each)]
    return _results(parts, {one: each.left_out for one, each in found.items()})


def overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The overlap of two intervals as a share of their lengths, mean of both; negative when they are apart.

    >>> overlap((0.0, 2.0), (1.0, 3.0)), overlap((0.0, 1.0), (2.0, 3.0)), overlap((0.0, 4.0), (1.0, 2.0))
    (0.5, -1.0, 0.625)
    """
    common = min(first[1], second[1]) - max(first[0], second[0])
    lengths = first[1] - first[0], second[1] - second[0]
    least = ROUNDING * max(abs(end) for end in (*first, *second))
    return sum((common / length if length > least else float(common >= -least)) for length in lengths) / 2


def _usual(files: TwoFiles) -> tuple[list[str], list[str]]:
    """The outcomes, and all amounts."""
    own = files.itself().amounts()  # of the original alone, so that every masked file of it is measured by the same
    amounts = [column for column in own if column in files.columns() and files.original.distinct(column) > 1]
    if not amounts:
        raise TacitError("no common column holds varying amounts in the original", fix="give your own model: f=…")
    return [column for column in amounts if column in files.original.confidential] or amounts, amounts


def _named(outcome: str, found: Regressed) -> list[Result]:
    before, after = (
        {f"{outcome}: {term}": ends for term, ends in one.items()} for one in (found.original, found.masked)
    )
    return _compared(before, after)


def _checked(files: TwoFiles, outcome: str, on: tuple[str, ...]) -> None:
    for column in (outcome, *on):
        for release in (files.original, files.masked):
            names(column, release.columns)
    if outcome in on:
        raise TacitError("cannot explain itself", column=outcome, fix="leave it out of on=…")
    if outcome not in files.amounts():
        raise TacitError("holds no amounts in one of the files", column=outcome, fix="give your own model: f=…")


def _compared(before: Intervals, after: Intervals) -> list[Result]:
    return [_part(name, ends, after.get(name)) for name, ends in before.items()]


def _part(name: str, before: tuple[float, float], after: tuple[float, float] | None) -> Result:
    facts: dict[str, object] = {"interval of the original": before}
    value = 1.0
    if after is None:
        facts["the masked file determines it"] = False
    else:
        shared = overlap(before, after)
        facts |= {"interval of the masked file": after, "overlap": shared}
        value = 1.0 - max(0.0, shared)
    return Result(name=NAME, column=name, value=value, worse="high", about="utility", facts=facts)


def _results(parts: list[Result], left_out: Mapping[str, tuple[str, ...]]) -> Results:
    mean = sum(part.value for part in parts) / len(parts)
    facts: dict[str, object] = {"coefficients": len(parts)}
    facts |= {f"left out of {outcome}": list(terms) for outcome, terms in left_out.items() if terms}
    return Results((Result(name=NAME, value=mean, worse="high", about="utility", facts=facts), *parts))


def _asked(f: Callable[[pl.DataFrame], Any], release: Release, which: str) -> Intervals:
    """What the user's model says of a file; its errors in our words, because theirs may quote cells."""
    frame = pl.DataFrame([release.series(column).alias(column) for column in release.columns])
    try:
        given = f(frame)
    except Exception as problem:
        raise TacitError(
            f"f fails on the {which} ({type(problem).__name__})", fix="try it on the frame itself"
        ) from None
    if not isinstance(given, Mapping) or not given:
        raise TacitError(
            f"f gives {typed(given)} for the {which}", fix="return {'name': (low, high)} or {'name': Estimate(…)}"
        )
    return {str(name): _interval(str(name), one, which) for name, one in given.items()}


def _interval(name: str, given: Any, which: str) -> tuple[float, float]:
    try:
        first, second = (float(end) for end in given)
    except (TypeError, ValueError):
        first = second = float("nan")
    if isinstance(given, Estimate):
        first, second = first - NORMAL * second, first + NORMAL * second
    if not (isfinite(first) and isfinite(second) and first <= second):
        raise TacitError(
            f"f gives no interval named {name!r} for the {which}",
            fix="return (low, high) with low ≤ high, or Estimate(value, error), both finite",
        )
    return first, second
