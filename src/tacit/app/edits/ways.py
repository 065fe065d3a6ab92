"""The ways to make groups by rule: what a form says, as a plan writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import TacitError
from ..forms import Mistakes
from ..texts import texts
from .edit import needed
from .form import Form

__all__ = ["WAYS", "typed_for"]

FIELDS = {"cuts": "points", "priority": "order", "dates": "units"}
"""The field of a way, where it is not that of its numbers."""
AS_IN_A_PLAN = re.compile(r" = |[{\['][\['{\w]")
LIST = re.compile(r"(?:\b\w+ = )?\[([^\[\]]*)\]")


@contextmanager
def typed_for(way: str) -> Iterator[None]:
    """What is wrong with a way stands beside the field that it was typed into, in the words of the page."""
    try:
        yield
    except TacitError as problem:
        words = texts().hierarchies
        field = next((name for name in ("keep", "like") if name in problem.what), FIELDS.get(way, "numbers"))
        fix = words.right.get(way) if AS_IN_A_PLAN.search(problem.fix) else problem.fix
        what = LIST.sub(lambda found: found[1] or words.nothing, problem.what)
        told = TacitError(what, fix=fix, column=problem.column, where=problem.where)
        raise Mistakes.of({field: told}) from None


def _numbers(form: Form, name: str, *, whole: bool = True) -> list[Any]:
    return _listed(needed(form, name, "a list of numbers"), whole=whole)


def _listed(typed: str, *, whole: bool) -> list[Any]:
    parts = _parts(typed, whole=whole)
    try:
        return [_number(part, whole=whole) for part in parts]
    except ValueError:
        kind = "whole numbers" if whole else "numbers"
        raise TacitError(
            f"{typed!r} is no list of {kind}", fix="write them with commas between, e.g. 5, 10, 20"
        ) from None


def _parts(typed: str, *, whole: bool) -> list[str]:
    """What stands between commas, semicolons and blanks; where decimals may be meant by a comma it has to be said."""
    between, within = ";" in typed or re.search(r",\s|\d\s+\d", typed), re.search(r"\d,\d", typed)
    if not whole and between and within:
        raise TacitError(
            f"{typed!r} can be read in two ways",
            fix="write a point before decimals and a blank after each comma: 2.5, 10",
        )
    return typed.replace(",", " ").replace(";", " ").split()


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
