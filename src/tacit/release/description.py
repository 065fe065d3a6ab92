"""What is known about a table beside its cells: roles, kinds, hierarchies, labels and the policy for missing values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from ..errors import TacitError, check_columns
from .engines.table import Type
from .hierarchy import Hierarchy, hierarchy
from .hierarchy.recipe import Tally, resolve_hierarchy
from .kinds import Kind
from .kinds import check_kinds as checked_kinds
from .roles import Role, assign_roles

Missing: TypeAlias = Literal["own", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Everything that travels with a table through every step."""

    roles: Mapping[str, Role]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    mixed: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    value_labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    missing_codes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    missing: Missing | None = None
    population: Any = None
    shuffled: bool = False

    def select_columns(self, columns: Sequence[str]) -> Description:
        """The description of some of the columns."""

        def kept(given: Mapping[str, Any]) -> dict[str, Any]:
            return {name: value for name, value in given.items() if name in columns}

        return replace(
            self,
            roles={name: self.roles.get(name, "other") for name in columns},
            kinds=kept(self.kinds),
            hierarchies=kept(self.hierarchies),
            levels=kept(self.levels),
            mixed=tuple(name for name in self.mixed if name in columns),
            labels=kept(self.labels),
            value_labels=kept(self.value_labels),
            missing_codes=kept(self.missing_codes),
        )


def checked_description(
    types: Mapping[str, Type],
    tally: Tally,
    *,
    roles: Mapping[Role, str | Iterable[str] | None],
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    value_labels: Mapping[str, Mapping[Any, str]] | None = None,
    missing: str | None = None,
) -> Description:
    """What is said about a table whose columns have these types, every part of it checked."""
    check_columns([*(labels or {}), *(name for name in value_labels or {} if name not in (labels or {}))], list(types))
    description = Description(
        roles=assign_roles(list(types), roles),
        kinds=checked_kinds(kinds, types),
        hierarchies=checked_hierarchies(hierarchies, types, tally),
        labels=dict(labels or {}),
        value_labels=dict(value_labels or {}),
        missing=checked_missing(missing),
    )
    weight = next((name for name, role in description.roles.items() if role == "weight"), None)
    if weight is not None and types[weight] not in ("integer", "number"):
        raise TacitError(
            f"is the weight but holds {types[weight]}",
            code="wrong_kind",
            column=weight,
            fix="name a column of positive numbers",
        )
    return description


def checked_missing(missing: str | None) -> Missing | None:
    """The policy for missing keys, or None while nobody had to choose."""
    if missing not in ("own", "any", None):
        raise TacitError(
            f"missing={missing!r} is unknown",
            code="unknown_name",
            parameter="missing",
            fix="use missing='own' (a category of its own) or missing='any' (matches anything)",
        )
    return missing  # type: ignore[return-value]


def checked_hierarchies(
    given: Mapping[str, Any] | None, types: Mapping[str, Type], tally: Tally
) -> dict[str, Hierarchy]:
    """The hierarchies, each of a known column and fitting its type; recipes are grown from the data."""
    found: dict[str, Hierarchy] = {}
    for column, description in (given or {}).items():
        check_columns(column, list(types))
        built = hierarchy(description)
        built.check_type(column, types[column])
        found[column] = resolve_hierarchy(built, column, tally)
    return found
