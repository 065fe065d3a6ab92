"""What a form may offer: the columns of the table, and how high their hierarchies are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by name, with its role and kind in the words of a plan; empty where they are not known yet."""

    name: str
    role: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns in the order of the table, and the height of the hierarchy of each that has one."""

    every: tuple[Column, ...] = ()
    heights: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the table."""
        return tuple(one.name for one in self.every)

    @staticmethod
    def of(release: Release) -> Columns:
        """Those of a release.

        >>> import polars as pl
        >>> from tacit import Release
        >>> r = Release(pl.DataFrame({"zip": ["N1A"]}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2]}})
        >>> Columns.of(r)
        Columns(every=(Column(name='zip', role='quasi', kind='nominal'),), heights={'zip': 2})
        """
        kinds = release.kinds
        every = (
            Column(name=name, role=release.roles.get(name, ""), kind=kinds.get(name, "")) for name in release.columns
        )
        heights = {name: release.hierarchies[name].height for name in release.columns if name in release.hierarchies}
        return Columns(every=tuple(every), heights=heights)
