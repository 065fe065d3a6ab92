"""Who is who, and what is true of whom: known to the judge alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ..errors import TacitError
from ..release.codes import encode_column
from ..release.masked import checked_lineage
from ..release.release import Release
from ..release.step_effects import exchanges_values
from ..release.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """A person's number for every row of the release and of the intruder's file; −1 is nobody.

    Equal numbers are the same person, who may stand in several rows of either side or in one of them only. For claims
    about values ``values`` holds the true ones, one for each row of the intruder's file (numbers for intervals, codes
    for distributions; NaN or −1 where unknown), and ``control_values`` those of the people of the control claims. A number
    counts as right when it is off by at most ``within``. For predicates ``people`` are those whom the release is about, with
    their true values, one row each, and ``others`` people who are not in it. ``together`` is how many people at most are found
    or missed at once: 2 where values were exchanged in pairs, which widens the interval of a share.
    """

    released: np.ndarray
    intruder: np.ndarray
    values: np.ndarray | None = None
    control_values: np.ndarray | None = None
    within: float = 0.0
    people: Release | None = None
    others: Release | None = None
    together: int = 1

    def __post_init__(self) -> None:
        for side in ("released", "intruder"):
            persons = np.asarray(getattr(self, side))
            if persons.ndim != 1 or (persons.size and (persons.dtype.kind not in "iu" or persons.min() < -1)):
                raise TacitError(
                    f"the truth about the {side} rows is not one whole number for each row",
                    code="not_whole_number",
                    fix="number the persons from 0 on and give −1 to rows that are nobody's",
                )
            object.__setattr__(self, side, persons.astype(np.int64))

    @staticmethod
    def by_lineage(lineage: np.ndarray | None, original_size: int, *, trace: Iterable[Trace] = ()) -> Truth:
        """The truth when the intruder has the original itself: row i of it is person i.

        ``lineage`` is the original row of each released row, −1 where it was invented; None: all stand as they stood. From
        the ``trace`` it is read whether people are found or missed together.

        >>> Truth.by_lineage(np.array([2, 0, -1]), 3).in_release().tolist()
        [True, False, True]
        """
        everyone = np.arange(original_size)
        rows = everyone if lineage is None else np.asarray(lineage)
        checked = checked_lineage(rows, masked=len(rows), original=original_size)
        return Truth(released=checked, intruder=everyone, together=2 if exchanges_values(trace) else 1)

    @staticmethod
    def by_key(released: Any, intruder: Any) -> Truth:
        """The truth of two files that share a person's id: one key for each row of either, in any order.

        A person may have several rows on both sides; a missing key is nobody. The keys are pandas, Polars or NumPy
        columns or lists, of one type. O(n log n).

        >>> truth = Truth.by_key(["a", "b", "b", None], ["b", "z"])
        >>> truth.released.tolist(), truth.intruder.tolist()
        ([0, 1, 1, -1], [1, 2])
        """
        sides = [_check_ids(keys, side) for keys, side in ((released, "release"), (intruder, "intruder"))]
        if all(keys.null_count() < len(keys) for keys in sides) and _id_type(sides[0]) != _id_type(sides[1]):
            raise TacitError(
                f"the keys of the release are {_id_type(sides[0])}, those of the intruder {_id_type(sides[1])}",
                code="not_applicable",
                fix="give both as text, or both as whole numbers",
            )
        found = encode_column(pl.concat([keys.cast(pl.String) for keys in sides]))
        persons = np.where(found.codes == len(found.dictionary), -1, found.codes) if found.has_missing else found.codes
        return Truth(released=persons[: len(sides[0])], intruder=persons[len(sides[0]) :])

    def of_rows(self, rows: np.ndarray) -> Truth:
        """The truth about an intruder who has only these rows of its file, in this order.

        >>> Truth.by_lineage(None, 4).of_rows(np.array([3, 1])).intruder.tolist()
        [3, 1]
        """
        chosen = np.asarray(rows)
        whole = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or not chosen.size)
        if not whole or (chosen.size and not 0 <= int(chosen.min()) <= int(chosen.max()) < len(self.intruder)):
            raise TacitError(
                "the rows kept are not rows of the intruder's file",
                code="wrong_type",
                fix=f"give whole numbers from 0 to {len(self.intruder) - 1}",
            )
        chosen = chosen.astype(np.int64)
        values = None if self.values is None else self.values[chosen]
        return replace(self, intruder=self.intruder[chosen], values=values)

    def is_synthetic(self) -> bool:
        """Whether no released row is anybody's: those of a synthetic file were made from all people together.

        >>> Truth.by_lineage(np.array([-1, -1]), 3).is_synthetic()
        True
        """
        return not (self.released >= 0).any()

    def made_from(self) -> np.ndarray:
        """The people from whom the release was made: those of its rows, or everybody where no row is anybody's."""
        return self.intruder if self.is_synthetic() else self.released[self.released >= 0]

    def in_release(self) -> np.ndarray:
        """Which rows of the intruder's file are of people in the release."""
        return np.isin(self.intruder, self.released[self.released >= 0])


def _check_ids(keys: Any, side: str) -> pl.Series:
    """A column of ids; numbers with a fraction, dates and the like are no ids."""
    try:
        column = pl.Series(keys)
    except Exception as problem:
        raise TacitError(
            f"the keys of the {side} are no column ({type(problem).__name__})",
            code="wrong_type",
            fix="give one key for each row",
        ) from None
    if _id_type(column) == "other values":
        raise TacitError(
            f"the keys of the {side} are neither text nor whole numbers",
            code="not_whole_number",
            fix="give them as text",
        )
    return column


def _id_type(keys: pl.Series) -> str:
    if keys.null_count() == len(keys):
        return "nothing"
    if keys.dtype.is_integer():
        return "whole numbers"
    return "text" if keys.dtype in (pl.String, pl.Categorical) or isinstance(keys.dtype, pl.Enum) else "other values"
