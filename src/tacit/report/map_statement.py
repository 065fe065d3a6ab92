"""What a study says in a sentence: which candidate is best, or which misses least, by how much, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..result import format_fact
from ..study.results import Point, Study
from ..study.selection import is_acceptable
from .map_data import left_open, met_requirements, missed_requirements
from .statement import Statement
from .words import count_phrase, format_percent, join_words, to_prose


def map_statement(study: Study) -> Statement:
    """The choice and its figures; without a choice the nearest candidate and what it lacks."""
    if study.chosen is not None:
        point = study.point(study.chosen)
        return Statement(
            verdict="holds" if _has_requirements(study) else "open",
            headline=f"{point_title(point)} {_best_phrase(study)}.",
            reasons=(
                *_met_sentences(point, study),
                *_risk_loss_sentences(point, study),
                *_failure_sentences(study),
                *_note_sentences(study),
            ),
        )
    if study.nearest is None:
        return Statement(
            verdict="fails",
            headline="No candidate could be evaluated to the end.",
            reasons=(*_failure_sentences(study), *_note_sentences(study)),
        )
    point = study.point(study.nearest)
    missed = missed_requirements(point, study)
    lacking = tuple(f"{reason[:1].upper()}{reason[1:]}." for reason in missed)
    return Statement(
        verdict="fails",
        headline=f"No candidate meets all that was asked; {_point_phrase(point)} misses least.",
        reasons=(*lacking, *_risk_loss_sentences(point, study), *_failure_sentences(study), *_note_sentences(study)),
    )


def point_title(point: Point) -> str:
    """A point with its strategy and parameters: Point 17 (rank swapping, percent 12)."""
    return f"P{_point_phrase(point)[1:]}"


def _point_phrase(point: Point) -> str:
    return f"point {point.number} ({', '.join(filter(None, [point.strategy, left_open(point)]))})"


def _has_requirements(study: Study) -> bool:
    """Whether a requirement or a bound was set at all."""
    return bool(study.at_most or study.required) or any(point.evaluation.verdicts for point in study.points)


def _best_phrase(study: Study) -> str:
    among = "of those that meet every requirement" if _has_requirements(study) else "of all; no requirement was set"
    counts = {axis for axis, weight in study.prefer.items() if weight}
    if counts == {"loss"}:
        return f"loses least {among}"
    if counts == {"risk"}:
        return f"has the least risk {among}"
    weights = join_words([f"{axis} {format_fact(weight)}" for axis, weight in study.prefer.items()])
    return f"is best {among}" + (f", weighing {weights}" if weights else "")


def _met_sentences(point: Point, study: Study) -> Iterator[str]:
    met = met_requirements(point, study)
    if met:
        yield f"It meets {join_words(met)}."


def _risk_loss_sentences(point: Point, study: Study) -> Iterator[str]:
    """Risk and loss as one number each, and the parts behind them where there are several."""
    found = point.evaluation
    for word, whole, weighed, parts in (
        ("risk", point.risk, study.risk, found.risks),
        ("loss", point.loss, study.loss, found.losses),
    ):
        if whole is None:
            continue
        known = [f"{to_prose(one.name)} {format_percent(parts[one.name])}" for one in weighed if one.name in parts]
        several = f", the mean of {join_words(known)}" if len(known) > 1 else f" ({known[0]})" if known else ""
        weights = {one.weight for one in weighed}
        by = " by their weights" if len(known) > 1 and len(weights) > 1 else ""
        yield f"Its {word} is {format_percent(whole)}{several}{by}."
    if point.number and study.points and study.points[0].number == 0 and study.points[0].risk is not None:
        yield f"Without any protection the risk is {format_percent(study.points[0].risk)}."
    tried = [one for one in study.points if one.number]
    enough = sum(is_acceptable(one, study.at_most) for one in tried)
    if enough and _has_requirements(study):
        verb = "meets" if enough == 1 else "meet"
        yield f"{format_fact(enough)} of {count_phrase(len(tried), 'candidate')} {verb} what was asked."


def _failure_sentences(study: Study) -> Iterator[str]:
    """How many could not be made or measured, and why most of them: a slip in a strategy must not go unseen."""
    failed = [point for point in study.points if point.evaluation.state == "failed"]
    if not failed:
        return
    reasons = Counter((point.strategy, point.evaluation.why or "no reason is known") for point in failed)
    (strategy, why), often = reasons.most_common(1)[0]
    which = f"{format_fact(often)} of them, " if often < len(failed) else ""
    tried = sum(point.number > 0 for point in study.points)
    yield _as_sentence(
        f"{format_fact(len(failed))} of {count_phrase(tried, 'candidate')} failed; {which}{strategy}: {why}"
    )


def _note_sentences(study: Study) -> Iterator[str]:
    """What a reader has to know, above all that a release is attacked by more than a candidate."""
    yield from map(_as_sentence, study.notes)


def _as_sentence(text: str) -> str:
    """The text with a capital and a full stop, unless it ends in a question."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}" + ("" if text.endswith("?") else ".")
