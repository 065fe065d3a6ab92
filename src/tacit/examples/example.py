"""An example: a table together with all that a release wants to know about it, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Example:
    """A table, its roles, kinds and hierarchies, and the numbers that were published for it.

    ``tacit.Release(e.frame, **e.roles, kinds=e.kinds, hierarchies=e.hierarchies, missing=e.missing)`` is its
    release. A hierarchy is one of ``{"prefix": [5, 3, 1]}``, ``{"intervals": [5, 10]}``,
    ``{"dates": ["month", "year"]}`` and ``{"table": {value: [level 1, level 2, …, "*"]}}``.
    """

    name: str
    frame: pl.DataFrame
    about: str
    roles: Mapping[str, Any]
    kinds: Mapping[str, str]
    hierarchies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    missing: Literal["own", "any"] = "own"
    facts: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Example {self.name}: {self.frame.height} rows, {self.frame.width} columns>"


def make_roles(
    *,
    identifier: tuple[str, ...] = (),
    quasi: tuple[str, ...] = (),
    confidential: tuple[str, ...] = (),
    weight: str | None = None,
    household: str | None = None,
) -> dict[str, Any]:
    """The roles as a release takes them, those without a column too."""
    listed = {"identifier": identifier, "quasi": quasi, "confidential": confidential}
    return {**listed, "weight": weight, "household": household}
