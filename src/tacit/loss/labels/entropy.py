"""Non-uniform entropy: how many bits of each quasi-identifier its labels lose."""

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
def entropy(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""How many of the bits of each quasi-identifier are lost to coarser labels and blanks, between 0 and 1.

    .. math:: \frac{\sum_i \log_2 \frac{N(x'_i)}{N(x_i)}}{\sum_i \log_2 \frac{n}{N(x_i)}}

    :math:`N(v)` counts the original records with the value, :math:`N(x')` those whose value the label covers: the bits
    that a reader still lacks who knows how common the values are. A label that merges a rare value with a common one
    costs the records with the common value little. A suppressed cell, a removed record and ``*`` cost all bits. What a
    label covers is as in :func:`generalisation`. ``per_record`` has the bits lost. Over the records that had a value;
    a column with one value has no bits to lose.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1A", "N1B", "N2A", "N2A"]}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2]}})
    >>> m = r.with_columns({"zip": pl.Series(["N1*", "N1*", "N2*", "N2*"])}, levels={"zip": 1})
    >>> round(entropy(m, original=r)["zip"].value, 3)
    0.333

    References
    ----------
    De Waal and Willenborg (1999), Information loss through global recoding and local suppression, Netherlands Official
    Statistics 14, 17–20.
    Gionis and Tassa (2009), k-Anonymization with minimal loss of information, IEEE TKDE 21, 206–219.
    """
    pairs = pair_records(release, original, lineage)
    if not pairs.original.quasi:
        raise TacitError(
            "the original has no quasi-identifier",
            code="no_quasi_identifier",
            fix="say which columns an intruder may know, e.g. quasi=['zip', 'birth']",
        )
    return Results(tuple(_column_entropy(pairs, column) for column in pairs.original.quasi))


def _column_entropy(pairs: Pairs, column: str) -> Result:
    found = left_open(pairs, column)
    rows = np.flatnonzero(found.known)
    counts = np.bincount(found.value[rows], minlength=len(found.cover.domain)).astype(float)
    own, covered = counts[found.value[rows]], np.append(found.cover.totals(counts), len(rows))[found.label[rows]]
    bits = np.zeros(pairs.original.size)
    bits[rows] = np.log2(np.maximum(covered, own) / own)
    every = float(np.log2(len(rows) / own).sum()) if len(rows) else 0.0
    lost = float(bits.sum())
    return Result(
        name="entropy",
        column=column,
        value=min(1.0, lost / every) if every > 0 else 0.0,
        worse="high",
        about="utility",
        facts={"bits lost": lost, "bits": every},
        per_record=PerRecord(array=bits, rows_of="original"),
    )
