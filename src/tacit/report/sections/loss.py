"""What the release lost for its users."""

from __future__ import annotations

from ...plan.job_outcome import JobOutcome
from ...result import Result, format_fact
from ..audience import Audience, safe_count
from ..blocks import Block, Section, Table, Text
from ..statement import name_with_column
from ..words import to_prose


def loss_section(outcome: JobOutcome, audience: Audience) -> Section | None:
    """A row per loss; for internal eyes also the facts behind it."""
    table = losses_table(outcome, audience)
    if table is None:
        return None
    said = "Every protection costs something. These numbers say how far the release is from the original for its users; 0 means that nothing was lost."
    blocks: list[Block] = [Text(said), table]
    facts = tuple(
        (f"{name_with_column(to_prose(result.name), result.column)}: {fact}", format_fact(value))
        for result in outcome.losses
        for fact, value in result.facts.items()
    )
    if audience == "internal" and facts:
        blocks.append(
            Table(
                caption="The numbers behind them",
                head=("Number", "Value"),
                rows=facts,
                numeric=frozenset({1}),
                folded=True,
            )
        )
    return Section(id="loss", title="What was lost", blocks=tuple(blocks))


def losses_table(outcome: JobOutcome, audience: Audience) -> Table | None:
    """Every loss with its column; columns that lost nothing by a measure share one row."""
    if not outcome.losses:
        return None
    grouped: dict[tuple[str, str], list[Result]] = {}
    for result in outcome.losses:
        alone = bool(result.value) or result.column is None
        grouped.setdefault((result.name, f"of {result.column}" if alone else "unchanged"), []).append(result)
    rows = tuple(
        (to_prose(name), ", ".join(part.column or "all" for part in parts), _format_result(parts[0], audience))
        for (name, _), parts in grouped.items()
    )
    return Table(
        caption="Loss of information, release against original",
        head=("Measure", "Column", "Value"),
        rows=rows,
        numeric=frozenset({2}),
    )


def _format_result(result: Result, audience: Audience) -> str:
    return safe_count(result.value, audience) if isinstance(result.value, int) else format_fact(result.value)
