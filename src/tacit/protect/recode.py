"""Global recoding: categories merged under a new name, or a number cut into intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError, names
from ..frozen import FrozenDict
from ..release.engines.table import few_rows
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from .parameters import column_name, forgotten, number

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["Recode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """Merge categories (``groups``) or cut a number at ``breaks`` (E-10).

    ``groups={"north": ["Lund", "Malmö"]}`` gives the listed values of a text, whole-number or Boolean column one
    name; the others stay as they are written. ``breaks=[18, 65]`` makes the labels ``< 18``, ``[18, 65)`` and
    ``≥ 65``. Exactly one of the two is given. The column becomes text and loses its hierarchy; missing stays missing.

    Deterministic and row by row: O(n · breaks), or O(n) for groups, on every engine.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": [17, 40, 70]}), quasi="age")
    >>> r.protect(Recode(column="age", breaks=[18, 65])).native()["age"].to_list()
    ['< 18', '[18, 65)', '≥ 65']

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """

    column: str
    groups: Mapping[str, Sequence[str | int | bool]] | None = None
    breaks: Sequence[float] | None = None

    def __post_init__(self) -> None:
        column_name(self.column)
        if (self.groups is None) == (self.breaks is None):
            raise TacitError(
                "is recoded by groups or by breaks, one of the two",
                column=self.column,
                fix="e.g. groups={'south': ['Lund', 'Malmö']} or breaks=[18, 65]",
            )
        if self.groups is not None:
            object.__setattr__(self, "groups", FrozenDict(_checked_groups(self.column, self.groups)))
        if self.breaks is not None:
            object.__setattr__(self, "breaks", _checked_breaks(self.column, self.breaks))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with the new labels."""
        names(self.column, release.columns)
        if self.groups is not None:
            changed = _merged_records(release, self.column, self.groups)
            label, outcome = _merged(self.column, self.groups), {"changed": Finding(changed, publishable=False)}
        else:
            assert self.breaks is not None
            _check_type(release, self.column, ("integer", "number"), fix="use groups, or generalise by a hierarchy")
            label, outcome = _cut(self.column, self.breaks), {}
        recoded = forgotten(release.replaced({self.column: label}), [self.column], hierarchies=True)
        return Masked(recoded, (Trace.of(self, **outcome),))


def _checked_groups(column: str, groups: object) -> dict[str, tuple[str | int | bool, ...]]:
    if not isinstance(groups, Mapping) or not groups:
        raise TacitError("is recoded by no group", column=column, fix="e.g. groups={'south': ['Lund', 'Malmö']}")
    found: dict[str, tuple[str | int | bool, ...]] = {}
    owner: dict[str, str] = {}
    for label, values in groups.items():
        if not isinstance(label, str) or not label or not isinstance(values, list | tuple) or not values:
            raise TacitError(
                f"has a group {label!r} without name or values",
                column=column,
                fix="e.g. groups={'south': ['Lund', 'Malmö']}",
            )
        for value in values:
            if not isinstance(value, str | int):
                raise TacitError(
                    f"has {value!r} in a group",
                    column=column,
                    fix="list text, whole numbers or Booleans; cut other numbers at breaks",
                )
            if owner.setdefault(_written(value), label) != label:
                raise TacitError(f"has {value!r} in two groups", column=column, fix="keep it in one of them")
        found[label] = tuple(values)
    return found


def _checked_breaks(column: str, breaks: object) -> tuple[float, ...]:
    given = tuple(breaks) if isinstance(breaks, list | tuple) else ()
    if not given or not all(number(point) for point in given) or not all(low < high for low, high in pairwise(given)):
        raise TacitError(
            f"is cut at {breaks!r}, which are not rising numbers", column=column, fix="e.g. breaks=[18, 65]"
        )
    return given


def _check_type(release: Release, column: str, types: Sequence[str], *, fix: str) -> None:
    if release.types[column] not in types:
        raise TacitError(f"holds {release.types[column]}", column=column, fix=fix)


def _written(value: str | int | bool) -> str:
    """A value as the engines write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _merged_records(release: Release, column: str, groups: Mapping[str, Sequence[str | int | bool]]) -> int:
    """How many records are in the groups; none at all is a mistake, not a recoding."""
    _check_type(release, column, ("text", "integer", "boolean"), fix="use breaks for numbers, a hierarchy for dates")
    listed = [_written(value) for values in groups.values() for value in values]
    inside = nw.col(column).cast(nw.String).is_in(listed)
    count = int(few_rows(release.scan().filter(inside).select(nw.len()))[0][0])
    if not count:
        raise TacitError(
            "has none of the values that the groups list", column=column, fix="write them as they stand in the file"
        )
    return count


def _merged(column: str, groups: Mapping[str, Sequence[str | int | bool]]) -> nw.Expr:
    new = {_written(value): label for label, values in groups.items() for value in values}
    written = nw.col(column).cast(nw.String)
    return written.replace_strict(list(new), list(new.values()), default=written, return_dtype=nw.String)


def _cut(column: str, breaks: Sequence[float]) -> nw.Expr:
    value = nw.col(column)
    label = nw.lit(f"≥ {_shown(breaks[-1])}")
    for low, high in reversed(list(pairwise(breaks))):
        label = nw.when(value < high).then(nw.lit(f"[{_shown(low)}, {_shown(high)})")).otherwise(label)
    label = nw.when(value < breaks[0]).then(nw.lit(f"< {_shown(breaks[0])}")).otherwise(label)
    return nw.when(~value.is_null()).then(label).otherwise(nw.lit(None, nw.String))


def _shown(point: float) -> str:
    return str(int(point)) if float(point).is_integer() else repr(float(point))
