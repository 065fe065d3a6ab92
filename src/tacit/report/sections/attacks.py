"""What attacks on the release found, beside what guessing would."""

from __future__ import annotations

from collections.abc import Sequence

from ...attack import ATTACKS
from ...attack.runner import AttackResult
from ...plan.outcome import Outcome
from ...result import Result, format_fact
from ..audience import Audience
from ..blocks import Block, Figure, Figures, Items, Section, Table, Text
from ..charts import interval_chart, render_svg
from ..statement import known_columns
from ..words import format_percent, join_words, to_prose

TOLD = {
    "nothing": "has read nothing about the masking",
    "method": "has read which methods were used, but not their parameters",
    "trace": "has read what was done to the data",
}


def attacks_section(outcome: Outcome, audience: Audience) -> Section | None:
    """The scenario, a chart and a table of the attacks that were run, and those that were not."""
    if not outcome.attacks:
        return None
    names = {attacked.result.name for attacked in outcome.attacks if attacked.result is not None}
    required = next((verdict.required for verdict in outcome.verdicts if verdict.model in names), None)
    shown = attack_blocks(outcome.attacks, audience, required=required)
    return Section(id="attacks", title="Attacks beside guessing", blocks=(Text(_scenario_sentence(outcome)), *shown))


def attack_blocks(
    attacks: Sequence[AttackResult], audience: Audience, *, required: float | None = None
) -> tuple[Block, ...]:
    """The chart and the table of attacks, what each does or why it was not run, and all that they found."""
    run = _completed_attacks(attacks)
    blocks: list[Block] = []
    table = attacks_table(attacks)
    if table is not None:
        blocks.append(Figures((_attacks_figure(run, table, required),)))
    skipped = tuple(f"{to_prose(a.name)}: not run, because {a.why_not}" for a in attacks if a.result is None)
    about = tuple(_describe_attack(a.name) for a in attacks if a.result is not None and a.name in ATTACKS)
    if about or skipped:
        blocks.append(Items((*about, *skipped)))
    if run and audience == "internal":
        blocks.append(_facts_table(run))
    return tuple(blocks)


def _scenario_sentence(outcome: Outcome) -> str:
    told = TOLD.get(str((outcome.plan.get("intruder") or {}).get("told", "")), "")
    reads = f", {told}" if told else ""
    return f"The intruder knows {join_words(known_columns(outcome))} of everybody in the original file{reads}, and tries to find their records in the release."


def _describe_attack(name: str) -> str:
    return f"{to_prose(name)}: {to_prose(ATTACKS[name].summary)}"


def _completed_attacks(attacks: Sequence[AttackResult]) -> list[tuple[str, Result]]:
    return [(to_prose(attacked.name), attacked.result) for attacked in attacks if attacked.result is not None]


def attacks_table(attacks: Sequence[AttackResult]) -> Table | None:
    """Each attack that was run, beside guessing and, where there is one, the control group."""
    run = _completed_attacks(attacks)
    if not run:
        return None
    with_control = any("control" in result.facts for _, result in run)
    rows = tuple(_attack_row(name, result, with_control) for name, result in run)
    head = ("Attack", "Re-identified", "95 % interval", "Guessing", *(["Linked of outsiders"] if with_control else []))
    caption = "Share of the people whose record is found; candidates that look the same share the hit"
    return Table(caption=caption, head=head, rows=rows, numeric=frozenset(range(1, len(head))))


def _attack_row(name: str, result: Result, with_control: bool) -> tuple[str, ...]:
    low, high = result.interval or (None, None)
    spread = "–" if low is None or high is None else f"{format_percent(low)} to {format_percent(high, up=True)}"
    control = (_format_share(result.facts.get("control")),) if with_control else ()
    return name, format_percent(result.value), spread, _format_share(result.facts.get("baseline")), *control


def _format_share(fact: object) -> str:
    return format_percent(fact) if isinstance(fact, float | int) else "–"


def _attacks_figure(run: list[tuple[str, Result]], table: Table, required: float | None) -> Figure:
    caption = "Dot: share re-identified; line: its 95 % interval; tick: guessing"
    caption += "" if required is None else f"; dashed: the bound of {format_percent(required)}"
    drawn = render_svg(
        interval_chart(run, bound=required),
        label=f"Attacks beside guessing. {caption}. The numbers are in the table below.",
    )
    return Figure(svg=drawn, caption=caption, table=table, open=True)


def _facts_table(run: list[tuple[str, Result]]) -> Table:
    rows = tuple(
        (f"{name}: {fact}", format_fact(value)) for name, result in run for fact, value in result.facts.items()
    )
    return Table(
        caption="Everything that the attacks found",
        head=("Number", "Value"),
        rows=rows,
        numeric=frozenset({1}),
        folded=True,
    )
