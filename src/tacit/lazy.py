"""Packages whose public names are loaded when they are first used.

The stub ``__init__.pyi`` of a package is the one list of its public names. Type checkers and editors read it, and so does
:func:`load_lazily`, which ``__init__.py`` calls once. Each line of the stub says which module defines a name::

    from .rank_swap import RankSwap as RankSwap

The names below the declaration of a registry, down to the next declaration, are the entries of that registry
(:mod:`tacit.registry` says more)::

    METHODS: Registry

    from .rank_swap import RankSwap as RankSwap

Inside Tacit, code imports the module that defines a name, not the package.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyPackage(ModuleType):
    """A package that imports a public name from its module when the name is first used.

    A function may have the name of its module, as ``risk.k_anonymity`` has. Whoever imports that module makes the import
    system set it as an attribute of the package; the package keeps the name for the function.
    """

    def __getattr__(self, name: str) -> Any:
        target = self.__dict__.get("_targets", {}).get(name)
        if target is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__dict__[name] = value = load_target(target)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        shadows = isinstance(value, ModuleType) and ":" in self.__dict__.get("_targets", {}).get(name, "")
        if not shadows:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__all__, *(name for name in self.__dict__ if name.startswith("__"))})


def load_lazily(package: str) -> None:
    """Offer the names of the package's stub, each loaded when it is first used."""
    module = sys.modules[package]
    targets = stub_targets(package)
    declared = [name for node in _stub_body(package) if (name := _declared_name(node)) and not name.startswith("_")]
    module.__dict__.update(_targets=targets, __all__=sorted([*targets, *declared]))
    module.__class__ = LazyPackage


def stub_targets(package: str, *, below: str | None = None) -> dict[str, str]:
    """Public name → where it is defined, as "module:name" or "module"; ``below`` a declaration: only those listed there."""
    found: dict[str, str] = {}
    section = None
    for node in _stub_body(package):
        section = _declared_name(node) or section
        if not isinstance(node, ast.ImportFrom) or node.level != 1 or below not in (None, section):
            continue
        for alias in node.names:
            home = f"{package}.{node.module}:{alias.name}" if node.module else f"{package}.{alias.name}"
            found[alias.asname or alias.name] = home
    return found


def load_target(target: str) -> Any:
    """The object that "module:name" or "module" names."""
    module, _, name = target.partition(":")
    loaded = import_module(module)
    return getattr(loaded, name) if name else loaded


def _declared_name(node: ast.stmt) -> str | None:
    """METHODS, for a line such as ``METHODS: Registry``."""
    return node.target.id if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else None


def _stub_body(package: str) -> list[ast.stmt]:
    """The statements of the stub, read by the package's own loader: it may lie in an archive."""
    spec: Any = sys.modules[package].__spec__
    path = spec.origin.removesuffix("c") + "i"  # __init__.py or __init__.pyc → __init__.pyi
    source: bytes = spec.loader.get_data(path)
    return ast.parse(source).body
