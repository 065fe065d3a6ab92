"""All losses at once."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..errors import Cancelled, TacitError, suggest_alternative
from ..release.masked import release_of
from ..release.pairs import pair_records
from ..result import Result, Results
from . import LOSSES

if TYPE_CHECKING:
    import numpy as np

    from ..release.masked import Masked
    from ..release.release import Release


def summary(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,
    wanted: Collection[str] = (),
) -> Results:
    """Every loss of :data:`tacit.loss.LOSSES` that applies; those that take long or answer a special question when ``wanted``.

    On Spark, whose rows cannot be brought together one by one, only the moments.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"zip": zips}), quasi="zip") for zips in (["N1", "N2"], ["N1", None]))
    >>> [(part.name, part.column, part.value) for part in summary(m, original=r)]
    [('changed values', None, 0.0), ('generalisation', 'zip', 0.5), ('entropy', 'zip', 0.5), ('removed records', None, 0), ('suppressed cells', 'zip', 1)]
    """
    original = release_of(original)
    if all(file.capabilities.can_read_columns for file in (release_of(release), original)):
        pair_records(release, original, lineage)
    parts: list[Result] = []
    unknown = next((name for name in wanted if name not in LOSSES), None)
    if unknown is not None:
        raise TacitError(
            f"the loss {unknown!r} is unknown", code="unknown_name", fix=suggest_alternative(unknown, LOSSES)
        )
    for name, entry in LOSSES.items():
        if entry.upto is not None and original.size > entry.upto and name not in wanted:
            continue
        try:
            found: Result | Results = entry.call(release, original=original, lineage=lineage)
        except Cancelled:
            raise
        except TacitError:
            if name in wanted:
                raise
            continue
        parts.extend(found if isinstance(found, Results) else (found,))
    if not parts:
        raise TacitError(
            "no column can be compared",
            code="no_usable_column",
            fix="the files need columns in common; where whole columns cannot be read, such as on Spark, columns that hold numbers",
        )
    return Results(tuple(parts))
