"""What to do next: for each requirement that fails what would help, and what nobody has looked at yet."""

from __future__ import annotations

from collections.abc import Iterator

from ...attack.runner import AttackResult
from ...models.verdict import Verdict
from ...plan.outcome import Outcome
from ...release.release import Release
from ..audience import Audience
from ..blocks import Items, Section
from ..statement import known_columns, name_with_column
from ..words import count_phrase, join_words, to_prose


def next_steps_section(outcome: Outcome, audience: Audience) -> Section | None:
    """Next steps for those who decide; for the public what the numbers do not cover."""
    if audience == "public":
        items = tuple(_uncovered_risks(outcome))
        return Section(id="limits", title="Limits", blocks=(Items(items),)) if items else None
    return Section(id="next", title="Next steps", blocks=(Items(tuple(next_steps(outcome))),))


def next_steps(outcome: Outcome) -> Iterator[str]:
    """Concrete steps, the most urgent first."""
    release = outcome.original if outcome.masked is None else outcome.masked.release
    failing = [verdict for verdict in outcome.verdicts if not verdict.holds]
    yield from (
        f"{name_with_column(v.model, v.column)} fails: {_suggest_remedy(v, release, outcome)}." for v in failing
    )
    coarser = _coarsening_options(release) if failing else ""
    if coarser:
        yield f"Room to generalise, what tells most records apart first: {coarser}."
    for attacked in (*outcome.attacks, *_membership_attacks(outcome)):
        if attacked.result is None:
            yield f"The attack {to_prose(attacked.name)} was not run ({attacked.why_not}): what it would find is not known."
    yield from (gap.remedy for gap in outcome.gaps)
    if outcome.masked is None:
        yield "To protect the file write a plan (roles, requirements, steps) and run: tacit release plan.toml --out out"
    elif outcome.passes and outcome.repeatable:
        yield "To publish run it again without --seed: a fresh secret seed is then drawn and kept in internal/."
    elif outcome.passes:
        yield "Publish the folder public/ and nothing else. Keep internal/ under lock: its seed and lineage undo the protection."


def _suggest_remedy(verdict: Verdict, release: Release, outcome: Outcome) -> str:
    if verdict.id == "k_anonymity":
        if verdict.required > release.size:
            return f"the file has only {count_phrase(release.size, 'record')}; ask for a smaller k or release more records together"
        return (
            "generalise the quasi-identifiers further, or add suppress_cells or suppress_records "
            f"with k = {int(verdict.required)} for the records that stay short"
        )
    if verdict.id in ("l_diversity", "t_closeness"):
        return f"generalise further, so that more different people look alike, or make {verdict.column} itself coarser"
    if any(note.code == "too_small_to_be_sure" for note in verdict.notes):
        return (
            "the share that was found meets the bound, but so few records cannot show it with 95 % confidence; use more"
        )
    if verdict.id in ("interval_disclosure", "same_values"):
        return f"mask {verdict.column} itself more strongly, e.g. by a larger rank_swap percent or microaggregate k"
    if verdict.id == "attribute_inference":
        return (
            f"mask {verdict.column} itself more strongly, or generalise what the intruder knows, so that the groups of people "
            "who look alike are larger and more mixed"
        )
    if verdict.id in ("copied", "worst_records") or (verdict.id == "membership" and outcome.synthesis is not None):
        return (
            "let the generator learn less of single people: larger leaves or fewer columns together, smoothing, coarser values "
            "before it, or a generator with a differential-privacy guarantee"
        )
    if verdict.id in ("membership", "singling_out"):
        return "change the values of more columns: a description that is true of nobody finds nobody"
    known = [column for column in known_columns(outcome) if column in release.columns]
    return f"mask what the intruder knows ({join_words(known)}) more strongly: coarser levels, a larger rank_swap percent or microaggregate k"


def _coarsening_options(release: Release) -> str:
    """The quasi-identifiers that can be made coarser, with their levels, those that tell most apart first."""
    ladders = {column: release.hierarchies[column] for column in release.quasi if column in release.hierarchies}
    free = [column for column, ladder in ladders.items() if release.levels.get(column, 0) < ladder.height]
    free.sort(key=release.distinct, reverse=True)
    return ", ".join(f"{column} (level {release.levels.get(column, 0)} of {ladders[column].height})" for column in free)


def _membership_attacks(outcome: Outcome) -> tuple[AttackResult, ...]:
    """The attacks on presence, which a synthetic release is judged by."""
    return () if outcome.synthesis is None else outcome.presence


def _uncovered_risks(outcome: Outcome) -> Iterator[str]:
    if outcome.masked is not None and outcome.attacks:
        yield f"The attacks assume an intruder who knows {join_words(known_columns(outcome))}; somebody who knows more may find more."
    if outcome.synthesis is not None:
        yield "What the generator was not fitted to is not promised, and an attack that found nothing proves nothing."
    for attacked in (*outcome.attacks, *_membership_attacks(outcome)):
        if attacked.result is None:
            yield f"The attack {to_prose(attacked.name)} was not run ({attacked.why_not})."
    if outcome.repeatable:
        yield "Made with a chosen seed: repeatable, not for publication."
