"""What attacks learn about people, beside what anybody would guess and what the rest of the people teach."""

from __future__ import annotations

from collections.abc import Sequence

from ...attack import ATTACKS
from ...attack.runner import AttackResult
from ...plan.outcome import Outcome
from ...result import Result
from ..audience import Audience
from ..blocks import Block, Figure, Figures, Items, Section, Table, Text
from ..charts import interval_chart, render_svg
from ..words import format_percent, join_words, to_prose

SAID = (
    "The intruder names the confidential value of each person. A good guess is not yet a disclosure: the same attack is made on "
    "the release without the person's own records, and what is then right, the rest of the people teach; where there is a control "
    "group, also on people who are not in the release. What is right above that is known of people because they are in the release. In the table: right by the attack, by the best single guess for "
    "everybody, by the rest of the people, and what is learnt above the rest or, where they stand there, above outsiders."
)


MADE_UP = (
    "The intruder names the confidential value of each person. A good guess is not yet a disclosure, and the records of a synthetic "
    "file are nobody's, so that none can be taken out of it: the same attack is made on people from whom it was not made. What is "
    "right above that is known of people because the generator learnt from them."
)


def attribute_disclosure_section(outcome: Outcome, _audience: Audience) -> Section | None:
    """Each attack on values, column by column."""
    if not outcome.learnt:
        return None
    required = next(
        (verdict.required for verdict in outcome.verdicts if verdict.model in _gain_names(outcome.learnt)), None
    )
    blocks = learnt_blocks(outcome.learnt, required=required)
    made_up = any(one.result and "right by the rest of the people" not in one.result.facts for one in outcome.learnt)
    blocks = (Text(MADE_UP), *blocks[1:]) if made_up else blocks
    return Section(id="learnt", title="What is learnt about people", blocks=blocks)


def learnt_blocks(attacks: Sequence[AttackResult], *, required: float | None = None) -> tuple[Block, ...]:
    """The chart and the table of attacks on values, what each does or why it was not run."""
    blocks: list[Block] = [Text(SAID)]
    table = learnt_table(attacks)
    if table is not None:
        blocks.append(Figures((_gain_figure(attacks, table, required),)))
    made = dict.fromkeys(one.name for one in attacks if one.result is not None)
    about = tuple(f"{to_prose(name)}: {to_prose(ATTACKS[name].summary)}" for name in made if name in ATTACKS)
    skipped = tuple(
        dict.fromkeys(f"{to_prose(one.name)}: not run, because {one.why_not}" for one in attacks if one.why_not)
    )
    return (*blocks, *([Items((*about, *skipped))] if about or skipped else []))


def learnt_table(attacks: Sequence[AttackResult]) -> Table | None:
    """Each column and attack: right, guessed, taught by the rest, learnt above that, and of the control group."""
    made = [(one.name, one.result, one.gain) for one in attacks if one.result is not None and one.gain is not None]
    if not made:
        return None
    control = any("control" in result.facts for _, result, _ in made)
    head = ("Column", "Attack", "Right", "Guessed", "By rest", "Learnt", "95 % interval")
    rows = tuple(_attack_row(name, result, gain, control=control) for name, result, gain in made)
    return Table(
        caption="Share of the people of whom the confidential value is said rightly",
        head=(*head, *(["Outsiders"] if control else [])),
        rows=rows,
        numeric=frozenset(range(2, len(head) + control)),
    )


def _attack_row(name: str, result: Result, gain: Result, *, control: bool) -> tuple[str, ...]:
    low, high = gain.interval or (gain.value, gain.value)
    facts = (result.facts["best single guess"], result.facts.get("right by the rest of the people"))
    return (
        str(result.column),
        to_prose(name),
        format_percent(result.value),
        *(_format_share(fact) for fact in facts),
        signed_percent(gain.value),
        f"{signed_percent(low)} to {signed_percent(high, up=True)}",
        *([_format_share(result.facts.get("control"))] if control else []),
    )


def signed_percent(share: float, *, up: bool = False) -> str:
    """A difference of shares in per cent, with a minus sign when it is negative.

    >>> signed_percent(0.05), signed_percent(-0.012)
    ('5 %', '−1.2 %')
    """
    return f"−{format_percent(-share)}" if share < 0 else format_percent(share, up=up)


def _format_share(fact: object) -> str:
    return format_percent(fact) if isinstance(fact, float | int) else "–"


def _gain_figure(attacks: Sequence[AttackResult], table: Table, required: float | None) -> Figure:
    drawn = [(f"{one.gain.column} by {to_prose(one.name)}", one.gain) for one in attacks if one.gain is not None]
    caption = f"Dot: learnt above {drawn[0][1].facts['beside']}; line: its 95 % interval"
    caption += "" if required is None else f"; dashed: the bound of {format_percent(required)}"
    label = f"What is learnt about {join_words(sorted({str(gain.column) for _, gain in drawn}))}. {caption}."
    return Figure(
        svg=render_svg(interval_chart(drawn, bound=required), label=label), caption=caption, table=table, open=True
    )


def _gain_names(attacks: Sequence[AttackResult]) -> set[str]:
    return {one.gain.name for one in attacks if one.gain is not None}
