"""SELECT and GROUP BY: what is asked for each group, and under which names it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..question import Aggregate, Key
from .aggregates import OFFERED, aggregate, called
from .keys import key
from .scope import Scope
from .unsupported import only, piece, unsupported

__all__ = ["Asked", "asked"]


@dataclass(frozen=True, slots=True)
class Asked:
    """The columns of the answer in the analyst's order, by name, and all keys of the groups, shown or not."""

    shown: dict[str, Aggregate | Key]
    by: tuple[Key, ...]

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The distinct aggregates, in the question's order."""
        return tuple(sorted({one for one in self.shown.values() if isinstance(one, Aggregate)}))


def asked(select: Any, scope: Scope) -> Asked:
    """What a SELECT asks, refused unless every column is an aggregate or a key of the groups."""
    items = [_named(node, scope) for node in select.expressions]
    aliases = {name: one for node, (name, one) in zip(select.expressions, items, strict=True) if node.args.get("alias")}
    by = tuple(sorted({_key(node, scope, aliases) for node in _grouped(select)}))
    shown: dict[str, Aggregate | Key] = {}
    for name, one in items:
        if name in shown:
            raise unsupported(f"two columns of the answer are called {name!r}", "give one another name: … AS name")
        if isinstance(one, Key) and one not in by:
            raise unsupported(f"{name!r} is neither an aggregate nor in GROUP BY", "add it to GROUP BY")
        shown[name] = one
    if not any(isinstance(one, Aggregate) for one in shown.values()):
        raise unsupported("the question asks for no aggregate", OFFERED)
    return Asked(shown, by)


def _named(node: Any, scope: Scope) -> tuple[str, Aggregate | Key]:
    alias, inner = None, node
    if type(node).__name__ == "Alias":
        only(node, "this", "alias", fix="write expression AS name")
        alias, inner = str(node.args["alias"].this), node.this
    if type(inner).__name__ == "Star":
        raise unsupported("'*' would show the rows themselves", OFFERED)
    found = aggregate(inner, scope)
    if found is not None:
        return alias or called(found), found
    if type(inner).__name__ not in ("Column", "Anonymous"):
        raise unsupported(f"{piece(inner)} is not offered", OFFERED)
    group = key(inner, scope)
    return alias or group.column.rpartition(".")[2], group


def _grouped(select: Any) -> list[Any]:
    group = select.args.get("group")
    if group is None:
        return []
    only(group, "expressions", fix="write GROUP BY column, BIN(column, width)")
    return list(group.expressions)


def _key(node: Any, scope: Scope, aliases: dict[str, Aggregate | Key]) -> Key:
    if type(node).__name__ == "Column" and not node.args.get("table"):
        meant = aliases.get(str(node.this.this))
        if isinstance(meant, Key) and str(node.this.this) not in scope.schema.columns:
            return meant
    return key(node, scope)
