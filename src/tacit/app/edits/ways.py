"""The ways to make groups by rule: what a form says, as a plan writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import TacitError
from .edit import needed
from .form import Form

__all__ = ["WAYS"]


def _numbers(form: Form, name: str, *, whole: bool = True) -> list[Any]:
    return _listed(needed(form, name, "a list of numbers"), whole=whole)


def _listed(typed: str, *, whole: bool) -> list[Any]:
    try:
        return [_number(part, whole=whole) for part in typed.replace(",", " ").replace(";", " ").split()]
    except ValueError:
        kind = "whole numbers" if whole else "numbers"
        raise TacitError(
            f"{typed!r} is no list of {kind}", fix="write them with commas between, e.g. 5, 10, 20"
        ) from None


def _number(part: str, *, whole: bool) -> int | float:
    try:
        return int(part)
    except ValueError:
        if whole:
            raise
        return float(part)


def _intervals(form: Form) -> dict[str, Any]:
    origin = _listed(form.one("origin"), whole=True)
    return {"intervals": _numbers(form, "numbers")} | ({"origin": origin[0]} if origin and origin[0] else {})


def _cuts(form: Form) -> dict[str, Any]:
    lines = [line for line in form.one("points").splitlines() if line.strip()]
    return {"cuts": [_listed(line, whole=False) for line in lines]}


def _priority(form: Form) -> dict[str, Any]:
    order = [line.strip() for line in form.one("order").splitlines() if line.strip()]
    keep = form.one("keep").strip()
    return {"priority": order} | ({"keep": _listed(keep, whole=True)} if keep else {})


WAYS: Mapping[str, Callable[[Form], dict[str, Any]]] = {
    "prefix": lambda form: {"prefix": _numbers(form, "numbers")},
    "intervals": _intervals,
    "cuts": _cuts,
    "dates": lambda form: {"dates": form.all("units")},
    "ip": lambda form: {"ip": _numbers(form, "numbers")},
    "frequency": lambda form: {"frequency": _numbers(form, "numbers")},
    "priority": _priority,
    "quantiles": lambda form: {"quantiles": _numbers(form, "numbers")},
    "clusters": lambda form: (
        {"clusters": _numbers(form, "numbers")} | ({"like": form.one("like")} if form.one("like") else {})
    ),
}
