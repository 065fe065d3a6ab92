"""What each step does: risk and loss before and after it, and its own account of what it changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import Cancelled, TacitError
from ...plan.protection import IDENTIFIERS
from ...progress import report_progress
from ...protect import METHODS
from ...release.masked import Masked
from ...report.sections.steps import outcome_said, parameters_said
from ...report.words import to_prose
from ...risk import k_anonymity, sample_uniques
from .status import measure_losses

if TYPE_CHECKING:
    from .context import PanelContext


def step_panel(bench: PanelContext) -> dict[str, Any]:
    """The figures before and after the step that is asked about, and what it says that it did."""
    asked = str(bench.question["after"])
    before, after = step_counts(bench, asked)
    problem = step_failure(bench, after)
    if problem is not None:
        return {"failed": problem, "own": problem["count"] > before}
    found = (
        step_figures if asked.isdecimal() else _only_risk
    )  # what every release gets leaves the values of people alone
    return {
        "failed": None,
        "before": found(bench, before) if before < after else None,
        "after": found(bench, after),
        "did": _step_findings(bench.masked(before), bench.masked(after)),
    }


def effect_panel(bench: PanelContext) -> dict[str, Any]:
    """All steps together in three figures, for the sentence on top."""
    problem = step_failure(bench, len(bench.steps))
    reached = problem["count"] - 1 if problem else len(bench.steps)
    original, masked = (_risk_figures(bench.masked(count)) for count in (0, reached))
    steps = sum(one.path[0] == "protect" for one in bench.steps[:reached])
    return {"failed": problem, "steps": steps, "before": original, "after": masked}


def step_counts(bench: PanelContext, after: str) -> tuple[int, int]:
    """How many steps come before the one that is asked about, and how many with it.

    ``after`` is the original, the identifiers, the place of a step among those of the plan, or the last.
    """
    first = sum(one.path == IDENTIFIERS for one in bench.steps)
    own = first + len(bench.plan.steps)
    if after == "last":
        return own, len(bench.steps)
    if after in ("original", "identifiers"):
        return 0, first if after == "identifiers" else 0
    place = int(after) if after.isdecimal() else -1
    if not 0 <= place < len(bench.plan.steps):
        raise TacitError(
            f"there is no step {after!r}", code="unknown_name", fix="choose one of those that the page shows"
        )
    return first + place, first + place + 1


def plan_up_to_step(raw: dict[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """A plan as far as it matters to a step: those before it, and the requirements if one of them is to provide them."""
    after, steps = str(question.get("after", "last")), raw.get("protect", [])
    if after in ("original", "identifiers"):
        steps = []
    elif after.isdecimal():
        steps = steps[: int(after) + 1]
    methods = (METHODS.get(str(one.get("method"))) for one in steps if "models" not in one)
    asked = any(entry is not None and entry.provides for entry in methods)
    return {**raw, "protect": steps, "require": raw.get("require") if asked else None}


def step_failure(bench: PanelContext, count: int) -> dict[str, Any] | None:
    """Why one of the first ``count`` steps cannot be done, and which; None when all can."""
    return next(
        (why for one in range(1, count + 1) if (why := bench.cached_figure("failure", one, _try_steps(bench, one)))),
        None,
    )


def _try_steps(bench: PanelContext, count: int) -> Any:
    def trying() -> dict[str, Any] | None:
        try:
            bench.masked(count)
        except Cancelled:
            raise
        except TacitError as problem:
            path = bench.steps[count - 1].path
            place = path[1] if path[0] == "protect" else None
            return {"problem": problem.restate(where=None).as_json(), "place": place, "count": count}
        return None

    return trying


def step_figures(bench: PanelContext, count: int) -> dict[str, Any]:
    """Risk and loss after so many steps; found once."""

    def found() -> dict[str, Any]:
        masked = bench.masked(count)
        risk = _risk_figures(masked)
        report_progress(bench.progress, "measuring what is lost", 0.9)
        return {**risk, "losses": measure_losses(bench, masked) if count else []}

    return bench.cached_figure("figures", count, found)


def _only_risk(bench: PanelContext, count: int) -> dict[str, Any]:
    return {**_risk_figures(bench.masked(count)), "losses": []}


def _risk_figures(masked: Masked) -> dict[str, Any]:
    size = masked.release.size
    unknown = {"k": None, "alone": None, "records": size}
    try:
        if not masked.release.quasi or not size:
            return {**unknown, "why": "keys"}
        k, alone = k_anonymity(masked).value, sample_uniques(masked).value
    except Cancelled:
        raise
    except TacitError:  # a missing key of which nobody said what it means
        return {**unknown, "why": "missing"}
    return {"k": int(k), "alone": int(alone), "records": size, "why": None}


def _step_findings(before: Masked, after: Masked) -> list[list[str]]:
    """What the step found and did in its own words; of the methods that it took in turn also their parameters."""
    own, *others = after.trace[len(before.trace) :] or (None,)
    if own is None:
        return []
    choice = after.evidence.get("choice")
    if choice is None or choice is before.evidence.get("choice"):
        said = [list(pair) for pair in outcome_said(own, "internal")]
    else:
        said = [[to_prose(name), to_prose(words)] for name, words in choice.rows()]
    for one in others:
        name = to_prose(one.method)
        pairs = (*parameters_said(one.as_json(public=False)["parameters"]), *outcome_said(one, "internal"))
        said += [[f"{name}: {label}", words] for label, words in pairs]
    return said
