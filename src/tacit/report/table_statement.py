"""The plain-language statement about a protected table, and the same on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..plan.table.outcome import TableOutcome
from ..result import format_fact
from ..tables.number_format import format_amount
from .audience import Audience
from .statement import Statement, tone_of, uncovered_sentences
from .words import count_phrase, format_percent


def table_statement(outcome: TableOutcome, *, audience: Audience = "internal") -> Statement:
    """Is every unsafe cell protected, what was done, and what the verdict does not cover."""
    if outcome.protected is None:
        return Statement(verdict="fails", headline="The table cannot be protected.", reasons=outcome.failures)
    if audience == "public":
        said: Literal["holds", "open"] = "holds" if outcome.judged and not outcome.repeatable else "open"
        return Statement(verdict=said, headline=_suppression_sentence(outcome), reasons=())
    unsafe = len(outcome.problem.primaries)
    if not outcome.holds:
        headline = (
            "Not every unsafe cell is protected: the audit finds answers that can be computed. Nothing is published."
        )
    elif not outcome.judged:
        headline = "No rule says which cells disclose: the table is changed as asked, and there is no verdict."
    elif unsafe:
        headline = "Every cell that is unsafe by the rules is protected, by an independent audit."
    else:
        headline = "No cell is unsafe by the rules."
    if outcome.holds and not outcome.passes:
        headline += " Nothing is published, because the run is strict and something is not covered."
    return Statement(
        verdict=tone_of(outcome),
        headline=headline,
        reasons=tuple(_reason_sentences(outcome)),
        uncovered=uncovered_sentences(outcome, audience),
    )


def _suppression_sentence(outcome: TableOutcome) -> str:
    hidden = outcome.hidden
    if hidden is None:
        return "The figures were changed to keep answers confidential."
    if not hidden.any():
        return "No figure was left out."
    return f"{count_phrase(int(hidden.sum()), 'figure')} of {format_fact(outcome.problem.size)} are not published to keep answers confidential."


def _reason_sentences(outcome: TableOutcome) -> Iterator[str]:
    unsafe, hidden = len(outcome.problem.primaries), outcome.hidden
    if hidden is not None:
        others = int(hidden.sum()) - int(outcome.problem.must_suppress.sum())
        more = f"{count_phrase(others, 'further cell')} {'is' if others == 1 else 'are'} left out so that nobody can compute them"
        yield f"{_unsafe_cells_phrase(outcome)}; {more if others else 'no further cell needs to be left out'}."
        pattern = getattr(outcome.protected, "pattern", None)
        if pattern is not None and others:
            yield _optimality_sentence(pattern.gap, pattern.proven, pattern.methods)
    elif unsafe:
        yield f"{_unsafe_cells_phrase(outcome)}."
    yield from outcome.failures


def _unsafe_cells_phrase(outcome: TableOutcome) -> str:
    unsafe = len(outcome.problem.primaries)
    verb = "discloses" if unsafe == 1 else "disclose"
    return f"{count_phrase(unsafe, 'cell')} of {format_fact(outcome.problem.size)} {verb} by the rules"


def _optimality_sentence(gap: float, proven: bool, methods: tuple[str, ...]) -> str:
    by = f" (method: {' → '.join(methods)})" if methods else ""
    if proven:
        return f"No other choice that protects them costs less: this is proven{by}."
    if gap < 1:
        return f"No other choice can cost less by more than {format_percent(gap, up=True)}{by}."
    return f"How much a better choice might save is not known{by}."


def table_figures(outcome: TableOutcome, audience: Audience) -> list[tuple[str, str]]:
    """The few numbers that stand beside the verdict."""
    found = [("Cells", format_fact(outcome.problem.size))]
    if outcome.hidden is not None:
        found.append(("Not published", format_fact(int(outcome.hidden.sum()))))
    if audience == "internal":
        found.append(("Unsafe by the rules", format_fact(len(outcome.problem.primaries))))
        if outcome.audit is not None:
            found.append(("Can be computed exactly", format_fact(len(outcome.audit.exact))))
    return found


def table_summary(outcome: TableOutcome) -> str:
    """The statement, the protection, the attacks and the losses as text."""
    said = table_statement(outcome)
    parts = [said.headline, *said.reasons]
    if said.uncovered:
        parts += ["Not covered by the verdict:", *(f"· {gap}" for gap in said.uncovered)]
    if outcome.protected is not None:
        parts += ["", str(outcome.protected)]
    parts += _intruder_lines(outcome)
    if outcome.losses:
        parts += ["", "lost:", *(f"{one.name:<24}  {format_amount(one.value)}" for one in outcome.losses)]
    return "\n".join([*parts, *(f"note: {note}" for note in outcome.notes)])


def _intruder_lines(outcome: TableOutcome) -> Iterator[str]:
    """How many respondents each intruder finds out about, before and after, a line for each."""
    after = {one.name: format_fact(one.result.value) for one in outcome.attacks if one.result is not None}
    if outcome.bare:
        yield "\nrespondents whose contribution becomes known, before → after:"
        width = max(len(one.name) for one in outcome.bare)
        for one in outcome.bare:
            before = "–" if one.result is None else format_fact(one.result.value)
            yield f"{one.name:<{width}}  {before} → {after.get(one.name, '–')}"
