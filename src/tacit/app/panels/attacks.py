"""The attacks of the plan on its release, each beside guessing, and the verdicts that rest on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ...errors import Cancelled, TacitError
from ...models.verdict import Verdict
from ...plan.adversary import Adversary
from ...plan.gate import attacks_on, on_attacks
from ...plan.made import Made
from ...plan.outcome import Outcome
from ...progress import part
from ...release.masked import Masked
from ...report.plain import plain
from ...report.sections.attacks import attacks as on_identities
from ...report.sections.learnt import learnt
from ...report.sections.presence import presence
from ...report.statement import statement
from .ready import lacking
from .status import light

if TYPE_CHECKING:
    from .bench import Bench


def attacks(bench: Bench) -> dict[str, Any]:
    """All attacks of the plan, as ``tacit release`` makes them, on the release before it is written."""
    plan, original = bench.plan, bench.original
    knows = plan.plan.intruder.knows
    wanting = None if knows and not original.quasi else lacking(bench, original)
    if wanting is not None:
        return {**wanting, "verdicts": []}
    masked = Masked(original, ()) if bench.question.get("of") == "original" else bench.masked()
    adversary = Adversary.of(plan, original)
    made = attacks_on(plan, adversary, masked, masked.release, seed=bench.seed, progress=part(bench.progress, 0.1, 1.0))
    judged = list(_judged(bench, made))
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
    sections = (build(outcome, "internal") for build in (on_identities, learnt, presence))
    return {
        "lacks": None,
        "sentences": list(statement(replace(outcome, verdicts=())).reasons),
        "sections": [plain(asdict(section)) for section in sections if section is not None],
        "verdicts": [
            plain(light(name, found)) if isinstance(found, Verdict) else _unknown(name, found) for name, found in judged
        ],
        "attacks": [plain(one.as_json()) for one in made.every],
    }


def _judged(bench: Bench, made: Made) -> Iterator[tuple[str, Verdict | TacitError]]:
    """The verdict on each requirement on attacks, or why there is none."""
    requirements = bench.plan.requirements
    for name, bound in requirements.attacks.items():
        try:
            yield name, on_attacks(replace(requirements, attacks={name: bound}), made)[0]
        except Cancelled:
            raise
        except TacitError as problem:
            yield name, problem


def _unknown(name: str, problem: TacitError) -> dict[str, Any]:
    return {"name": name, "state": "unknown", "what": problem.what, "fix": problem.fix}
