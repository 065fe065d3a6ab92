"""Intruders who do not know everything: some people only, and values that are noisy, outdated or missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value
from ..release.kinds import ORDERED
from ..release.release import Release
from ..seed import child_seed, make_generator
from .scenario import Scenario

Amount: TypeAlias = float | Mapping[str, float] | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DegradedScenario:
    """A weaker intruder: its ``scenario``, and which ``rows`` of the file it was made from it still has.

    The truth is cut alike: ``truth.of_rows(found.rows)``.
    """

    scenario: Scenario
    rows: np.ndarray


def degrade_scenario(
    scenario: Scenario,
    *,
    share: float | None = None,
    noise: Amount = None,
    errors: Amount = None,
    missing: Amount = None,
    seed: int | bytes,
) -> DegradedScenario:
    """An intruder who has less than the scenario says: the worst case is seldom the likely one.

    ``share`` of the people, drawn at random, and at least one; it then knows no longer that it has everybody of the
    release (``covers``), and its rows stand in random order. ``noise``: numbers and dates are off by normal errors with a standard
    deviation of so many of the column's own; whole numbers and days stay whole. ``errors``: this share of the cells is
    replaced by another value of the same column, as often as each occurs: an old address, a wrong code. ``missing``: this
    share of the cells is unknown. Each may be one number (noise for all numbers and dates, errors for all other
    columns, missing for all) or a number by column; noise on a column of categories is refused.

    An intruder who takes its wrong values for right ones may be sure of wrong links: the judge's fact ``sure links that
    are right`` shows it. Fewer columns are a matter of ``knows``. Every column draws from a seed of its own. O(cells).

    >>> original = Release(pl.DataFrame({"age": [20, 31, 44, 59], "sex": ["f", "m", "f", "m"]}), quasi=["age", "sex"])
    >>> found = degrade_scenario(Scenario.worst_case(original), share=0.5, errors=0.1, seed=7)
    >>> found.scenario.file.size, len(found.rows), found.scenario.covers
    (2, 2, False)
    """
    file = scenario.file
    rows = np.arange(file.size)
    if share is not None:
        kept = max(1, round(_check_amount("share", share) * file.size))
        rows = make_generator(child_seed(seed, "people")).permutation(file.size)[:kept]
        file = file.take(rows)
    numbers = tuple(column for column in file.columns if _is_numeric(file, column))
    others = tuple(column for column in file.columns if column not in numbers)
    steps: tuple[tuple[str, Amount, tuple[str, ...], Change], ...] = (
        ("noise", noise, numbers, _with_noise),
        ("errors", errors, others, _with_errors),
        ("missing", missing, file.columns, _with_missing),
    )
    for word, amount, usual, change in steps:
        for column, size in _by_column(word, amount, usual, file).items():
            file = file.with_columns(
                {column: change(file, column, size, make_generator(child_seed(seed, word, column)))}
            )
    covers = scenario.covers and len(rows) == scenario.file.size
    households = None if scenario.households is None else scenario.households[rows]
    return DegradedScenario(scenario=replace(scenario, file=file, covers=covers, households=households), rows=rows)


Change: TypeAlias = Callable[[Release, str, float, np.random.Generator], pl.Series]


def _with_noise(file: Release, column: str, size: float, rng: np.random.Generator) -> pl.Series:
    values = file.series(column)
    if not _is_numeric(file, column):
        raise TacitError(
            "holds no numbers or dates to be off by", code="wrong_kind", column=column, fix="use errors= for categories"
        )
    numbers = values.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    known = numbers[np.isfinite(numbers)]
    off = numbers + rng.standard_normal(len(numbers)) * size * (float(known.std()) if len(known) else 0.0)
    noisy = pl.Series(column, off).fill_nan(None)
    if values.dtype.is_float():
        return noisy.cast(values.dtype)
    whole = noisy.round().cast(values.to_physical().dtype, strict=False)
    return whole.cast(values.dtype, strict=False)


def _with_errors(file: Release, column: str, size: float, rng: np.random.Generator) -> pl.Series:
    """Another value for some of the known cells: that of a random record which has a different one."""
    codes = file.codes(column)
    known = codes.codes < len(codes.dictionary)
    sorted_codes = np.sort(codes.codes[known])
    first = np.searchsorted(sorted_codes, codes.codes, side="left")
    count = np.searchsorted(sorted_codes, codes.codes, side="right") - first
    different = len(sorted_codes) - count
    drawn = rng.random((2, file.size))
    changed = known & (drawn[0] < size) & (different > 0)
    place = (drawn[1] * different).astype(np.int64)
    place += np.where(place >= first, count, 0)
    new = codes.codes.copy()
    new[changed] = sorted_codes[place[changed]]
    return codes.dictionary.extend_constant(None, 1).gather(np.minimum(new, len(codes.dictionary)))


def _with_missing(file: Release, column: str, size: float, rng: np.random.Generator) -> pl.Series:
    hidden = pl.Series(rng.random(file.size) < size)
    return file.series(column).to_frame(column).select(pl.when(~pl.lit(hidden)).then(pl.col(column)))[column]


def _is_numeric(file: Release, column: str) -> bool:
    """Numbers and dates as they are; whole numbers of which nobody said whether they are a code count as numbers."""
    if file.levels.get(column) or column in file.mixed or file.types[column] in ("text", "boolean"):
        return False
    return file.kinds.get(column, "continuous") in ORDERED


def _by_column(word: str, amount: Amount, usual: tuple[str, ...], file: Release) -> dict[str, float]:
    if amount is None:
        return {}
    if not isinstance(amount, Mapping):
        return dict.fromkeys(usual, _check_amount(word, amount))
    check_columns(amount, file.columns)
    return {column: _check_amount(word, size) for column, size in amount.items()}


def _check_amount(word: str, amount: object) -> float:
    number = isinstance(amount, int | float) and not isinstance(amount, bool)
    least, most = (0.0, np.inf if word == "noise" else 1.0)
    if not number or not least <= float(amount) <= most or (word == "share" and not amount):  # type: ignore[arg-type]
        said = "a number from 0 on" if word == "noise" else "a share in [0, 1]"
        raise TacitError(
            f"{word}={format_value(amount)} is not {said}", code="wrong_type", parameter=word, fix=f"e.g. {word}=0.1"
        )
    return float(amount)  # type: ignore[arg-type]
