"""The gate of a network: what a plan requires of its measures and of the attacks on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...attack.runner import AttackResult
from ...errors import Note, TacitError, format_value, suggest_alternative
from ...graphs.graph import Graph
from ...graphs.risk import ALL as RISKS
from ...models.threshold import Threshold
from ...models.verdict import Verdict
from ...result import Result

REIDENTIFICATION = "reidentification"
TOO_SMALL = "the found share meets the bound, but the network is too small to be sure: the interval's upper end counts"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBound:
    """A measure of a network, by its plan name and options, that must be good enough.

    ``bound`` is the least that it may be where small values are worse, as k is; else the most.
    """

    measure: str
    bound: float
    options: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, graph: Graph) -> Verdict:
        """The verdict on the measure's value."""
        try:
            found: Result = RISKS[self.measure].call(graph, **self.options)
        except TacitError as problem:
            raise problem.with_location(self.measure) from None
        threshold = Threshold(at_least=self.bound) if found.worse == "low" else Threshold(at_most=self.bound)
        return threshold.holds(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRequirements:
    """Bounds on measures of the re-read network, and the most that any attack may re-identify."""

    bounds: tuple[GraphBound, ...]
    reidentification: float | None = None

    @staticmethod
    def of(given: Mapping[str, Any]) -> GraphRequirements:
        """From plan names.

        >>> GraphRequirements.of({"k_degree": 5, "reidentification": 0.05}).bounds[0].bound
        5
        """
        if not given:
            raise TacitError(
                "nothing is required", code="missing_parameter", fix="add at least one line, e.g. k_degree = 5"
            )
        bounds = tuple(_parse_bound(name, content) for name, content in given.items() if name != REIDENTIFICATION)
        share = given.get(REIDENTIFICATION)
        if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1):
            fix = "give a number in (0, 1], e.g. 0.05"
            raise TacitError(
                f"{REIDENTIFICATION} = {format_value(share)} is not a share",
                code="out_of_range",
                parameter=REIDENTIFICATION,
                fix=fix,
            )
        return GraphRequirements(bounds=bounds, reidentification=share)

    def judge(self, graph: Graph, attacks: Sequence[AttackResult]) -> tuple[Verdict, ...]:
        """A verdict for each requirement; what attacks find by the worst upper end over all that were made."""
        found = [bound.holds(graph) for bound in self.bounds]
        if self.reidentification is not None:
            found.append(_on_attacks(self.reidentification, attacks))
        return tuple(found)


def _on_attacks(share: float, attacks: Sequence[AttackResult]) -> Verdict:
    made = [one.result for one in attacks if one.result is not None]
    notes = [
        Note(f"attack {one.name} was not made: {one.why_not}", code="attack_not_run", attack=one.name)
        for one in attacks
        if one.why_not
    ]
    if not made:
        fix = "give the intruder something to know: structure or knows under [intruder]"
        raise TacitError("cannot be judged: no attack applies", code="not_applicable", fix=fix).with_location(
            REIDENTIFICATION
        )
    worst = max(made, key=lambda result: result.worst_case)
    verdict = Threshold(at_most=share).holds(worst)
    if not verdict.holds and worst.value <= share:
        notes.append(Note(TOO_SMALL, code="too_small_to_be_sure"))
    return replace(verdict, notes=tuple(notes))


def _parse_bound(name: str, content: Any) -> GraphBound:
    """A number is the threshold; a table has it under ``threshold``, beside the options of the measure."""
    if name not in RISKS:
        known = [*RISKS, REIDENTIFICATION]
        raise TacitError(
            f"the requirement {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, known)
        )
    takes = RISKS[name].parameters
    table = dict(content) if isinstance(content, Mapping) else {"threshold": content}
    bound = table.pop("threshold", None)
    wrong = next((key for key in table if key not in takes), None)
    if wrong is not None:
        raise TacitError(
            f"{name} takes no {wrong!r}", code="unknown_name", fix=f"it takes {', '.join(('threshold', *takes))}"
        )
    if isinstance(bound, bool) or not isinstance(bound, int | float):
        fix = f"e.g. {name} = 5, or {name} = {{ threshold = 5{''.join(f', {one} = …' for one in takes[:1])} }}"
        raise TacitError(
            f"{name} = {format_value(content)} has no threshold", code="missing_parameter", parameter=name, fix=fix
        )
    _check_bound(name, bound)
    lacks = next((key for key in RISKS[name].required if key not in table), None)
    if lacks is not None:
        example = RISKS[name].example.get(lacks, "…")
        raise TacitError(
            f"{name} lacks {lacks!r}",
            code="missing_parameter",
            fix=f"e.g. {name} = {{ threshold = {bound}, {lacks} = {example} }}",
        )
    return GraphBound(measure=name, bound=bound, options=table)


def _check_bound(name: str, bound: float) -> None:
    """Refuse a bound that every network meets, or none: a model counts nodes that look alike, a measure is a share."""
    if RISKS[name].tags.kind == "model":
        if bound < 1:
            raise TacitError(
                f"{name} = {bound} requires nothing",
                code="invalid_parameter",
                parameter=name,
                fix=f"give how many must look alike, e.g. {name} = 5",
            )
    elif not 0 <= bound <= 1:
        raise TacitError(
            f"{name} = {bound} is not a share of the nodes",
            code="out_of_range",
            parameter=name,
            fix=f"from 0 to 1, e.g. {name} = 0.05",
        )
