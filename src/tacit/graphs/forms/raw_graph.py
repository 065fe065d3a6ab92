"""A network as its source gives it: the labels of the ends of each edge, before anything is checked or numbered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import TacitError

if TYPE_CHECKING:
    import polars as pl

    from ...release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RawGraph:
    """``first`` and ``second`` are the labels at the ends of each edge (text or whole numbers, nulls possible).

    ``labels`` lists all nodes where the source knows them, with or without an edge; ``attributes`` has one row for each.
    ``unused`` names what the source has beside and nobody asked for. ``directed`` is None where the source does not say.
    """

    first: pl.Series
    second: pl.Series
    weights: pl.Series | None = None
    labels: pl.Series | None = None
    attributes: Release | None = None
    directed: bool | None = None
    unused: tuple[str, ...] = ()


def labels_as_text(labels: Iterable[Hashable]) -> pl.Series:
    """Labels of any kind as text; two different ones that read the same are an error. O(n)."""
    import polars as pl

    given = list(labels)
    found = pl.Series("label", [str(one) for one in given], dtype=pl.String)
    clashes = len(given) - found.n_unique()
    if clashes:
        raise TacitError(
            f"{clashes} nodes have labels that read the same as another's (such as the number 1 and the text '1')",
            code="invalid_graph",
            fix="make the labels of the nodes all text or all whole numbers",
        )
    return found


def attribute_frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame | None:
    """The attributes of all nodes as a frame, missing where a node lacks one; None where no node has any. O(n · names)."""
    import polars as pl

    columns = list(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        return None
    if any(not isinstance(name, str) for name in columns):
        raise TacitError(
            "a node attribute has a name that is no text", code="wrong_type", fix="rename the attributes to text"
        )
    found = {}
    for name in columns:
        try:
            found[name] = pl.Series(name, [row.get(name) for row in rows], strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            fix = "give all nodes text, all numbers or all dates in it"
            raise TacitError(
                "is a node attribute with values of several types", code="unsuitable_column", column=name, fix=fix
            ) from None
    return pl.DataFrame(found)
