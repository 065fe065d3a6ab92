"""The plain-language statement about a protected table, and the same on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..plan.table.outcome import TableOutcome
from ..result import shown
from ..tables.amount import amount
from .audience import Audience
from .statement import Statement
from .words import counted, percent


def table_statement(outcome: TableOutcome, *, audience: Audience = "internal") -> Statement:
    """Is every unsafe cell protected, what was done, and what the verdict does not cover."""
    if outcome.protected is None:
        return Statement(verdict="fails", headline="The table cannot be protected.", reasons=outcome.failures)
    if audience == "public":
        said: Literal["holds", "open"] = "holds" if outcome.judged and not outcome.repeatable else "open"
        return Statement(verdict=said, headline=_public(outcome), reasons=())
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
    verdict: Literal["holds", "fails", "open"] = (
        "fails" if not outcome.holds else "open" if outcome.state != "met" or outcome.repeatable else "holds"
    )
    uncovered = tuple(str(gap) for gap in outcome.gaps)
    return Statement(verdict=verdict, headline=headline, reasons=tuple(_reasons(outcome)), uncovered=uncovered)


def _public(outcome: TableOutcome) -> str:
    hidden = outcome.hidden
    if hidden is None:
        return "The figures were changed to keep answers confidential."
    if not hidden.any():
        return "No figure was left out."
    return f"{counted(int(hidden.sum()), 'figure')} of {shown(outcome.problem.size)} are not published to keep answers confidential."


def _reasons(outcome: TableOutcome) -> Iterator[str]:
    unsafe, hidden = len(outcome.problem.primaries), outcome.hidden
    if hidden is not None:
        others = int(hidden.sum()) - int(outcome.problem.must.sum())
        more = f"{counted(others, 'further cell')} {'is' if others == 1 else 'are'} left out so that nobody can compute them"
        yield f"{_disclose(outcome)}; {more if others else 'no further cell needs to be left out'}."
        pattern = getattr(outcome.protected, "pattern", None)
        if pattern is not None and others:
            yield _quality(pattern.gap, pattern.proven, pattern.methods)
    elif unsafe:
        yield f"{_disclose(outcome)}."
    yield from outcome.failures


def _disclose(outcome: TableOutcome) -> str:
    unsafe = len(outcome.problem.primaries)
    verb = "discloses" if unsafe == 1 else "disclose"
    return f"{counted(unsafe, 'cell')} of {shown(outcome.problem.size)} {verb} by the rules"


def _quality(gap: float, proven: bool, methods: tuple[str, ...]) -> str:
    by = f" (method: {' → '.join(methods)})" if methods else ""
    if proven:
        return f"No other choice that protects them costs less: this is proven{by}."
    if gap < 1:
        return f"No other choice can cost less by more than {percent(gap, up=True)}{by}."
    return f"How much a better choice might save is not known{by}."


def table_figures(outcome: TableOutcome, audience: Audience) -> list[tuple[str, str]]:
    """The few numbers that stand beside the verdict."""
    found = [("Cells", shown(outcome.problem.size))]
    if outcome.hidden is not None:
        found.append(("Not published", shown(int(outcome.hidden.sum()))))
    if audience == "internal":
        found.append(("Unsafe by the rules", shown(len(outcome.problem.primaries))))
        if outcome.audit is not None:
            found.append(("Can be computed exactly", shown(len(outcome.audit.exact))))
    return found


def table_summary(outcome: TableOutcome) -> str:
    """The statement, the protection, the attacks and the losses as text."""
    said = table_statement(outcome)
    parts = [said.headline, *said.reasons]
    if said.uncovered:
        parts += ["Not covered by the verdict:", *(f"· {gap}" for gap in said.uncovered)]
    if outcome.protected is not None:
        parts += ["", str(outcome.protected)]
    parts += _attacked(outcome)
    if outcome.losses:
        parts += ["", "lost:", *(f"{one.name:<24}  {amount(one.value)}" for one in outcome.losses)]
    return "\n".join([*parts, *(f"note: {note}" for note in outcome.notes)])


def _attacked(outcome: TableOutcome) -> Iterator[str]:
    """How many respondents each intruder finds out about, before and after, a line for each."""
    after = {one.column: shown(one.value) for one in outcome.after}
    if outcome.before:
        yield "\nrespondents whose contribution becomes known, before → after:"
        width = max(len(str(one.column)) for one in outcome.before)
        yield from (
            f"{one.column!s:<{width}}  {shown(one.value)} → {after.get(one.column, '–')}" for one in outcome.before
        )
