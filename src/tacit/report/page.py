"""One outcome as one HTML file that needs nothing else: no script but that of a map, no font, no address.

The public page of a release with a guarantee of differential privacy: what the guarantee covers, and nothing else.

Neither the number of the original records nor a loss, a measure or an attack that compares with them stands on it: each would be
an answer about the original that nobody paid for. What it shows follows from the plan, the published trace and the released file.

Shares on a public page from which a count below the threshold would follow.

A public page does not count fewer than ten records, and a share of a known number of records is a count: 0.001965 of 4,580 is 9.
Numbers in the tables of a public page that lie between 0 and ten records are therefore replaced by the bound, whatever they measure:
nobody who adds a table need think of it. What is required is not found in the data and stays; so do the ends of confidence intervals,
which bound what an attack may reach and are not shares of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from ..plan.outcome import Outcome
from ..plan.privacy import PrivacyGuarantee
from ..result import format_fact
from .audience import THRESHOLD, Audience
from .blocks import Block, Figures, Items, Section, Table
from .marks import mark_verdict, tie_percent_signs
from .sections import ALL
from .sections.repeat import repeat_section
from .sections.steps import steps_section
from .statement import Statement, statement, worst_attack
from .words import format_percent, join_words

if TYPE_CHECKING:
    from jinja2 import Environment


BY_DECLARATION = ("weak_guarantee", "decision_depends_on_data")
"""The gaps that follow from the plan and the trace; others are measured on the original."""

COVERS = (
    "Covered: the values of the released file, their number, and the published trace.",
    "Types, categories, bounds and bins were declared, not read off the records; a value without a place made neither the run nor another record change.",
    "Not shown here, because the guarantee does not cover it: how many records the original has, what was lost, and what attacks on the file found. The internal report has them.",
    "Not covered: how long the run took, that the input was a readable table with at least one row, and what other releases about the same people tell. Every further release adds its own ε.",
)

NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)( %)?")

STATED = frozenset({"Required", "Margin", "95 % interval", "Guessing", "By chance", "Guessed"})
"""Columns that hold what was asked for or what chance does, not what was counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What stands on a page: the statement first, a few figures beside it, then sections, and in the footer whom it is for."""

    title: str
    statement: Statement
    figures: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    audience: Audience = "internal"
    footer: str | None = None


def microdata_page(outcome: Outcome, *, audience: Audience) -> Page:
    """The verdict, then what it rests on; sections with nothing to show are left out."""
    guarantee = outcome.guarantee
    if audience == "public" and guarantee is not None:
        return guarantee_page(outcome, guarantee)
    sections = [section for build in ALL if (section := build(outcome, audience)) is not None]
    if audience == "public":
        sizes = [outcome.original.size, *([] if outcome.masked is None else [outcome.masked.release.size])]
        sections = hide_small_shares(sections, max(1, min(sizes)))
    said, figures = statement(outcome, audience=audience), _key_figures(outcome, audience)
    return Page(title=outcome.title, statement=said, figures=figures, sections=sections, audience=audience)


def lay_out(page: Page) -> str:
    """A page as HTML; one with a map has scripts, and a policy by which they fetch nothing."""
    return (
        _jinja_environment()
        .get_template("page.html")
        .render(
            title=page.title,
            audience=page.audience,
            statement=page.statement,
            figures=page.figures,
            sections=page.sections,
            scripted=any(block.kind == "map" for section in page.sections for block in section.blocks),
            footer=page.footer,
            day=datetime.now(UTC).date(),
        )
    )


@cache
def _jinja_environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    assert __package__ is not None
    found = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"tied": tie_percent_signs, "marked": mark_verdict}
    found.globals["show"] = found.get_template("blocks.html").module.show  # type: ignore[attr-defined]
    return found


def _key_figures(outcome: Outcome, audience: Audience) -> list[tuple[str, str]]:
    """The few numbers that stand beside the verdict."""
    found = [("Records", _record_count(outcome, audience))]
    sizes = [
        next((format_fact(r.value) for r in results if r.id == "k_anonymity"), None)
        for results in (outcome.before, outcome.after)
    ]
    if any(sizes):
        found.append(("Smallest group alike", " → ".join(filter(None, sizes))))
    worst = worst_attack(outcome)
    if worst is not None:
        found.append(("Worst attack", format_percent(worst.value)))
    if outcome.verdicts:
        hold = sum(verdict.holds for verdict in outcome.verdicts)
        found.append(("Requirements met", f"{hold} of {len(outcome.verdicts)}"))
    return found


def _record_count(outcome: Outcome, audience: Audience) -> str:
    """How many records; to the public not by how few the release differs from the original."""
    before = outcome.original.size
    after = before if outcome.masked is None else outcome.masked.release.size
    files = 1 if outcome.synthesis is None else len(outcome.synthesis.files)
    if files > 1:
        return f"{format_fact(before)} → {files} × {format_fact(after)}"
    if after == before or (audience == "public" and abs(after - before) < THRESHOLD):
        return format_fact(after)
    return f"{format_fact(before)} → {format_fact(after)}"


def guarantee_page(outcome: Outcome, guarantee: PrivacyGuarantee) -> Page:
    """The public page of a release with a guarantee of differential privacy."""
    assert outcome.masked is not None
    gaps = [gap for gap in outcome.gaps if gap.code in BY_DECLARATION]
    said = Statement(
        verdict="open" if outcome.repeatable or gaps else "holds",
        headline=f"This file is differentially private: {guarantee}.",  # promise: synthetic-public-only-guaranteed
        reasons=(
            f"The guarantee is of all its columns ({join_words(guarantee.columns)}) and of the trace beside it, by {join_words(guarantee.methods)}.",
        ),
        uncovered=tuple(gap.sentence(public=True) for gap in gaps),
    )
    figures = [("Released records", format_fact(outcome.masked.release.size)), ("ε", f"{guarantee.epsilon:g}")]
    if guarantee.delta:
        figures.append(("δ", f"{guarantee.delta:g}"))
    covers = Section(id="guarantee", title="What the guarantee covers", blocks=(Items(COVERS),))
    sections = [covers, steps_section(outcome, "public"), repeat_section(outcome, "public")]
    shown = [section for section in sections if section is not None]
    return Page(title=outcome.title, statement=said, figures=figures, sections=shown, audience="public")


def hide_small_shares(sections: Iterable[Section], records: int) -> list[Section]:
    """The sections with every number of a table that is a share of fewer than ten of so many records replaced by the bound."""
    return [
        replace(section, blocks=tuple(_veil_block(block, records) for block in section.blocks)) for section in sections
    ]


def _veil_block(block: Block, records: int) -> Block:
    if isinstance(block, Table):
        return _veiled_table(block, records)
    if isinstance(block, Figures):
        figures = (replace(one, table=_veiled_table(one.table, records)) for one in block.figures)
        return replace(block, figures=tuple(figures))
    return block


def _veiled_table(table: Table, records: int) -> Table:
    counted = {place for place in table.numeric if table.head[place] not in STATED}
    rows = tuple(
        tuple(veil_share(cell, records) if place in counted else cell for place, cell in enumerate(row))
        for row in table.rows
    )
    return replace(table, rows=rows)


def veil_share(cell: str, records: int) -> str:
    """A cell as the public sees it: a number between 0 and ten of so many records becomes "below" that bound.

    >>> veil_share("0.001965", 4580), veil_share("0.2 %", 4580), veil_share("0.3 %", 4580), veil_share("0", 4580)
    ('below 0.0022', 'below 0.22 %', '0.3 %', '0')
    """
    found = NUMBER.fullmatch(cell)
    if found is None:
        return cell
    unit = 100 if found[2] else 1
    value = float(found[1].replace(",", ""))
    if not 0 < value / unit * records < THRESHOLD:
        return cell
    return f"below {_rounded_up(unit * THRESHOLD / records)}{found[2] or ''}"


def _rounded_up(value: float) -> str:
    """Two significant digits, never less than the value."""
    places = max(0, 1 - floor(log10(value)))
    return f"{ceil(value * 10**places - 1e-9) / 10**places:.{places}f}"
