"""How the protection was found: what was tried, what is proven, what the check after it said."""

from __future__ import annotations

from ...plan.outcome import Outcome
from ...result import DisplayMixin, format_fact
from ..audience import Audience
from ..blocks import Block, Section, Table
from ..statement import name_with_column
from ..words import to_prose


def search_section(outcome: Outcome, audience: Audience) -> Section | None:
    """The evidence of the masking, for internal eyes only: it was derived from the original records."""
    evidence = outcome.masked.evidence if outcome.masked is not None else {}
    if audience == "public" or not evidence:
        return None
    plain = {name: value for name, value in evidence.items() if isinstance(value, str | int | float)}
    blocks: list[Block] = []
    if plain:
        rows = tuple((to_prose(name), format_fact(value)) for name, value in plain.items())
        blocks.append(Table(caption="What the search found", head=("Figure", "Value"), rows=rows))
    for name, value in evidence.items():
        if isinstance(value, DisplayMixin):
            blocks.append(Table(caption=to_prose(name).capitalize(), head=("What", "Found"), rows=tuple(value.rows())))
    verdicts = evidence.get("verdicts", ())
    if verdicts:
        judged = tuple(
            (
                name_with_column(one.model, one.column),
                format_fact(one.required),
                format_fact(one.found),
                "holds" if one.holds else "does not hold",
            )
            for one in verdicts
        )
        head = ("Model", "Required", "Found", "Verdict")
        blocks.append(Table(caption="Measured anew on the result", head=head, rows=judged, numeric=frozenset({1, 2})))
    return Section(id="search", title="How the protection was found", blocks=tuple(blocks)) if blocks else None
