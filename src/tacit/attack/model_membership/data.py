"""Records with their classes: arrays and frames alike, taken, joined and compared row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError, format_value


@dataclass(frozen=True, slots=True, eq=False)
class LabelledData:
    """``records`` as they were given (a NumPy matrix or a frame, whose columns a pipeline may ask for by name) and ``labels``."""

    records: Any
    labels: np.ndarray

    @property
    def size(self) -> int:
        """How many records there are."""
        return len(self.labels)

    @property
    def width(self) -> int:
        """How many columns the records have."""
        return int(self.records.shape[1])

    def take(self, rows: np.ndarray) -> LabelledData:
        """Some of the records, given by their numbers."""
        frame = _narwhals_frame(self.records)
        return LabelledData(self.records[rows] if frame is None else frame[rows, :].to_native(), self.labels[rows])


def parse_labelled(given: Any, what: str) -> LabelledData:
    """A pair (X, y) as records with labels; ``what`` names it in errors.

    >>> parse_labelled(([[1.0], [2.0]], ["a", "b"]), "members").size
    2
    """
    if not isinstance(given, tuple | list) or len(given) != 2 or given[1] is None:
        raise TacitError(
            f"{what} is {format_value(given)}, not a pair of records and their classes",
            code="attack_impossible",
            fix=f"give {what}=(X, y)",
        )
    records = given[0] if _narwhals_frame(given[0]) is not None else _check_matrix(given[0], what)
    labels = np.asarray(given[1])
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != records.shape[0]:
        raise TacitError(
            f"{what} has {records.shape[0]:,} records, and y is of shape {labels.shape}",
            code="attack_impossible",
            fix="give one class for each record",
        )
    if not len(labels):
        raise TacitError(f"{what} has no records", code="too_few_records", fix="check the filter that made it")
    missing = np.array([one is None or one != one for one in labels.tolist()])
    if missing.any():
        raise TacitError(
            f"y of {what} is missing in {int(missing.sum())} rows, the first of them row {int(missing.argmax()) + 1}",
            code="missing_values",
            fix="leave these records out: an intruder who knows no class of them cannot ask for it",
        )
    return LabelledData(records, labels)


def concat_labelled(parts: Sequence[LabelledData]) -> LabelledData:
    """One after the other; all are of one kind and as wide."""
    kinds = {type(part.records) for part in parts}
    widths = {part.width for part in parts}
    if len(kinds) > 1 or len(widths) > 1:
        said = f"{len(kinds)} kinds of table" if len(kinds) > 1 else f"{' and '.join(map(str, sorted(widths)))} columns"
        raise TacitError(
            f"members, others and like have {said}",
            code="attack_impossible",
            fix="give all of them as the model takes its records",
        )
    import narwhals as nw

    frames = [_narwhals_frame(part.records) for part in parts]
    if frames[0] is None:
        records: Any = np.concatenate([part.records for part in parts])
    else:
        try:
            records = nw.concat(frames, how="vertical").to_native()
        except Exception as problem:
            raise TacitError(
                f"members, others and like cannot be put in one table ({type(problem).__name__})",
                code="attack_impossible",
                fix="give them the same columns, in the same order and of the same types",
            ) from None
    return LabelledData(records, np.concatenate([part.labels for part in parts]))


def shared_records(one: LabelledData, other: LabelledData) -> np.ndarray:
    """Which records of ``one`` stand in ``other`` too, class included; missing cells equal missing ones. O(n + m).

    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> shared_records(parse_labelled((X, [0, 1]), "a"), parse_labelled((X, [0, 0]), "b")).tolist()
    [True, False]
    """
    ours, theirs = _plain_frame(one), _plain_frame(other)
    found = ours.with_row_index("row").join(theirs, on=ours.columns, how="semi", nulls_equal=True)["row"]
    inside = np.zeros(one.size, dtype=bool)
    inside[found.to_numpy()] = True
    return inside


def without_shared(like: Any, *targets: Any) -> tuple[Any, np.ndarray]:
    """The pair (X, y) of the intruder without the rows that stand in the targets too, by chance or not.

    >>> X, y = without_shared(([[1.0], [2.0]], [0, 1]), ([[2.0]], [1]))
    >>> X.tolist(), y.tolist()
    ([[1.0]], [0])
    """
    own = parse_labelled(like, "like")
    doubled = np.zeros(own.size, dtype=bool)
    for target in targets:
        doubled |= shared_records(own, parse_labelled(target, "targets"))
    kept = own.take(np.flatnonzero(~doubled))
    return kept.records, kept.labels


def _plain_frame(given: LabelledData) -> pl.DataFrame:
    """Every record as a row of numbers and texts under columns that are counted."""
    frame = _narwhals_frame(given.records)
    table = pl.DataFrame(given.records) if frame is None else frame.to_polars()
    table = table.rename(dict(zip(table.columns, [f"column {at}" for at in range(table.width)], strict=True)))
    table = table.with_columns(pl.col(pl.Boolean).cast(pl.Float64)).with_columns(
        pl.selectors.numeric().cast(pl.Float64).fill_nan(None), (~pl.selectors.numeric()).cast(pl.String)
    )
    # 1, 1.0 and True are one class, as they are to the model.
    classes = [str(float(one) if isinstance(one, int | float) else one) for one in given.labels.tolist()]
    return table.with_columns(pl.Series("class", classes))


def _narwhals_frame(records: Any) -> Any:
    """The Narwhals view of a frame; None when it is none."""
    import narwhals as nw

    seen = nw.from_native(records, eager_only=True, pass_through=True)
    return seen if isinstance(seen, nw.DataFrame) else None


def _check_matrix(records: Any, what: str) -> np.ndarray:
    try:
        matrix = np.asarray(records)
    except ValueError:
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise TacitError(
            f"X of {what} is {format_value(records)} of shape {matrix.shape}, not a table of numbers",
            code="attack_impossible",
            fix="give a NumPy matrix with one row for each record, or a pandas or Polars frame",
        )
    return matrix
