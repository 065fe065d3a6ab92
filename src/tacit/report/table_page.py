"""The report on a protected table as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..plan.table.outcome import TableOutcome
from ..result import Result, format_fact
from ..tables.number_format import format_amount
from ..tables.problem import Status
from .audience import Audience
from .blocks import Section, Table, Text
from .page import Page
from .sections.notes import list_notes
from .sections.repeat import plan_section
from .table_heat import heat_maps
from .table_statement import table_figures, table_statement
from .words import count_phrase, format_percent

FOOTERS = {
    "internal": "For internal use: this page shows figures that are not published. Keep it with the other files of the folder internal/.",
    "public": "This page shows published figures alone.",
}
LISTED = 200
"""Unsafe cells that are listed, those that are not protected first."""


def table_page(outcome: TableOutcome, *, audience: Audience) -> Page:
    """The verdict, the table as heat maps, and for the review board the audit, the attacks, the loss and the plan.

    The public page shows the published figures and which are left out. It tells neither which of these are unsafe nor why,
    and no loss: the sum of the suppressed figures would be one more equation for an intruder.
    """
    sections = [section for section in _page_sections(outcome, audience) if section is not None]
    return Page(
        title=outcome.title,
        statement=table_statement(outcome, audience=audience),
        figures=table_figures(outcome, audience),
        sections=sections,
        audience=audience,
        footer=FOOTERS[audience],
    )


def _page_sections(outcome: TableOutcome, audience: Audience) -> Iterator[Section | None]:
    yield Section(id="table", title="The table", blocks=tuple(heat_maps(outcome, audience)))
    yield _steps_section(outcome, audience)
    if audience == "internal":
        yield from finding_sections(outcome)
        yield plan_section(outcome)


def finding_sections(outcome: TableOutcome) -> Iterator[Section]:
    """What the review board reads beside the table itself: the unsafe cells, the attacks, the loss, the notes."""
    every = (
        _unsafe_cells_section(outcome),
        _attacks_section(outcome),
        _losses_section(outcome),
        _notes_section(outcome),
    )
    yield from (section for section in every if section is not None)


def _steps_section(outcome: TableOutcome, audience: Audience) -> Section | None:
    if outcome.protected is None:
        return None
    if audience == "public":
        return Section(id="done", title="What was done", blocks=(Text(WORDS[outcome.way]),))
    rows = tuple((name, value) for name, value in outcome.protected.rows())
    table = Table(caption="The protection and its audit", head=("", ""), rows=rows)
    return Section(id="done", title="What was done", blocks=(Text(WORDS[outcome.way]), table))


WORDS = {
    "suppress": "Some figures are left out: those from which an answer could be computed, and others that would give them away.",
    "round_controlled": "Every figure is rounded to a multiple of the base beside it so that all sums still hold.",
    "round_random": "Every figure is rounded at random to a multiple of the base beside it: on average it is right, but sums may not hold.",
    "adjust": "Some figures are moved, others changed as little as keeps all sums.",
    "cell_key": "Noise is added that is the same for the same respondents in every table; sums may not hold.",
}


INTERVALS = "An outsider who uses every published figure and every sum can narrow a cell down to the interval given, and no further: each of its ends is the answer to a linear program."
CHANGED = {
    "adjust": "An unsafe cell is protected when its figure was moved to an end of the interval that it must reach, or beyond.",
    "": "An unsafe cell is protected when all that the sums and the largest possible change tell of it is at least as wide as it must be.",
}


def _unsafe_cells_section(outcome: TableOutcome) -> Section | None:
    """Every unsafe cell with what everybody can compute of it, or with the figure that is published in its place."""
    problem, audit = outcome.problem, outcome.audit
    cells, short = problem.primaries, set(outcome.short.tolist())
    if not len(cells):
        return None
    if outcome.protected is None:
        seen = dict.fromkeys(cells.tolist(), "–")
    elif audit is None:
        seen = {int(cell): format_amount(float(outcome.figures[cell])) for cell in cells}
    else:
        found = zip(audit.intervals.cells, audit.intervals.low, audit.intervals.high, strict=True)
        seen = {int(cell): format_amount((float(low), float(high))) for cell, low, high in found}

    def line(cell: int) -> tuple[str, ...]:
        value = float(problem.table.values[cell])
        need = (value - float(problem.lower[cell]), value + float(problem.upper[cell]))
        verdict = "✗ not protected" if outcome.protected is None else "✗ short" if cell in short else "✓ protected"
        why = problem.why.get(cell, "–")
        return problem.table.name(cell), format_amount(value), format_amount(need), seen.get(cell, "–"), verdict, why

    order = sorted(cells.tolist(), key=lambda cell: (cell not in short, cell))[:LISTED]
    kept = "Everybody can compute" if audit is not None or outcome.protected is None else "Published"
    more = (
        f" (the first {LISTED} of {format_fact(len(cells))}; internal/cells.csv has all)" if len(cells) > LISTED else ""
    )
    table = Table(
        caption=f"Unsafe cells{more}",
        head=("Cell", "Figure", "Must reach", kept, "Verdict", "Unsafe because"),
        rows=tuple(line(cell) for cell in order),
        numeric=frozenset({1, 2, 3}),
        folded=len(order) > 20,
    )
    said = INTERVALS if audit is not None else CHANGED.get(outcome.way, CHANGED[""])
    blocks = (table,) if outcome.protected is None else (Text(said), table)
    return Section(id="unsafe", title="Unsafe cells", blocks=blocks)


def attacks_table(outcome: TableOutcome) -> Table | None:
    """How many respondents each intruder finds out about, from the table as it is and from the one to be published."""
    found = {one.name: [one.result, None] for one in outcome.bare}
    for one in outcome.attacks:
        found.setdefault(one.name, [None, None])[1] = one.result
    if not found:
        return None
    rows = tuple(
        (
            who,
            *(format_fact(one.value) if one is not None else "–" for one in pair),
            *(_format_exact_count(one) for one in pair),
        )
        for who, pair in found.items()
    )
    head = ("Intruder", "Disclosed before", "After", "Exactly before", "After")
    results = (one for pair in found.values() for one in pair if one is not None)
    within = next((one.facts.get("within") for one in results), 0.0)
    near = f"to within {format_percent(float(str(within)))}" if within else "exactly"
    return Table(
        caption=f"Respondents whose contribution to a cell becomes known {near}",
        head=head,
        rows=rows,
        numeric=frozenset(range(1, 5)),
    )


def _format_exact_count(result: Result | None) -> str:
    return "–" if result is None else format_fact(result.facts.get("exactly", 0))


def _attacks_section(outcome: TableOutcome) -> Section | None:
    table = attacks_table(outcome)
    if table is None:
        return None
    said = "Intruders know how many respondents stand behind every cell, and what they contributed themselves. Which of them the rules protect against is for the rules to say."
    return Section(id="attacks", title="Attacks", blocks=(Text(said), table))


def _losses_section(outcome: TableOutcome) -> Section | None:
    if not outcome.losses:
        return None
    return Section(id="loss", title="What is lost", blocks=(_results_table("Loss", outcome.losses),))


def _results_table(caption: str, results: Sequence[Result]) -> Table:
    """One line for each result with its facts."""
    rows = tuple(
        (
            one.name + (f" of {one.column}" if one.column else ""),
            format_amount(one.value),
            "; ".join(
                f"{name}: {format_amount(fact) if isinstance(fact, float) else format_fact(fact)}"
                for name, fact in one.facts.items()
            )
            or "–",
        )
        for one in results
    )
    return Table(caption=caption, head=("Measure", "Value", "Facts"), rows=rows, numeric=frozenset({1}))


def _notes_section(outcome: TableOutcome) -> Section | None:
    frozen = int((outcome.problem.status == Status.HIDDEN).sum())
    said = list(outcome.notes)
    if frozen:
        said.append(f"{count_phrase(frozen, 'cell')} stay suppressed as marked, without levels of their own.")
    return list_notes(said)
