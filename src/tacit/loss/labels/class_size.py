"""Average class size: how many records share their quasi-identifiers."""

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
def class_size(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Result:
    r"""How far the average class grew, between 0 (as in the original) and 1 (one class).

    .. math:: C = \frac{n}{\text{classes}}, \qquad \frac{C - C_0}{n - C_0}

    Removed records together count as one more class, as in ARX. The facts hold the average itself; divided by k it is
    the measure C_AVG of LeFevre et al., 1 at best. Under ``missing="any"`` the classes are those of equal keys, missing
    taken as a value.

    Utility, measured. One group-by of each file.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"zip": zips}), quasi="zip") for zips in (["N1", "N2", "N3"], ["N*", "N*", "N3"]))
    >>> found = class_size(m, original=r)
    >>> found.value, found.facts["average class size"]
    (0.25, 1.5)

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE.
    """
    after, before, removed = class_tallies(release, original, lineage)
    size = before.records
    now, then = (size / max(1, classes) for classes in (after.classes + (removed > 0), before.classes))
    return Result(
        name="class size",
        value=scale_between(now, then, size),
        worse="high",
        about="utility",
        facts={"average class size": now, "in the original": then, "classes": after.classes},
    )
