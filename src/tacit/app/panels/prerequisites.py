"""Which release a panel about risk is asked about, and what has to be said before anything can be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import Cancelled, TacitError
from ...release.release import Release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .context import PanelContext


def asked_about(bench: PanelContext) -> Release:
    """The data as they are, or, where the plan has steps, the data after them."""
    if bench.question.get("of") == "original" or not bench.plan.steps:
        return bench.original
    return bench.masked().release


def before_steps(raw: dict[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """Of a plan what matters to the question: the steps do not change the data as they are."""
    return {**raw, "protect": None} if question.get("of") == "original" else raw


def measured_on(raw: dict[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """The same for what nobody's requirements change: they matter to steps that take their models from them."""
    cut = before_steps(raw, question)
    return cut if cut.get("protect") else {**cut, "require": None}


def missing_prerequisites(bench: PanelContext, release: Release) -> dict[str, Any] | None:
    """What is to be said first: a column that an intruder may know, or what its missing values mean; or nobody is in it."""
    if not release.quasi:
        return {"lacks": "quasi"}
    if release is not bench.original and (bench.masked().rows() < 0).all():
        return {"lacks": "people"}
    try:
        release.matches()
    except Cancelled:
        raise
    except TacitError as problem:
        return {"lacks": "missing", "problem": problem.as_json()}
    return None
