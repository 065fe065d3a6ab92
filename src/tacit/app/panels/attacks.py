"""The attacks of the plan on its release, each beside guessing, and the verdicts that rest on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ...errors import Cancelled, TacitError
from ...json_text import to_plain_values
from ...models.verdict import Verdict
from ...plan.adversary import Adversary
from ...plan.attack_run import AttackResults
from ...plan.gate import attacks_on, on_attacks
from ...plan.outcome import Outcome
from ...progress import sub_progress
from ...release.masked import Masked
from ...report.sections.attacks import attacks_section as on_identities
from ...report.sections.attribute_disclosure import attribute_disclosure_section
from ...report.sections.membership import membership_section
from ...report.statement import statement
from .prerequisites import missing_prerequisites
from .status import traffic_light

if TYPE_CHECKING:
    from .context import PanelContext


def attacks_panel(bench: PanelContext) -> dict[str, Any]:
    """All attacks of the plan, as ``tacit release`` makes them, on the release before it is written."""
    plan, original = bench.plan, bench.original
    knows = plan.plan.intruder.knows
    wanting = None if knows and not original.quasi else missing_prerequisites(bench, original)
    if wanting is not None:
        return {**wanting, "verdicts": []}
    masked = Masked(original, ()) if bench.question.get("of") == "original" else bench.masked()
    adversary = Adversary.of(plan, original)
    made = attacks_on(
        plan, adversary, masked, masked.release, seed=bench.seed, progress=sub_progress(bench.progress, 0.1, 1.0)
    )
    judged = list(_attack_verdicts(bench, made))
    verdicts = tuple(found for _, found in judged if isinstance(found, Verdict))
    outcome = Outcome(
        title="",
        original=original,
        masked=masked,
        verdicts=verdicts,
        before=(),
        attacks=made.attacks,
        learnt=made.learnt,
        presence=made.presence,
        plan=plan.plan.model_dump(mode="json"),
    )
    sections = (
        build(outcome, "internal") for build in (on_identities, attribute_disclosure_section, membership_section)
    )
    return {
        "lacks": None,
        "sentences": list(statement(replace(outcome, verdicts=())).reasons),
        "sections": [to_plain_values(asdict(section)) for section in sections if section is not None],
        "verdicts": [
            to_plain_values(traffic_light(name, found)) if isinstance(found, Verdict) else _unknown_verdict(name, found)
            for name, found in judged
        ],
        "attacks": [to_plain_values(one.as_json()) for one in made.results],
    }


def _attack_verdicts(bench: PanelContext, made: AttackResults) -> Iterator[tuple[str, Verdict | TacitError]]:
    """The verdict on each requirement on attacks, or why there is none."""
    requirements = bench.plan.requirements
    for name, bound in requirements.attacks.items():
        try:
            yield name, on_attacks(replace(requirements, attacks={name: bound}), made)[0]
        except Cancelled:
            raise
        except TacitError as problem:
            yield name, problem


def _unknown_verdict(name: str, problem: TacitError) -> dict[str, Any]:
    return {"name": name, "state": "unknown", "problem": problem.restate(where=None).as_json()}
