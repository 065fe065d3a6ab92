"""Hellinger distance: how far the distribution of each column has moved."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from ...registry import Tags, describe
from ...result import Result, Results
from .cells import cell_counts
from .codings import Coding, common_codings

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def hellinger(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,  # noqa: ARG001
    bins: int = 20,
) -> Results:
    r"""The Hellinger distance between the distributions of each column in the two files, and the mean over columns.

    .. math:: H(p, p') = \sqrt{\tfrac12 \sum_v \left(\sqrt{p_v} - \sqrt{p'_v}\right)^2}

    over the values v of a category, missing among them, or over ``bins`` bins of numbers and dates, cut at the
    original's quantiles. 0 when every value is as common as it was, 1 when no value of one file is in the other. Each
    file is counted by itself, so no records are paired, and swapping costs nothing. A column at a level of its
    hierarchy is compared at that level: coarser labels cost nothing here (:func:`generalisation` measures them),
    cells blanked besides do, and a dropped column is blank throughout. Labels of local recoding, which mix levels, are values of their own. A sample of n
    records has a distance of about :math:`\sqrt{(k-1)/8n}` to what it was drawn from, k categories, by chance
    alone. Unweighted; identifiers and households are left out.

    Utility, measured. O(n log n) time per column, O(n) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"sex": list(sex)})) for sex in ("ffmm", "ffff"))
    >>> round(hellinger(m, original=r)["sex"].value, 3)
    0.541

    References
    ----------
    Gomatam, Karr and Sanil (2005), Data swapping as a decision problem, Journal of Official Statistics 21, 635–655.
    """
    found = common_codings(release, original, bins=bins)
    parts = [_column_distance(one) for one in found]
    mean = sum(part.value for part in parts) / len(parts)
    worst = max(parts, key=lambda part: part.value)
    facts: dict[str, object] = {"columns": len(parts), "bins": bins}
    facts |= {"largest": worst.value, "largest in": str(worst.column)} if worst.value else {}
    return Results((Result(name="hellinger distance", value=mean, worse="high", about="utility", facts=facts), *parts))


def _column_distance(coding: Coding) -> Result:
    before, after = cell_counts([coding])
    roots = np.sqrt(before / before.sum()) - np.sqrt(after / after.sum())
    return Result(
        name="hellinger distance",
        column=coding.column,
        value=min(1.0, sqrt(0.5 * float((roots**2).sum()))),
        worse="high",
        about="utility",
        facts={"compared by": coding.how, "categories": int(((before > 0) | (after > 0)).sum())},
    )
