"""A column of categories that all parties agreed on."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ...errors import TacitError, unknown_column

__all__ = ["Category", "category"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A column whose values are among ``values``."""

    name: str
    values: tuple[str, ...]

    def codes(self, frame: pl.DataFrame) -> list[int]:
        """The place of each row's category in the agreed list; other values are named by row."""
        if self.name not in frame.columns:
            raise unknown_column(self.name, frame.columns)
        place = {value: at for at, value in enumerate(self.values)}
        found = [place.get(str(value)) for value in frame[self.name].to_list()]
        if None in found:
            raise TacitError(
                f"has another value than the agreed ones in row {found.index(None) + 1}",
                column=self.name,
                fix="recode it, or agree on one category more",
            )
        return [code for code in found if code is not None]


def category(name: str, given: object) -> Category:
    """A column of the section ``[task.columns]``: ``{ categories = ["yes", "no"] }``."""
    values = given.get("categories") if isinstance(given, dict) and set(given) == {"categories"} else None
    if not isinstance(values, list) or len(set(map(str, values))) < max(2, len(values)):
        raise TacitError("has no categories", column=name, fix='e.g. sex = { categories = ["f", "m"] }')
    return Category(name=name, values=tuple(map(str, values)))
