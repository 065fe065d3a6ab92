"""Global recoding: categories merged under a new name, or a number cut into intervals; as typed or as the data ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError, check_columns, check_int, format_value
from ..frozen import FrozenDict
from ..registry import MethodEffects, Tags, describe
from ..release.engines.table import few_rows
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._cut_points import EXACT, quantile_breaks
from .parameters import column_name, drop_metadata, is_number

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


WAYS = ("groups", "breaks", "quantiles", "rare")
CATEGORIES = ("text", "integer", "boolean")


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("coarsens", ("column",), model="recode"),
    family="coarser",
    suits={"ordinal": 2, "nominal": 3},
    example={"column": "sex", "groups": {"other than F": ["M", "X"]}},
    use="Some categories are rare or need not be told apart; a number is needed in classes only.",
    avoid="A hierarchy exists: generalise keeps its labels and levels.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """Merge categories (``groups``, ``rare``) or cut a number (``breaks``, ``quantiles``).

    Exactly one of the four is given:

    - ``groups={"north": ["Lund", "Malmö"]}`` gives the listed values of a text, whole-number or Boolean column one name;
      the others stay as they are written.
    - ``rare=10`` gives all categories with fewer than ten records the name ``other``. Where they are fewer than ten
      together, the next rarest are taken in, so that the new category is not rare itself.
    - ``breaks=[18, 65]`` makes the labels ``< 18``, ``[18, 65)`` and ``≥ 65``.
    - ``quantiles=4`` makes four intervals of about equal counts. Their bounds are the roundest numbers that leave each
      interval within a tenth of its share, so that they are nobody's own value, and the outer intervals are open, so
      that they do not tell the smallest and the largest. Many equal values make fewer intervals; ten records in each
      are the least.

    The column becomes text and loses its hierarchy; missing stays missing. Deterministic and row by row:
    O(n · breaks), or O(n) for categories, on every engine, with one or two aggregates.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": [17, 40, 70]}), quasi="age")
    >>> r.protect(Recode(column="age", breaks=[18, 65])).to_native()["age"].to_list()
    ['< 18', '[18, 65)', '≥ 65']
    >>> r = Release(pl.DataFrame({"city": ["Lund"] * 3 + ["Malmö"] * 2 + ["Ystad"]}), quasi="city")
    >>> r.protect(Recode(column="city", rare=3)).to_native()["city"].to_list()
    ['Lund', 'Lund', 'Lund', 'other', 'other', 'other']

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """

    column: str
    groups: Mapping[str, Sequence[str | int | bool]] | None = None
    breaks: Sequence[float] | None = None
    quantiles: int | None = None
    rare: int | None = None
    other: str = "other"

    def __post_init__(self) -> None:
        column_name(self.column)
        given = [name for name in WAYS if getattr(self, name) is not None]
        if len(given) != 1:
            raise TacitError(
                f"is recoded by {' and '.join(given) or 'nothing'}",
                code="unsuitable_column",
                column=self.column,
                fix=f"give one of {', '.join(WAYS)}: groups={{'south': ['Lund', 'Malmö']}} or breaks=[18, 65]",
            )
        if not isinstance(self.other, str) or not self.other or (self.other != "other" and self.rare is None):
            raise TacitError(
                f"has other={format_value(self.other)}",
                code="unsuitable_column",
                column=self.column,
                fix="give rare, and a name for what is merged",
            )
        for name in ("quantiles", "rare"):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), least=2)
        if self.groups is not None:
            object.__setattr__(self, "groups", FrozenDict(_checked_groups(self.column, self.groups)))
        if self.breaks is not None:
            object.__setattr__(self, "breaks", _checked_breaks(self.column, self.breaks))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with the new labels."""
        check_columns(self.column, release.columns)
        label, outcome = self._label_expression(release)
        recoded = drop_metadata(release.with_columns({self.column: label}), [self.column], hierarchies=True)
        return Masked(recoded, (Trace.of(self, **outcome),))

    def _label_expression(self, release: Release) -> tuple[nw.Expr, dict[str, Finding]]:
        """What each value becomes, and what was found out on the way."""
        if self.groups is not None:
            changed = _merged_records(release, self.column, self.groups)
            return _merge_groups(self.column, self.groups), {"changed": Finding(changed, publishable=False)}
        if self.rare is not None:
            kept, changed = _common_categories(release, self.column, self.rare, self.other)
            outcome = {"changed": Finding(changed, publishable=True, counts=True)}
            return _merge_rare(self.column, kept, self.other), outcome
        _check_type(release, self.column, ("integer", "number"), fix="use groups, or generalise by a hierarchy")
        if self.breaks is not None:
            return _cut_intervals(self.column, self.breaks), {}
        assert self.quantiles is not None
        breaks = quantile_breaks(release, self.column, self.quantiles)
        return _cut_intervals(self.column, breaks), {"breaks": Finding(breaks, publishable=True)}


def _checked_groups(column: str, groups: object) -> dict[str, tuple[str | int | bool, ...]]:
    if not isinstance(groups, Mapping) or not groups:
        raise TacitError(
            "is recoded by no group",
            code="unsuitable_column",
            column=column,
            fix="e.g. groups={'south': ['Lund', 'Malmö']}",
        )
    found: dict[str, tuple[str | int | bool, ...]] = {}
    owner: dict[str, str] = {}
    for label, values in groups.items():
        if not isinstance(label, str) or not label or not isinstance(values, list | tuple) or not values:
            raise TacitError(
                f"has a group {label!r} without name or values",
                code="missing_parameter",
                column=column,
                fix="e.g. groups={'south': ['Lund', 'Malmö']}",
            )
        for value in values:
            if not isinstance(value, str | int):
                raise TacitError(
                    f"has {value!r} in a group",
                    code="unsuitable_column",
                    column=column,
                    fix="list text, whole numbers or Booleans; cut other numbers at breaks",
                )
            if owner.setdefault(_as_text(value), label) != label:
                raise TacitError(
                    f"has {value!r} in two groups", code="duplicate", column=column, fix="keep it in one of them"
                )
        found[label] = tuple(values)
    return found


def _checked_breaks(column: str, breaks: object) -> tuple[float, ...]:
    given = tuple(breaks) if isinstance(breaks, list | tuple) else ()
    if (
        not given
        or not all(is_number(point) for point in given)
        or not all(low < high for low, high in pairwise(given))
    ):
        raise TacitError(
            f"is cut at {breaks!r}, which are not rising numbers",
            code="out_of_range",
            column=column,
            fix="e.g. breaks=[18, 65]",
        )
    return given


def _check_type(release: Release, column: str, types: Sequence[str], *, fix: str) -> None:
    if release.types[column] not in types:
        raise TacitError(f"holds {release.types[column]}", code="wrong_kind", column=column, fix=fix)


def _as_text(value: str | int | bool) -> str:
    """A value as the engines write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _merged_records(release: Release, column: str, groups: Mapping[str, Sequence[str | int | bool]]) -> int:
    """How many records are in the groups; none at all is a mistake, not a recoding."""
    _check_type(release, column, CATEGORIES, fix="use breaks for numbers, a hierarchy for dates")
    listed = [_as_text(value) for values in groups.values() for value in values]
    inside = nw.col(column).cast(nw.String).is_in(listed)
    count = int(few_rows(release.scan().filter(inside).select(nw.len()))[0][0])
    if not count:
        raise TacitError(
            "has none of the values that the groups list",
            code="unsuitable_column",
            column=column,
            fix="write them as they stand in the file",
        )
    return count


def _common_categories(release: Release, column: str, rare: int, other: str) -> tuple[list[str], int]:
    """The categories that keep their names, as they are written, and how many records lose theirs."""
    _check_type(release, column, CATEGORIES, fix="use quantiles for numbers, a hierarchy for dates")
    written = release.scan().select(nw.col(column).cast(nw.String).alias("label")).filter(~nw.col("label").is_null())
    counted = written.group_by("label").agg(nw.len().alias("records"))
    common = nw.col("records") >= rare
    merged = few_rows(counted.filter(~common | (nw.col("label") == other)).select(nw.col("records").sum()))[0][0]
    kept = few_rows(counted.filter(common, nw.col("label") != other).select("label", "records"))
    kept.sort(key=lambda one: (-one[1], one[0]))
    changed = int(merged or 0)
    while kept and 0 < changed < rare:
        changed += int(kept.pop()[1])
    if not kept:
        raise TacitError(
            f"has no category with {rare} records that could be told from the others",
            code="unsuitable_column",
            column=column,
            fix="use a smaller rare, or suppress the column",
        )
    return [label for label, _ in kept], changed


def _merge_rare(column: str, kept: Sequence[str], other: str) -> nw.Expr:
    written = nw.col(column).cast(nw.String)
    label = nw.when(written.is_in(kept)).then(written).otherwise(nw.lit(other))
    return nw.when(~written.is_null()).then(label).otherwise(nw.lit(None, nw.String))


def _merge_groups(column: str, groups: Mapping[str, Sequence[str | int | bool]]) -> nw.Expr:
    new = {_as_text(value): label for label, values in groups.items() for value in values}
    written = nw.col(column).cast(nw.String)
    return written.replace_strict(list(new), list(new.values()), default=written, return_dtype=nw.String)


def _cut_intervals(column: str, breaks: Sequence[float]) -> nw.Expr:
    value = nw.col(column)
    label = nw.lit(f"≥ {_format_break(breaks[-1])}")
    for low, high in reversed(list(pairwise(breaks))):
        label = (
            nw.when(value < _comparable_break(high))
            .then(nw.lit(f"[{_format_break(low)}, {_format_break(high)})"))
            .otherwise(label)
        )
    label = nw.when(value < _comparable_break(breaks[0])).then(nw.lit(f"< {_format_break(breaks[0])}")).otherwise(label)
    return nw.when(~value.is_null()).then(label).otherwise(nw.lit(None, nw.String))


def _comparable_break(point: float) -> float:
    """A break as engines compare it: they have no whole numbers beyond 2⁶³."""
    return point if abs(point) < EXACT else float(point)


def _format_break(point: float) -> str:
    exact = float(point).is_integer() and abs(point) < EXACT
    return str(int(point)) if exact else repr(float(point))
