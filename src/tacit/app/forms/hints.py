"""The types of parameters, also where their names are imported for the type checker alone."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["hints_of", "literals", "parts"]


class _Names(dict[str, Any]):
    """Names in which an annotation is read; one that cannot be had, as of a library not installed, is anything."""

    def __missing__(self, name: str) -> Any:
        return Any


def hints_of(call: Callable[..., Any]) -> dict[str, Any]:
    """The type of each parameter of a dataclass or function."""
    return get_type_hints(call, localns=_names_in(call.__module__))


def parts(hint: Any) -> tuple[Any, ...]:
    """The members of a union without None; of any other type the type itself.

    >>> parts(float | None), parts(int | str)
    ((<class 'float'>,), (<class 'int'>, <class 'str'>))
    """
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(one for one in members if one is not NoneType)


def literals(hint: Any) -> tuple[Any, ...]:
    """The values of a type that allows nothing but these; empty for other types.

    >>> literals(Literal["a", "b"] | None), literals(str)
    (('a', 'b'), ())
    """
    members = parts(hint)
    if not members or any(get_origin(one) is not Literal for one in members):
        return ()
    return tuple(value for one in members for value in get_args(one))


@cache
def _names_in(module: str) -> dict[str, Any]:
    found = sys.modules[module]
    return _Names({**vars(builtins), **vars(found), **dict(_for_checking(found))})


def _for_checking(module: Any) -> Iterator[tuple[str, Any]]:
    """What a module imports under ``if TYPE_CHECKING``, as far as it is installed."""
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.If) or ast.unparse(node.test) not in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            continue
        for part in node.body:
            if isinstance(part, ast.Import | ast.ImportFrom):
                yield from _imported(part, module.__package__)


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, Any]]:
    for alias in node.names:
        with suppress(ImportError, AttributeError):
            if isinstance(node, ast.Import):
                yield alias.asname or alias.name, importlib.import_module(alias.name)
            else:
                source = importlib.import_module("." * node.level + (node.module or ""), package)
                yield alias.asname or alias.name, getattr(source, alias.name)
