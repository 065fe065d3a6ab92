"""All losses at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import TacitError
from ..release.masked import release_of
from ..result import Results
from .generalisation import generalisation_of
from .moments import moments_of
from .pairs import paired
from .squared_error import squared_error_of
from .suppression import suppressed_of

if TYPE_CHECKING:
    import numpy as np

    from ..release.masked import Masked
    from ..release.release import Release

__all__ = ["summary"]


def summary(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    """Every loss that applies: moments, squared error, generalisation, suppression.

    On Spark, whose rows cannot be brought together one by one, only the moments.
    """
    masked = release_of(release)
    parts = moments_of(masked, original)
    if "spark" not in (masked.engine, original.engine):
        pairs = paired(release, original, lineage)
        parts += squared_error_of(pairs) + generalisation_of(pairs) + suppressed_of(pairs)
    if not parts:
        raise TacitError(
            "no column holds numbers in both files", fix="losses of other columns need the data on Polars or DuckDB"
        )
    return Results(parts)
