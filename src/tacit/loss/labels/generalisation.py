"""Generalisation loss: how many values each label leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...per_record import PerRecord
from ...registry import Tags, describe
from ...release.pairs import Pairs, pair_records
from ...result import Result, Results
from .left_open import left_open

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"))
def generalisation(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""How much of each quasi-identifier is lost to coarser labels and blanks, between 0 and 1.

    .. math:: \frac1n \sum_i \frac{|leaves(x'_i)| - 1}{|leaves| - 1}

    A label costs the share of the other values that it leaves open: 0 for a value itself, 1 for ``*``. A suppressed
    cell, every cell of a removed record and a dropped column cost 1. Leaves are counted over the values of the
    hierarchy's file, else over those of the original. Labels that differ from record to record (local recoding) are
    read one by one: values, labels of any level, intervals, sets. A column without labels costs what its values show:
    when each original value became one masked value (recoding, top coding), the values merged into it are its leaves;
    otherwise nothing was generalised and it costs 0. One minus the mean over the keys is what ARX calls granularity.
    Over the original records that had a value. ``per_record`` is the cost of
    each original record.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1A", "N1B", "N2A"]}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2]}})
    >>> m = r.with_columns({"zip": pl.Series(["N1*", "N1*", "N2*"])}, levels={"zip": 1})
    >>> round(generalisation(m, original=r)["zip"].value, 3)
    0.333

    References
    ----------
    Iyengar (2002), Transforming data to satisfy privacy constraints, KDD, 279–288.
    """
    parts = generalisation_of(pair_records(release, original, lineage))
    if not parts:
        raise TacitError(
            "the original has no quasi-identifier",
            code="no_quasi_identifier",
            fix="say which columns an intruder may know, e.g. quasi=['zip', 'birth']",
        )
    return Results(parts)


def generalisation_of(pairs: Pairs) -> tuple[Result, ...]:
    """One result per quasi-identifier of the original."""
    return tuple(_column_generalisation(pairs, column) for column in pairs.original.quasi)


def _column_generalisation(pairs: Pairs, column: str) -> Result:
    found = left_open(pairs, column)
    share = (found.cover.sizes - 1.0) / max(1, len(found.cover.domain) - 1)
    cost = np.append(share, 1.0)[found.label]
    cost[~found.known] = 0.0
    level = pairs.masked.levels.get(column)
    return Result(
        name="generalisation",
        column=column,
        value=float(cost[found.known].mean()) if found.known.any() else 0.0,
        worse="high",
        about="utility",
        facts={
            "values": pairs.original.distinct(column),
            **({} if level is None else {"level": level}),
            **({"labels": len(found.cover.labels)} if column in pairs.masked.mixed else {}),
        },
        per_record=PerRecord(array=cost, rows_of="original"),
    )
