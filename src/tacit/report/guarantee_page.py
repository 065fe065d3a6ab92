"""The public page of a release with a guarantee of differential privacy: what the guarantee covers, and nothing else.

Neither the number of the original records nor a loss, a measure or an attack that compares with them stands on it: each would be
an answer about the original that nobody paid for. What it shows follows from the plan, the published trace and the released file.
"""

from __future__ import annotations

from ..plan.outcome import Outcome
from ..plan.privacy import PrivacyGuarantee
from ..result import shown
from .blocks import Items, Section
from .sections.done import done
from .sections.repeat import repeat
from .statement import Statement
from .words import joined

__all__ = ["guarantee_page"]


def guarantee_page(
    outcome: Outcome, guarantee: PrivacyGuarantee
) -> tuple[Statement, list[tuple[str, str]], list[Section]]:
    """The statement, the figures and the sections of the page."""
    assert outcome.masked is not None
    gaps = [gap for gap in outcome.gaps if gap.code in BY_DECLARATION]
    said = Statement(
        verdict="open" if outcome.repeatable or gaps else "holds",
        headline=f"This file is differentially private: {guarantee}.",  # promise: synthetic-public-only-guaranteed
        reasons=(
            f"The guarantee is of all its columns ({joined(guarantee.columns)}) and of the trace beside it, by {joined(guarantee.methods)}.",
        ),
        uncovered=tuple(gap.sentence(public=True) for gap in gaps),
    )
    figures = [("Released records", shown(outcome.masked.release.size)), ("ε", f"{guarantee.epsilon:g}")]
    if guarantee.delta:
        figures.append(("δ", f"{guarantee.delta:g}"))
    covers = Section(id="guarantee", title="What the guarantee covers", blocks=(Items(COVERS),))
    sections = [covers, done(outcome, "public"), repeat(outcome, "public")]
    return said, figures, [section for section in sections if section is not None]


BY_DECLARATION = ("weak_guarantee", "decision_depends_on_data")
"""The gaps that follow from the plan and the trace; others are measured on the original."""
COVERS = (
    "Covered: the values of the released file, their number, and the published trace.",
    "Types, categories, bounds and bins were declared, not read off the records; a value without a place made neither the run nor another record change.",
    "Not shown here, because the guarantee does not cover it: how many records the original has, what was lost, and what attacks on the file found. The internal report has them.",
    "Not covered: how long the run took, that the input was a readable table with at least one row, and what other releases about the same people tell. Every further release adds its own ε.",
)
