"""Tacit measures how much a data release discloses, attacks it, protects it and shows the result.

Light to import: every name below is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        attack,
        claims,
        dp,
        examples,
        graphs,
        loss,
        models,
        multiparty,
        plan,
        protect,
        query,
        release,
        report,
        risk,
        study,
        tables,
    )
    from .errors import TacitError
    from .release import Hierarchy, Masked, Release, Trace, hierarchy
    from .release.read import read
    from .release.suggest import safe_harbor, suggest
    from .release.write import write
    from .result import Result, Results

__version__ = "0.1.0"

__all__ = [
    "Hierarchy",
    "Masked",
    "Release",
    "Result",
    "Results",
    "TacitError",
    "Trace",
    "attack",
    "claims",
    "dp",
    "examples",
    "graphs",
    "hierarchy",
    "loss",
    "models",
    "multiparty",
    "plan",
    "protect",
    "query",
    "read",
    "release",
    "report",
    "risk",
    "safe_harbor",
    "study",
    "suggest",
    "tables",
    "write",
]

_HOME = {
    "Hierarchy": ".release",
    "Masked": ".release",
    "Release": ".release",
    "Result": ".result",
    "Results": ".result",
    "TacitError": ".errors",
    "Trace": ".release",
    "hierarchy": ".release",
    "read": ".release.read",
    "safe_harbor": ".release.suggest",
    "suggest": ".release.suggest",
    "write": ".release.write",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name], __name__), name)
    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
