"""Divergence: what becomes of the statistic that the user cares about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from ..errors import Cancelled, TacitError, format_value, suggest_alternative
from ..release.masked import release_of
from ..result import Result, Results

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


def divergence(
    release: Release | Masked,
    *,
    original: Release,
    f: Callable[[pl.DataFrame], Any],
    between: Literal["absolute", "relative", "euclidean", "hellinger"] | Callable[[Any, Any], float] = "relative",
    lineage: np.ndarray | None = None,  # noqa: ARG001
) -> Results:
    r"""How far a statistic of the masked file lies from that of the original: :math:`d(f(X), f(X'))`, for any f.

    ``f`` takes a Polars frame and returns a number, several (an array, a list, a Polars series) or a mapping of names to
    numbers. ``between`` says how two of its values a (original) and b (masked) are compared:

    ============== ============================================================================================
    ``relative``   :math:`\sum |b - a| / \sum |a|`
    ``absolute``   the mean of :math:`|b - a|`
    ``euclidean``  :math:`\sqrt{\sum (b - a)^2}`
    ``hellinger``  :math:`\sqrt{\tfrac12 \sum (\sqrt{b} - \sqrt{a})^2}`, each first divided by its sum: counts or
                   shares; of a mapping, a name that one file lacks counts 0
    a function     ``between(a, b)``, a number from 0 on; it gets what f returned, of whatever type
    ============== ============================================================================================

    The first result is this figure. With ``relative`` and ``absolute``, one for each name of a mapping follows by the
    same rule; a name whose original number is 0 has no relative change. f sees each whole file: no records are paired.

    Utility, measured. The cost is that of f, on both files in memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 10.0], [1.0, 2.5, 9.0]))
    >>> divergence(m, original=r, f=lambda frame: frame["pay"].median(), between="relative")[0].value
    0.25

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata, in Doyle et al.,
    Confidentiality, Disclosure and Data Access, 91–110.
    """
    if not callable(f):
        raise TacitError(
            f"f is {format_value(f)}, not a function",
            code="wrong_type",
            fix='e.g. f=lambda frame: frame["pay"].median()',
        )
    if not callable(between) and between not in WAYS:
        raise TacitError(
            f"two values cannot be compared by between={format_value(between)}",
            code="not_applicable",
            fix=suggest_alternative(str(between), WAYS),
        )
    before, after = (
        _apply_statistic(f, release_of(one), file) for one, file in ((original, "original"), (release, "masked"))
    )
    if callable(between):
        return Results((_divergence_result(_user_distance(between, before, after)),))
    names, old, new = _lined_up(before, after, union=between == "hellinger")
    parts = [_divergence_result(WAYS[between](old, new))]
    if between in ("relative", "absolute"):
        known = [at for at, name in enumerate(names) if between == "absolute" or old[at]]
        parts += [_divergence_result(WAYS[between](old[[at]], new[[at]]), names[at]) for at in known]
    return Results(tuple(parts))


def _apply_statistic(f: Callable[[pl.DataFrame], Any], release: Release, file: str) -> Any:
    frame = pl.DataFrame({column: release.series(column) for column in release.columns})
    try:
        return f(frame)
    except Cancelled:
        raise
    except Exception as problem:
        # The message of a stranger's error may hold cells of the data, and so may its traceback.
        raise TacitError(
            f"f failed on the {file} file: {type(problem).__name__}",
            code="not_applicable",
            fix="try it by itself on a Polars frame with the columns " + ", ".join(release.columns[:10]),
        ) from None


def _user_distance(between: Callable[[Any, Any], float], before: Any, after: Any) -> float:
    try:
        value = float(between(before, after))
    except Cancelled:
        raise
    except Exception as problem:
        raise TacitError(
            f"between failed: {type(problem).__name__}",
            code="not_applicable",
            fix="it takes what f returned for both files, and gives a number",
        ) from None
    if not 0 <= value < float("inf"):
        raise TacitError(
            "between gave no number from 0 on",
            code="not_applicable",
            fix="give a distance, e.g. lambda a, b: abs(a - b)",
        )
    return value


def _lined_up(before: Any, after: Any, *, union: bool) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The names, if it was a mapping, and the numbers of both files in the same order."""
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        old, new = _statistic_numbers(before, "original"), _statistic_numbers(after, "masked")
        if old.shape != new.shape:
            what = f"f gave {old.size} numbers for the original file and {new.size} for the masked one"
            raise TacitError(
                what, code="already_masked", fix="let f return as many for every file, or a mapping of names to numbers"
            )
        return [], old.ravel(), new.ravel()
    absent = {**dict.fromkeys(before, 0.0), **dict.fromkeys(after, 0.0)} if union else {}
    old_of, new_of = {**absent, **before}, {**absent, **after}
    if old_of.keys() != new_of.keys():
        lacking = len(old_of.keys() ^ new_of.keys())
        what = f"f named {lacking} numbers for one file that it did not for the other"
        raise TacitError(
            what,
            code="already_masked",
            fix="let f return the same names for every file, or compare with between='hellinger'",
        )
    order = list(old_of)
    old, new = (
        _statistic_numbers([old_of[name] for name in order], "original"),
        _statistic_numbers([new_of[name] for name in order], "masked"),
    )
    return [str(name) for name in order], old, new


def _statistic_numbers(found: Any, file: str) -> np.ndarray:
    try:
        numbers = np.asarray(found.to_list() if isinstance(found, pl.Series) else found, dtype=float)
    except (TypeError, ValueError):
        raise TacitError(
            f"f gave a {type(found).__name__} for the {file} file that holds other things than numbers",
            code="not_applicable",
            fix="let f return a number, an array or a mapping of names to numbers, or give between= a function",
        ) from None
    if not numbers.size or not np.isfinite(numbers).all():
        what = "nothing" if not numbers.size else "missing or infinite numbers"
        raise TacitError(
            f"f gave {what} for the {file} file",
            code="not_applicable",
            fix="let f drop missing values, e.g. with drop_nulls()",
        )
    return numbers


def _relative_change(before: np.ndarray, after: np.ndarray) -> float:
    change, size = np.abs(after - before).sum(), np.abs(before).sum()
    if not size and change:
        raise TacitError(
            "f gave 0 for the original file, and no change is relative to 0",
            code="not_applicable",
            fix="use between='absolute'",
        )
    return float(change / size) if size else 0.0


def _absolute_change(before: np.ndarray, after: np.ndarray) -> float:
    return float(np.abs(after - before).mean())


def _euclidean_distance(before: np.ndarray, after: np.ndarray) -> float:
    return float(np.linalg.norm(after - before))


def _hellinger_distance(before: np.ndarray, after: np.ndarray) -> float:
    if min(before.min(), after.min()) < 0 or not before.sum() or not after.sum():
        raise TacitError(
            "f gave no distribution",
            code="not_applicable",
            fix="hellinger compares counts or shares: none below 0, not all 0",
        )
    roots = np.sqrt(after / after.sum()) - np.sqrt(before / before.sum())
    return float(np.sqrt((roots**2).sum() / 2))


WAYS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "relative": _relative_change,
    "absolute": _absolute_change,
    "euclidean": _euclidean_distance,
    "hellinger": _hellinger_distance,
}
"""How two values of f are compared."""


def _divergence_result(value: float, column: str | None = None) -> Result:
    if not np.isfinite(value):
        raise TacitError(
            "the numbers that f gave are too large to compare",
            code="too_large",
            fix="let f scale them, e.g. to thousands",
        )
    return Result(name="divergence", column=column, value=value, worse="high", about="utility")
