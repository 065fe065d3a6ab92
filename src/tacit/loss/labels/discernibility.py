"""Discernibility: with how many others each record is confused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...registry import Tags, describe
from ...result import Result
from .class_tally import class_tallies, scale_between

if TYPE_CHECKING:
    import numpy as np

    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"))
def discernibility(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Result:
    r"""How far records became alike in their quasi-identifiers, between 0 (as in the original) and 1 (all alike).

    .. math:: DM = \sum_c n_c^2 + n\,|S|, \qquad \frac{DM - DM_0}{n^2 - DM_0}

    Each record pays the size of its class, a removed one the size n of the original. The facts hold the sum itself. It
    sees classes only, not what their labels say: two recodings into classes of the same sizes cost the same. Under
    ``missing="any"`` a record pays the number of records that it matches.

    Utility, measured. One group-by of each file.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"zip": zips}), quasi="zip") for zips in (["N1", "N2", "N3"], ["N*", "N*", "N3"]))
    >>> found = discernibility(m, original=r)
    >>> round(found.value, 3), found.facts["sum of squares"]
    (0.333, 5)

    References
    ----------
    Bayardo and Agrawal (2005), Data privacy through optimal k-anonymization, ICDE, 217–228.
    """
    after, before, removed = class_tallies(release, original, lineage)
    size = before.records
    total = after.pairs + size * removed
    return Result(
        name="discernibility",
        value=scale_between(total, before.pairs, size**2),
        worse="high",
        about="utility",
        facts={"sum of squares": total, "in the original": before.pairs, "removed records": removed},
    )
