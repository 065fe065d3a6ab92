"""Baskets from tables: one row an item, one row a transaction, one column an item, or records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from ...errors import TacitError, check_columns, format_value, suggest_alternative
from ...frozen import FrozenDict
from ..parameters import is_number
from .baskets import Baskets, Cells

if TYPE_CHECKING:
    import polars as pl


Form: TypeAlias = Literal["long", "list", "binary", "table"]

YES, NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


def from_frame(
    frame: Any,
    form: Form,
    *,
    columns: str | Sequence[str] | None = None,
    separator: str = ";",
    cuts: Mapping[str, Sequence[float]] | None = None,
) -> Baskets:
    """Baskets from a Polars frame (or what Polars takes: pandas, PyArrow).

    ``"long"``: two ``columns``, transaction and item, one row each; a missing item makes an empty transaction.
    ``"list"``: one column of lists, or of texts with ``separator`` between items; an item ``?x`` is unknown.
    ``"binary"``: columns of 0 and 1, one an item; a missing value is unknown.
    ``"table"``: records; every value is an item ``column=value``, numbers by ``cuts``: ``{"age": [30, 50]}`` makes
    ``age=[..30)``, ``age=[30..50)`` and ``age=[50..)``. Missing values are no items.

    ``columns`` are all where nothing is said (for "long" the first two, for "list" the last). O(cells).

    >>> import polars as pl
    >>> from_frame(pl.DataFrame({"age": [25, 61], "ill": ["flu", None]}), "table", cuts={"age": [30]}).items
    ('age=[..30)', 'age=[30..)', 'ill=flu')
    """
    held = _as_polars(frame)
    if form not in get_args(Form):
        raise TacitError(
            f"form={format_value(form)} is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), get_args(Form)),
        )
    if not held.width:
        raise TacitError("the table has no columns", code="no_usable_column", fix="check the file")
    if cuts and form != "table":
        raise TacitError("cuts are for form='table'", code="conflicting_parameters", fix="leave cuts out")
    chosen = check_columns(columns, held.columns)
    if form == "long":
        return _from_long(held, chosen or tuple(held.columns[:2]))
    if form == "list":
        return _from_lists(held, chosen or (held.columns[-1],), separator)
    if form == "binary":
        return _from_binary(held.select(chosen or held.columns))
    return _from_records(held.select(chosen or held.columns), checked_cuts(cuts or {}, held.columns))


def _as_polars(frame: Any) -> pl.DataFrame:
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    try:
        return pl.DataFrame(frame)
    except Exception:
        raise TacitError(
            f"a {type(frame).__name__} is no table", code="wrong_type", fix="give a Polars, pandas or PyArrow frame"
        ) from None


def _from_long(frame: pl.DataFrame, columns: tuple[str, ...]) -> Baskets:
    import polars as pl

    if len(columns) != 2:
        raise TacitError(
            "the long form has two columns", code="invalid_parameter", fix="columns=['transaction', 'item']"
        )
    of_row, item = frame[columns[0]], frame[columns[1]].cast(pl.String)
    if of_row.null_count():
        row = int(of_row.is_null().arg_max() or 0)
        raise TacitError(
            f"has no transaction in row {row + 1}",
            code="missing_values",
            column=columns[0],
            fix="fill it in, or drop the row",
        )
    there = item.is_not_null() & (item.str.strip_chars() != "")
    rows = of_row.rank("dense").to_numpy().astype(np.int64) - 1
    return _baskets_from_items(int(rows.max()) + 1 if len(rows) else 0, rows[there.to_numpy()], item.filter(there))


def _baskets_from_items(size: int, rows: np.ndarray, item: pl.Series) -> Baskets:
    """Rows beside names of items; a name that begins with ? may be there."""
    maybe = item.str.starts_with("?").to_numpy()
    plain = item.str.strip_prefix("?")
    items = tuple(plain.unique().sort().to_list())
    codes = np.searchsorted(np.array(items, dtype=object), plain.to_numpy()) if items else np.zeros(0, np.int64)
    held, possible = Cells.of(rows[~maybe], codes[~maybe]), Cells.of(rows[maybe], codes[maybe])
    both = possible.is_among(held, max(len(items), 1))
    unknown = Cells(possible.rows[~both], possible.codes[~both])
    return Baskets(items, size, held, unknown, int((~maybe).sum()) - len(held))


def _from_lists(frame: pl.DataFrame, columns: tuple[str, ...], separator: str) -> Baskets:
    import polars as pl

    if len(columns) != 1:
        raise TacitError("the list form has one column of items", code="invalid_parameter", fix="columns='items'")
    listed = frame[columns[0]]
    if listed.dtype == pl.String:
        listed = listed.fill_null("").str.split(separator)
    elif not isinstance(listed.dtype, pl.List):
        listed = listed.cast(pl.String).fill_null("").str.split(separator)
    rows = np.repeat(np.arange(len(listed)), listed.list.len().fill_null(0).to_numpy())
    item = listed.filter(listed.list.len() > 0).explode().cast(pl.String).str.strip_chars()
    there = (item.is_not_null() & (item != "")).to_numpy()
    return _baskets_from_items(len(listed), rows[there], item.filter(pl.Series(there)))


def _from_binary(frame: pl.DataFrame) -> Baskets:
    import polars as pl

    cells: list[list[tuple[np.ndarray, np.ndarray]]] = [[], []]
    items = sorted(frame.columns)
    for code, name in enumerate(items):
        text = frame[name].cast(pl.String).str.to_lowercase()
        wrong = text.is_not_null() & ~text.is_in([*YES, *NO])
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            raise TacitError(
                f"holds something else than 0 and 1 in row {row + 1}",
                code="not_boolean",
                column=name,
                fix="leave it out with columns=…",
            )
        for side, there in enumerate((text.is_in(YES).fill_null(False), text.is_null())):
            rows = np.flatnonzero(there.to_numpy())
            cells[side].append((rows, np.full(len(rows), code)))
    held, unknown = (Cells.of(*(np.concatenate(part) for part in zip(*side, strict=True))) for side in cells)
    return Baskets(tuple(items), frame.height, held, unknown)


def _from_records(frame: pl.DataFrame, cuts: Mapping[str, tuple[float, ...]]) -> Baskets:
    import polars as pl

    rows, items = [], []
    for name in frame.columns:
        text = bin_labels(frame[name], cuts[name]) if name in cuts else frame[name].cast(pl.String)
        there = text.is_not_null()
        rows.append(np.flatnonzero(there.to_numpy()))
        items.append(f"{name}=" + text.filter(there))
    return _baskets_from_items(frame.height, np.concatenate(rows), pl.concat(items))


def checked_cuts(given: Mapping[str, Sequence[float]], columns: Sequence[str]) -> FrozenDict[str, tuple[float, ...]]:
    """Column → ascending cuts, each column one of the table."""
    check_columns(list(given), columns)
    for column, cuts in given.items():
        fine = isinstance(cuts, Sequence) and not isinstance(cuts, str) and len(cuts) and all(map(is_number, cuts))
        if not fine or list(cuts) != sorted(set(cuts)):
            raise TacitError(
                "has cuts that are no ascending numbers", code="out_of_range", column=column, fix="e.g. [18, 30, 65]"
            )
    return FrozenDict({column: tuple(cuts) for column, cuts in given.items()})


def bin_labels(values: pl.Series, cuts: Sequence[float]) -> pl.Series:
    """The interval of each number, closed on the left, as text; missing stays missing.

    >>> import polars as pl
    >>> bin_labels(pl.Series([29, 30, None]), [30, 40]).to_list()
    ['[..30)', '[30..40)', None]
    """
    import polars as pl

    if not values.dtype.is_numeric():
        raise TacitError(
            "has cuts and holds no numbers", code="wrong_kind", column=values.name, fix="leave its cuts out"
        )
    ends = ["", *(f"{cut:g}" for cut in cuts), ""]
    labels = [f"[{low}..{high})" for low, high in zip(ends, ends[1:], strict=False)]
    place = np.searchsorted(
        np.asarray(cuts, dtype=float), values.cast(pl.Float64).fill_null(0).to_numpy(), side="right"
    )
    found = pl.Series(values.name, np.array(labels, dtype=object)[place].tolist(), dtype=pl.String)
    return found.to_frame().select(pl.when(pl.lit(values.is_not_null())).then(pl.first())).to_series()
