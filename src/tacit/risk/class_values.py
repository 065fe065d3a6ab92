"""How often each confidential value occurs in each class: what all attacks on a class read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ..errors import TacitError, format_value
from ..release.classes.lazy import LazyClasses
from ..release.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class ClassValues:
    """The cells of a column: cell i says that class ``of_class[i]`` has ``count[i]`` records with value ``code[i]``.

    Cells stand in the order of class and code. ``of_record`` is the class of each record, ``own`` its cell (−1 where its
    value is missing and does not count); ``sizes`` and ``known`` are the records of each class, all of them and those that
    count. Under ``missing="any"`` the class of a record is its match set.
    """

    of_class: np.ndarray
    code: np.ndarray
    count: np.ndarray
    of_record: np.ndarray
    own: np.ndarray
    sizes: np.ndarray
    known: np.ndarray

    def sum_by_class(self, chosen: np.ndarray) -> np.ndarray:
        """The sum over the cells of each class of a number per cell."""
        return np.bincount(self.of_class, weights=chosen, minlength=len(self.sizes))

    def distinct_counts(self) -> np.ndarray:
        """How many values each class has."""
        return np.bincount(self.of_class, minlength=len(self.sizes))

    def posterior(self) -> np.ndarray:
        """For each record the share of its own value in its class; 0 where it has none."""
        return _divide_shares(np.append(self.count, 0)[self.own], self.known[self.of_record])


def class_values(release: Release, column: str) -> ClassValues:
    """The cells of a column of a release in memory; O(n log n) after the classes.

    A missing value is a category under ``missing="own"``, and counts for none otherwise.
    """
    classes = release.matches_beside(column)
    if isinstance(classes, LazyClasses):
        raise release.capabilities.unsupported("in_memory", "cannot be counted class by class", column=column)
    coded = release.codes(column)
    of_class, code, count = classes.histogram(column)
    if release.missing != "own":
        kept = code < len(coded.dictionary)
        of_class, code, count = of_class[kept], code[kept], count[kept]
    size = max(1, coded.count)
    places = of_class * size + code
    wanted = classes.of_record.astype(np.int64) * size + coded.codes
    own = np.searchsorted(places, wanted)
    found = np.append(places, -1)[own] == wanted
    return ClassValues(
        of_class=of_class,
        code=code,
        count=count,
        of_record=classes.of_record,
        own=np.where(found, own, -1),
        sizes=np.bincount(classes.of_record, minlength=classes.count),
        known=np.bincount(of_class, weights=count, minlength=classes.count),
    )


def codes_named(release: Release, column: str, values: object) -> np.ndarray:
    """The codes of values that a user typed, one or several; refuses one that the column does not have."""
    dictionary = release.codes(column).dictionary
    written = {text: code for code, text in enumerate(dictionary.cast(pl.String).to_list())}
    several = values if isinstance(values, Iterable) and not isinstance(values, str | Mapping) else (values,)
    found = []
    for value in several:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if text not in written:
            raise TacitError(
                f"has no value {format_value(value if isinstance(value, int | float) else text)}",
                code="missing_values",
                column=column,
                fix="write it as it stands in the column, capitals and spaces too",
            )
        found.append(written[text])
    return np.array(found, dtype=np.int64)


def of_columns(given: Mapping[str, object], release: Release, *, option: str) -> None:
    """Refuse what is said of a column that is not confidential."""
    for column in given:
        if column not in release.confidential:
            raise TacitError(
                f"is named by {option} but is not confidential",
                code="not_confidential",
                column=str(column),
                fix=f"name one of {', '.join(release.confidential)}",
            )


def _divide_shares(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return found
