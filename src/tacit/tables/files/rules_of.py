"""The safety rules of τ-ARGUS as rules of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .arb import Rule

FOR_HOLDINGS = {"P": 2, "NK": 2, "FREQ": 1, "REQ": 1}
"""From this place on, rules of a kind are about holdings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """Rules as sections of a plan, and what rules say beside: margin for marks, zeros, weights, holdings, remarks."""

    sections: tuple[tuple[tuple[str, str], ...], ...] = ()
    margin: float | None = None
    zeros: float | None = None
    weighted: bool = False
    holding: bool = False
    remarks: tuple[str, ...] = field(default=())

    def text(self) -> list[str]:
        """As lines of TOML."""
        lines = [f"# {remark}" for remark in self.remarks]
        for section in self.sections:
            lines += ["[[rule]]", *(f"{name} = {value}" for name, value in section), ""]
        return lines


def ruled(rules: Sequence[Rule]) -> Ruled:
    """Translate: P → p_percent or pq, NK → dominance, FREQ → minimum_frequency, ZERO → zeros, MAN → level of marks.

    A rule whose first number is 0 (NK(0,0), P(0,100,0)) is one that is switched off. REQ names no respondents, so it has
    no counterpart without them; MIS and WGT(0) are remarks.
    """
    seen: dict[str, int] = {}
    sections: list[tuple[tuple[str, str], ...]] = []
    remarks: list[str] = []
    facts: dict[str, float] = {}
    holding = False
    for rule in rules:
        place = seen[rule.name] = seen.get(rule.name, -1) + 1
        first = rule.numbers[0]
        if rule.name in FOR_HOLDINGS:
            if not first or (rule.name == "NK" and not rule.numbers[1]):
                continue
            if place >= FOR_HOLDINGS[rule.name]:
                holding = True
                remarks.append(f"{_said(rule)} is about holdings; here a plan judges either respondents or holdings")
        if rule.name == "REQ":
            remarks.append(f"{_said(rule)}: give the rule request with the respondents who asked")
        elif rule.name == "MIS":
            remarks += (
                [f"{_said(rule)}: mark the cells of missing codes as safe, they are judged like others"]
                if first
                else []
            )
        elif rule.name in ("MAN", "ZERO", "WGT"):
            facts[rule.name] = first
        else:
            sections.append(_section(rule))
    return Ruled(
        sections=tuple(dict.fromkeys(sections)),
        margin=facts.get("MAN"),
        zeros=facts.get("ZERO"),
        weighted=bool(facts.get("WGT")),
        holding=holding,
        remarks=tuple(remarks),
    )


def _section(rule: Rule) -> tuple[tuple[str, str], ...]:
    numbers = rule.numbers
    if rule.name == "NK":
        return ("method", '"dominance"'), ("n", f"{numbers[0]:g}"), ("k", f"{numbers[1]:g}")
    if rule.name == "FREQ":
        level = (("level", f"{numbers[1]:g}"),) if numbers[1] else ()
        return ("method", '"minimum_frequency"'), ("n", f"{numbers[0]:g}"), *level
    p, q, n = numbers[0], 100.0, 1.0
    if len(numbers) == 2:
        n = numbers[1]
    elif len(numbers) == 3:
        q, n = numbers[1:]
    more = (("n", f"{n:g}"),) if n > 1 else ()
    if q == 100:
        return ("method", '"p_percent"'), ("p", f"{p:g}"), *more
    return ("method", '"pq"'), ("p", f"{p:g}"), ("q", f"{q:g}"), *more


def _said(rule: Rule) -> str:
    return f"{rule.name}({', '.join(f'{number:g}' for number in rule.numbers)})"
