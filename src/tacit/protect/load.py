"""Methods as plain data and back: what a plan, a trace and a JSON file hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import TacitError, suggest_alternative
from ..registry import Entry, build_from_params
from ..release.masked import Method
from ..release.step_effects import flatten_steps
from ..release.trace import Trace, to_plain_data


def to_json(method: Method) -> dict[str, Any]:
    """A method as plain data: its plan name under ``method``, and its parameters.

    >>> from tacit.protect import RankSwap
    >>> to_json(RankSwap(columns="income", percent=5))
    {'method': 'rank_swap', 'columns': ['income'], 'percent': 5, 'form': 'uniform', 'strata': None, 'totals': {}}
    """
    found: dict[str, Any] = to_plain_data(method)
    return found


def from_json(given: Mapping[str, Any], methods: Mapping[str, Entry] | None = None) -> Method:
    """The method that plain data describe; equal to the one that :func:`to_json` wrote.

    ``methods`` are those that it may be, by plan name: the masking methods when absent.

    >>> from_json({"method": "suppress_records", "k": 3})
    SuppressRecords(k=3)
    """
    from . import METHODS

    known = METHODS if methods is None else methods
    name = given.get("method") if isinstance(given, Mapping) else None
    if not isinstance(name, str):
        raise TacitError(
            "a protection step has no method", code="missing_parameter", fix=f"method = one of {', '.join(known)}"
        )
    if name not in known:
        raise TacitError(
            f"the method {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(known))
        )
    parameters = {key: value for key, value in given.items() if key != "method"}
    return _build_method(name, known[name].call, parameters)


def _build_method(name: str, kind: Any, parameters: dict[str, Any]) -> Method:
    if "seed" in parameters:
        raise TacitError(
            "a seed is no part of a method", code="seed", fix="tacit release --seed 7, or .protect(…, seed=7)"
        )
    if isinstance(parameters.get("steps"), list | tuple):
        parameters["steps"] = [from_json(step) for step in parameters["steps"]]
    method: Method = build_from_params(name, kind, parameters)
    return method


def with_declared_effects(trace: Iterable[Trace]) -> tuple[Trace, ...]:
    """The steps one by one, each with the effects that its method declares where the trace does not tell them.

    That is a trace typed by hand, or written before traces told effects; a step of an unknown method stays as it is.

    >>> with_declared_effects([Trace("suppress_records", {"k": 3})])[0].effects.drops
    True
    """
    from . import METHODS

    steps = flatten_steps(trace)
    return tuple(
        replace(step, effects=METHODS[step.method].effects) if step.effects is None and step.method in METHODS else step
        for step in steps
    )
