"""The libraries of the extra ``graphs``, loaded when they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ...errors import TacitError


def load_library(name: str) -> ModuleType:
    """A library of the extra ``graphs``, or an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError:
        fix = "pip install 'tacit[graphs]', in a clone pip install -e '.[graphs]'"
        raise TacitError(
            f"this needs the library {name}, which is not installed", code="not_installed", fix=fix
        ) from None
