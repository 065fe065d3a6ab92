"""Who is in the data, and who is singled out: attacks that find nobody's record."""

from __future__ import annotations

from collections.abc import Sequence

from ...attack import ATTACKS
from ...attack.runner import AttackResult
from ...plan.outcome import Outcome
from ...result import Result, format_fact
from ..audience import Audience
from ..blocks import Block, Figure, Figures, Items, Section, Table, Text
from ..charts import render_svg, roc_curve
from ..words import format_percent, to_prose

SAID = (
    "That somebody is in a file may be all that is to be kept, and a description that fits one person alone singles that person "
    "out although nobody knows who it is. Two lists that have no column in common may be joined through a release that has those "
    "of both."
)
WHAT = {
    "membership": "membership: area under the ROC curve of telling who is in the data",
    "singling_out": "singling out: share of descriptions that fit exactly one person",
    "linkability": "bridge: share of people whose two lists are joined",
    "copies": "copies: share of the people whom a released record equals",
    "closest_record": "closest record: share of the records whose closest person is one of the data, not one of the others",
}
"""Result → what its number is."""
ABOUT = {
    "exact_copies": "Take those for members whom a released record equals exactly",
    "density": "Take those for members around whom the release is denser than the population",
    "closest_record": "Ask of each released record whether the closest person is one of the data; that it is not proves nothing",
}
"""What attacks are that have no name of their own in a plan."""


def membership_section(outcome: Outcome, audience: Audience) -> Section | None:
    """Each attack on presence beside chance and outsiders."""
    if not outcome.presence:
        return None
    return Section(id="presence", title="Who is there", blocks=presence_blocks(outcome.presence, audience))


def presence_blocks(attacks: Sequence[AttackResult], audience: Audience) -> tuple[Block, ...]:
    """The table of the attacks, for internal eyes their curves, and what each does or why it was not run."""
    blocks: list[Block] = [Text(SAID)]
    table = presence_table(attacks)
    blocks += [] if table is None else [table]
    if audience == "internal":
        blocks += [Figures((figure,)) for one in attacks if (figure := _roc_figure(one)) is not None]
    summaries = ABOUT | {name: to_prose(entry.summary) for name, entry in ATTACKS.items()}
    about = tuple(f"{to_prose(one.name)}: {summaries[one.name]}" for one in attacks if one.name in summaries)
    skipped = tuple(f"{to_prose(one.name)}: not run, because {one.why_not}" for one in attacks if one.why_not)
    return (*blocks, Items((*about, *skipped)))


def presence_table(attacks: Sequence[AttackResult]) -> Table | None:
    """Each attack with its number and interval, chance, and how it does on people who are not in the release."""
    made = [(to_prose(one.name), one.result) for one in attacks if one.result is not None]
    if not made:
        return None
    return Table(
        caption="; ".join(dict.fromkeys(WHAT.get(result.id, result.name) for _, result in made)),
        head=("Attack", "Found", "95 % interval", "By chance", "Of outsiders"),
        rows=tuple((name, *_attack_row(result)) for name, result in made),
        numeric=frozenset({1, 2, 3, 4}),
    )


def _attack_row(result: Result) -> tuple[str, ...]:
    low, high = result.interval or (result.value, result.value)
    if result.id == "membership":
        return format_fact(round(result.value, 3)), f"{low:.3f} to {high:.3f}", "0.5", "–"
    beside = tuple(_format_share(result.facts.get(name)) for name in ("baseline", "control"))
    return format_percent(result.value), f"{format_percent(low)} to {format_percent(high, up=True)}", *beside


def _format_share(fact: object) -> str:
    return format_percent(fact) if isinstance(fact, float | int) else "–"


def _roc_figure(one: AttackResult) -> Figure | None:
    if one.roc is None:
        return None
    caption = (
        f"Members found against others taken for members ({to_prose(one.name)}), both in log scale; dashed: by chance"
    )
    rows = tuple(one.roc.rows())
    table = Table(caption=caption, head=("Number", "Value"), rows=rows, numeric=frozenset({1}))
    drawn = render_svg(roc_curve(one.roc), label=f"{caption}.")
    return Figure(svg=drawn, caption=caption, table=table)
