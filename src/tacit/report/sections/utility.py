"""What a synthetic release is good for: told from the original, tabulated, and as a teacher about other people."""

from __future__ import annotations

from ...plan.outcome import Outcome
from ...result import Result
from ..audience import Audience
from ..blocks import Block, Section, Table, Text

SAID = (
    "A classifier that tells made-up records from real ones by chance alone has a pMSE ratio of 1. Tables are counted over one, two "
    "and three columns: the share of the records that would have to be moved to make one file's counts into the other's."
)
TAUGHT = (
    "Models of each target were taught by the training data and by the synthetic file, and both were asked about people whom neither "
    "has seen: accuracy for categories, R² for amounts. A generator that copies gains nothing here."
)
RATIO = "ratio to a draw from the original"


def utility_section(outcome: Outcome, _audience: Audience) -> Section | None:
    """Both tables; left out where the release is not synthetic."""
    if outcome.synthesis is None:
        return None
    blocks: list[Block] = []
    for said, table in ((SAID, tables_table(outcome)), (TAUGHT, teaching_table(outcome))):
        blocks += [] if table is None else [Text(said), table]
    return Section(id="utility", title="What it is good for", blocks=tuple(blocks)) if blocks else None


def tables_table(outcome: Outcome) -> Table | None:
    """The pMSE ratio, and how far tables of one, two and three columns moved."""
    rows = [
        ("pMSE ratio", f"{ratio:.2f}", "1")
        for one in _losses_by_name(outcome, "propensity")
        if isinstance(ratio := one.facts.get(RATIO), float)
    ]
    rows += [
        (f"Tables of {one.column}: records moved", f"{100 * one.value:.1f} %", "0 %")
        for one in _losses_by_name(outcome, "contingency_tables")
        if one.column
    ]
    if outcome.synthesis is None or not rows:
        return None
    head = ("Measure", "Found", "Best")
    return Table(caption="How like the training data it is", head=head, rows=tuple(rows), numeric=frozenset({1, 2}))


def teaching_table(outcome: Outcome) -> Table | None:
    """Each target: what a model of the training data, one of the synthetic file and the best guess have right."""
    rows = tuple(
        _prediction_row(one) for one in _losses_by_name(outcome, "prediction_of_people_held_back") if one.column
    )
    if not rows:
        return None
    return Table(
        caption="Models tested on people who were kept back",
        head=("Target", "Figure", "Taught by training data", "Taught by synthetic file", "Guess"),
        rows=rows,
        numeric=frozenset({2, 3, 4}),
    )


def _prediction_row(one: Result) -> tuple[str, ...]:
    figure = "accuracy" if "accuracy of the best guess" in one.facts else "R²"
    by = [_format_fact(one.facts.get(f"{figure}, taught by the {file}")) for file in ("original", "masked file")]
    return str(one.column), figure, *by, _format_fact(one.facts.get("accuracy of the best guess", 0.0))


def _format_fact(fact: object) -> str:
    return f"{fact:.2f}" if isinstance(fact, float) else "–"


def _losses_by_name(outcome: Outcome, name: str) -> list[Result]:
    return [one for one in outcome.losses if one.id == name]
