"""Which columns teach a confidential one, and whether models of the release say what models of the original do."""

from __future__ import annotations

from ...attack.smallest_sets import ColumnSet, SmallestSets
from ...plan.attribute_report import AttributeReport
from ...result import Result
from ..blocks import Block, Items, Section, Table, Text
from ..words import format_percent
from .attribute_disclosure import signed_percent

FEW = (
    "A value that many columns tell together may be harmless, because nobody knows them all; one that a few tell is within "
    "everybody's reach. Each person's value is said by the records of others."
)


def predictors_section(lesson: AttributeReport, place: int = 0) -> Section:
    """The smallest sets of columns as a table, and the agreement of models in a sentence."""
    blocks: list[Block] = []
    if lesson.sets is not None:
        blocks += [Text(FEW), _smallest_sets_table(lesson.sets)]
    if lesson.agreement is not None:
        blocks.append(Text(_agreement_sentence(lesson.agreement)))
    if lesson.notes:
        blocks.append(Items(lesson.notes))
    return Section(id=f"teaches-{place}", title=f"What teaches {lesson.column}", blocks=tuple(blocks))


def _smallest_sets_table(found: SmallestSets) -> Table:
    rows = tuple(_column_set_row(one) for one in found.sets) or (
        (f"{_column_set_row(found.best)[0]} (does not suffice)", *_column_set_row(found.best)[1:]),
    )
    return Table(
        caption=f"The fewest columns that tell it better than the best single guess, which is right of {format_percent(found.guess)}",
        head=("Columns", "Right", "Above the guess", f"95 % interval, all {found.possible:,} sets together"),
        rows=rows,
        numeric=frozenset({1, 2, 3}),
    )


def _column_set_row(one: ColumnSet) -> tuple[str, ...]:
    low, high = one.gain_interval
    return (
        ", ".join(one.columns),
        format_percent(one.right),
        signed_percent(one.gain),
        f"{signed_percent(low)} to {signed_percent(high, up=True)}",
    )


def _agreement_sentence(result: Result) -> str:
    return (
        f"A model learnt from the release and one learnt from the original say the same of {format_percent(result.value)} of the people "
        f"(DDMBAR): where that is much and the models are right, whoever has the release can infer what the original told."
    )
