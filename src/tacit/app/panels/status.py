"""Where the plan stands: every requirement as a light, and what was lost for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...errors import Cancelled, TacitError
from ...loss import summary
from ...loss.headline import headline
from ...models.verdict import Verdict
from ...plan.attack_run import ABOUT, SHARES
from ...plan.require import Requirements
from ...progress import report_progress
from ...release.masked import Masked
from ...report.figures import verdict_figures
from ...result import Results
from ...risk import k_anonymity

if TYPE_CHECKING:
    from .context import PanelContext


def status_panel(bench: PanelContext) -> dict[str, Any]:
    """The verdicts of models and bounds on the data after all steps; attacks have a panel of their own."""
    original, masked = bench.original, bench.masked()
    report_progress(bench.progress, "judging", 0.9)
    lights = [judge_requirement(bench, name, content, masked) for name, content in bench.plan.plan.require.items()]
    asks = _undecided_missing(bench)
    keyed = bool(original.quasi) and asks is None
    return {
        "lights": lights,
        "asks": asks,
        "k": [k_anonymity(one).value for one in (original, masked.release)] if keyed else None,
        "records": [original.size, masked.release.size],
        "losses": measure_losses(bench, masked) if bench.plan.steps else [],
    }


def _undecided_missing(bench: PanelContext) -> dict[str, Any] | None:
    """The column with missing keys of which nobody has said what they mean, if there is one."""
    try:
        if bench.original.quasi:
            bench.original.matches()
    except TacitError as problem:
        return problem.as_json()
    return None


def judge_requirement(bench: PanelContext, name: str, content: Any, masked: Masked) -> dict[str, Any]:
    """One requirement as a traffic light."""
    if name in ABOUT:
        return {"name": name, "state": "attack", "share": name in SHARES, "required": content}
    asked = Requirements.of({name: content})
    what = f"requirement {name} {content!r}"
    try:
        (found,) = bench.cached_figure(
            what,
            len(bench.steps),
            lambda: asked.judge(masked.release, original=bench.original, lineage=masked.rows()),
        )
    except Cancelled:
        raise
    except TacitError as problem:
        return {"name": name, "state": "unknown", "problem": problem.as_json()}
    return traffic_light(name, found)


def traffic_light(name: str, verdict: Verdict) -> dict[str, Any]:
    """A verdict as a traffic light, with its figures as text and how many records stand in its way; ``share``: in per cent."""
    plain: Mapping[str, Any] = verdict.as_json()
    kept = {
        key: plain[key]
        for key in ("required", "found", "margin", "column", "failing_records", "failing_classes", "notes", "by")
    }
    state, share = "holds" if verdict.holds else "fails", name in SHARES
    return {
        "name": name,
        "state": state,
        "share": share,
        "figures": asdict(verdict_figures(verdict, share=share)),
        **kept,
    }


def measure_losses(bench: PanelContext, masked: Masked) -> list[dict[str, Any]]:
    """What was lost, measure by measure, between 0 and 1; the largest first."""
    try:
        found = summary(masked, original=bench.original)
    except Cancelled:
        raise
    except TacitError:
        return []
    names = dict.fromkeys(one.name for one in found)
    each = [(name, headline(Results(tuple(one for one in found if one.name == name)))) for name in names]
    return [{"name": name, "share": share} for name, share in sorted(each, key=lambda pair: -pair[1])]
