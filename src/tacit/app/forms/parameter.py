"""The parameters of whatever a plan can name: fields of a dataclass or section, keyword options of a measure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

from .control import control_of
from .field import Control
from .hints import hints_of, literals
from .said import sentence_about

__all__ = ["Parameter", "parameters_of"]

BESIDE = ("original", "lineage", "population")
"""Arguments of a measure that are files, not options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter by name: its control, what it may be, whether one can do without it, and what is said of it."""

    name: str
    control: Control
    required: bool
    default: Any = None
    literals: tuple[Any, ...] = ()
    help: str = ""


@cache
def parameters_of(call: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters in their order; that a section is of its ``method`` is no parameter."""
    if isinstance(call, type) and issubclass(call, BaseModel):
        return tuple(_of_section(call))
    return tuple(_of_dataclass(call) if is_dataclass(call) else _of_function(call))


def _of_dataclass(call: Any) -> Iterator[Parameter]:
    hints = hints_of(call)
    for one in fields(call):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        yield _parameter(one.name, hints[one.name], default, MISSING, sentence_about(one.name, call.__doc__))


def _of_function(call: Callable[..., Any]) -> Iterator[Parameter]:
    hints = hints_of(call)
    for one in inspect.signature(call).parameters.values():
        if one.kind is one.KEYWORD_ONLY and one.name not in BESIDE:
            help = sentence_about(one.name, call.__doc__)
            yield _parameter(one.name, hints.get(one.name, Any), one.default, one.empty, help)


def _of_section(call: type[BaseModel]) -> Iterator[Parameter]:
    for name, one in call.model_fields.items():
        if name != "method":
            default = MISSING if one.is_required() else one.get_default(call_default_factory=True)
            yield _parameter(one.alias or name, one.annotation, default, MISSING, one.description or "")


def _parameter(name: str, hint: Any, default: Any, nothing: Any, help: str) -> Parameter:
    control = control_of(name, hint)
    return Parameter(
        name=name,
        control=control,
        required=default is nothing and control not in ("models", "flag"),
        default=None if default is nothing else default,
        literals=literals(hint),
        help=help,
    )
