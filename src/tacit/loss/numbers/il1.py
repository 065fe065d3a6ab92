"""IL1s: how far the masked numbers lie from the original ones, in the unit by which other programs report it."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import TacitError
from ...registry import Tags, describe
from ...release.pairs import Pairs, pair_records
from ...result import Result, Results
from .standardised import FAR, numbers_beside

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def il1(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""The absolute error of the numbers in units of their spread (IL1s), the mean over all cells and by column.

    .. math:: \frac{1}{N} \sum_j \sum_i \frac{|x'_{ij} - x_{ij}|}{\sqrt 2\, S_j}

    where :math:`S_j` is the standard deviation of column j of the original and N the number of cells compared: those
    with a number in both files. :math:`\sqrt 2\, S_j` is the standard deviation of the difference of two records drawn
    at random, so that 0 is no error and values that are exchanged at random come to 0.8 (normal columns) or less; with
    much noise it exceeds 1. A column that is constant in the original, or of which no number is left, has no result, and
    blanks cost nothing here (:func:`suppressed` counts them).

    The sums that sdcMicro prints are facts: *IL1s sum* (the formula without 1/N) and *IL1 sum*, the relative errors in
    per cent, :math:`100 \sum |x' - x| / |x|`. Neither is to be compared between files, because both grow with the
    numbers of records and columns; and IL1 explodes where a value is near 0 and has no meaning where it is 0. Such
    cells are left out of it, and counted.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([0.0, 1.0, 2.0], [1.0, 1.0, 1.0]))
    >>> print(il1(m, original=r)["pay"])
    IL1s of pay           0.4714
    IL1s sum              1.414
    IL1 sum               50
    cells                 3
    cells without an IL1  1

    References
    ----------
    Yancey, Winkler and Creecy (2002), Disclosure risk assessment in perturbative microdata protection, in Inference
    Control in Statistical Databases, LNCS 2316, 135–152.

    Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, PSD, LNCS 3050,
    201–215.
    """
    pairs = pair_records(release, original, lineage)
    numbers = numbers_beside(release, original, lineage)
    moved = np.abs(numbers.after - numbers.before) / sqrt(2)
    left = [(at, column) for at, column in enumerate(numbers.columns) if np.isfinite(moved[:, at]).any()]
    known = {column: _sum_errors(moved[:, at], _relative_errors(pairs, column)) for at, column in left}
    if not known:
        raise TacitError(
            "no number has one in the other file", code="not_applicable", fix="measure suppressed cells instead"
        )
    whole = _Errors(*(sum(parts) for parts in zip(*known.values(), strict=True)))
    return Results((_il1_result(None, whole), *(_il1_result(column, one) for column, one in known.items())))


class _Errors(NamedTuple):
    scaled: float
    relative: float
    cells: int
    undefined: int


def _sum_errors(moved: np.ndarray, relative: np.ndarray) -> _Errors:
    known, defined = np.isfinite(moved), np.isfinite(relative)
    cells = int(known.sum())
    return _Errors(float(moved[known].sum()), float(relative[defined].sum()), cells, cells - int(defined.sum()))


def _relative_errors(pairs: Pairs, column: str) -> np.ndarray:
    """The relative error of each record; not finite where one value is missing or the original is 0 or next to it."""
    before = pairs.original.floats(column)[pairs.of_original]
    after = pairs.masked.floats(column)[pairs.of_masked]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        errors = np.abs(after - before) / np.abs(before)
    return np.where(errors < FAR, errors, np.nan)


def _il1_result(column: str | None, errors: _Errors) -> Result:
    facts = {
        "IL1s sum": errors.scaled,
        "IL1 sum": 100 * errors.relative,
        "cells": errors.cells,
        "cells without an IL1": errors.undefined,
    }
    value = errors.scaled / errors.cells
    return Result(name="IL1s", column=column, value=value, worse="high", about="utility", facts=facts)
