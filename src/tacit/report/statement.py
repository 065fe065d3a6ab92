"""The plain-language statement that every face shows first: are the requirements met, what can an intruder do, what is not covered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..models.verdict import Verdict
from ..plan.job_outcome import JobOutcome
from ..plan.outcome import Outcome
from ..result import Result, format_fact
from .audience import Audience, safe_count
from .figures import VerdictFigures, verdict_figures
from .words import count_phrase, format_percent, join_words

Tone: TypeAlias = Literal["holds", "fails", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """``verdict`` for colour and mark, the ``headline``, and the sentences that give its reasons.

    ``uncovered`` are the sentences on what discloses and no requirement covers.
    """

    verdict: Tone
    headline: str
    reasons: tuple[str, ...]
    uncovered: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.headline, *self.reasons, *self.uncovered])


def statement(outcome: Outcome, *, audience: Audience = "internal") -> Statement:
    """The verdict on an outcome in words that need no statistics."""
    failing = [verdict for verdict in outcome.verdicts if not verdict.holds]
    missed = [_missed_requirement(verdict, outcome, audience) for verdict in failing]
    return Statement(
        verdict=tone_of(outcome),
        headline=headline_of(outcome, seed_risk="can undo its random steps"),
        reasons=(*missed, *_intruder_sentences(outcome, audience), *_stronger_intruder(outcome, audience)),
        uncovered=uncovered_sentences(outcome, audience),
    )


def tone_of(outcome: JobOutcome) -> Tone:
    """Whether a requirement fails, nothing is left open, or a reader has to decide."""
    return "fails" if not outcome.holds else "open" if outcome.state != "met" or outcome.repeatable else "holds"


def uncovered_sentences(outcome: JobOutcome, audience: Audience) -> tuple[str, ...]:
    """What discloses and no requirement covers, for an audience."""
    return tuple(gap.sentence(public=audience == "public") for gap in outcome.gaps)


def headline_of(outcome: JobOutcome, *, seed_risk: str | None) -> str:
    """How many requirements are met, and why nothing is released; ``seed_risk`` is what whoever learns the seed can do."""
    thing = "release" if outcome.is_release else "file"
    asked, failing = len(outcome.verdicts), sum(not verdict.holds for verdict in outcome.verdicts)
    if not asked:
        return f"No requirement was set: there is no verdict on this {thing}."
    said = requirements_met(asked, failing)
    if failing:
        return f"{said} Nothing is released." if outcome.is_release else said
    if outcome.state == "not_covered":
        said = f"{said[:-1]}, but {'it does' if asked == 1 else 'they do'} not cover everything that discloses."
    if outcome.is_release and not outcome.passes:
        said += " Nothing is released, because the run is strict."
    if outcome.repeatable and seed_risk is not None:
        said += f" Not for publication: whoever learns the seed of this repeatable run {seed_risk}."
    return said


def requirements_met(asked: int, failing: int) -> str:
    """How many of the requirements are met, in one sentence.

    >>> requirements_met(3, 0), requirements_met(1, 0)
    ('All 3 requirements you set are met.', 'The one requirement you set is met.')
    >>> requirements_met(3, 1), requirements_met(1, 1)
    ('1 of 3 requirements you set is not met.', 'The one requirement you set is not met.')
    """
    if asked == 1:
        return f"The one requirement you set is {'not ' if failing else ''}met."
    if not failing:
        return f"{'Both' if asked == 2 else f'All {asked}'} requirements you set are met."
    return f"{failing} of {asked} requirements you set {'is' if failing == 1 else 'are'} not met."


def _missed_requirement(verdict: Verdict, outcome: Outcome, audience: Audience) -> str:
    text = f"{name_with_column(verdict.model, verdict.column)}: {format_bound(verdict, outcome)} required, {format_result(verdict, outcome)} found"
    if verdict.failing_records:
        records = count_phrase(safe_count(verdict.failing_records, audience), "record")
        classes = count_phrase(safe_count(verdict.failing_classes, audience), "class", "classes")
        text += f" ({records} in {classes} fall short)" if verdict.failing_classes else f" ({records} fall short)"
    return f"{text}."


def _intruder_sentences(outcome: Outcome, audience: Audience) -> tuple[str, ...]:
    """What somebody who knows the quasi-identifiers can do: by the worst attack, else by the classes."""
    worst = worst_attack(outcome)
    if worst is None and outcome.synthesis is not None:
        return _made_up(outcome)
    if worst is None:
        said = () if outcome.masked is None else ("No attack was run.",)
        return (*_sample_unique_sentences(outcome, audience), *said)
    bounded = worst.interval is not None
    share = f"at most {format_percent(worst.interval[1], up=True)}" if worst.interval else format_percent(worst.value)
    beside = ["with 95 % confidence"] if bounded else []
    guessing = worst.facts.get("baseline")
    if isinstance(guessing, float | int):
        beside.append(f"guessing: {format_percent(guessing)}")
    remark = f" ({'; '.join(beside)})" if beside else ""
    return (
        f"An intruder who knows {join_words(known_columns(outcome))} of everybody in the file re-identifies {share} of them{remark}.",
    )


def _made_up(outcome: Outcome) -> tuple[str, ...]:
    """What attacks on a synthetic release found of the people from whom it was made, beside people who were kept back."""
    told = [one.result for one in outcome.presence if one.roc is not None and one.result is not None]
    copied = [one.gain for one in outcome.presence if one.gain is not None and one.gain.id == "copied"]
    said = []
    if copied:
        most = max(copied, key=lambda one: one.worst_case)
        said.append(
            f"At most {format_percent(max(0.0, most.worst_case), up=True)} of the people are copied above what chance does (with 95 % confidence)."
        )
    if told:
        best = max(told, key=lambda one: one.worst_case)
        said.append(
            f"Who was learnt from is told with an area under the ROC curve of {best.value:.2f}, at most {best.worst_case:.2f} (guessing: 0.5)."
        )
    return tuple(said) or ("No attack could be judged: nobody was kept back.",)


def _stronger_intruder(outcome: Outcome, audience: Audience) -> tuple[str, ...]:
    """What an intruder finds who also knows the columns that nobody protects; for internal eyes, who can still mask them."""
    measured = outcome.unprotected
    if audience == "public" or measured is None or not measured.smallest_sets:
        return ()
    fewest = measured.smallest_sets[0]
    every = (
        ""
        if set(fewest.columns) == set(measured.columns)
        else f", all {len(measured.columns)} such columns {format_percent(measured.share_joint, up=True)}"
    )
    return (
        f"No attack counts an intruder who also knows {join_words(fewest.columns)}: with the quasi-identifiers "
        f"{'it makes' if len(fewest.columns) == 1 else 'they make'} {format_percent(fewest.share, up=True)} of the records unique{every}. "
        "Make sure that no outsider knows them, or mask them.",
    )


def _sample_unique_sentences(outcome: Outcome, audience: Audience) -> tuple[str, ...]:
    """Who stands alone in the file at hand, when no attack tells more."""
    results = {result.id: result for result in outcome.after or outcome.before}
    k, uniques = results.get("k_anonymity"), results.get("sample_uniques")
    release = outcome.original if outcome.masked is None else outcome.masked.release
    keys = join_words(release.quasi)
    if k is not None and k.value > 1:
        return (f"Every record shares its {keys} with at least {count_phrase(int(k.value) - 1, 'other')}.",)
    if uniques is None or not uniques.value:
        return ()
    alone = int(uniques.value)
    share = (
        f" ({format_percent(alone / release.size)})"
        if audience == "internal" or safe_count(alone, audience) == format_fact(alone)
        else ""
    )
    verb = "is" if alone == 1 else "are"
    return (
        f"{safe_count(alone, audience).capitalize()} of {count_phrase(release.size, 'record')}{share} {verb} alone with their {keys}: whoever knows these finds them.",
    )


def worst_attack(outcome: Outcome) -> Result | None:
    """The attack that re-identifies most, by the upper end of its interval."""
    results = [
        attacked.result
        for attacked in outcome.attacks
        if attacked.result is not None and attacked.result.about == "identity"
    ]
    return max(results, key=lambda result: result.worst_case, default=None)


def known_columns(outcome: Outcome) -> tuple[str, ...]:
    """The columns that the intruder knows: those of the plan, else all quasi-identifiers."""
    knows: Sequence[str] | None = (outcome.plan.get("intruder") or {}).get("knows")
    return tuple(knows or outcome.original.quasi)


def name_with_column(model: str, column: str | None) -> str:
    """A model or measure with its column."""
    return f"{model} of {column}" if column else model


def format_bound(verdict: Verdict, outcome: JobOutcome, *, signs: bool = False) -> str:
    """What was required, with its direction: at least 5, at most 5 %; in a table ≥ 5, ≤ 5 %."""
    least, most = ("≥", "≤") if signs else ("at least", "at most")
    return f"{least if _from_below(verdict, outcome) else most} {_outcome_figures(verdict, outcome).required}"


def format_result(verdict: Verdict, outcome: JobOutcome) -> str:
    """What was found, rounded to the worse side."""
    return _outcome_figures(verdict, outcome).found


def format_margin(verdict: Verdict, outcome: JobOutcome) -> str:
    """How much better than required, with a minus sign when it is worse."""
    return f"{'−' if verdict.margin < 0 else ''}{_outcome_figures(verdict, outcome).apart}"


def _outcome_figures(verdict: Verdict, outcome: JobOutcome) -> VerdictFigures:
    return verdict_figures(verdict, share=_is_attack_verdict(verdict, outcome) and verdict.id != "membership")


def _is_attack_verdict(verdict: Verdict, outcome: JobOutcome) -> bool:
    return any(found.id == verdict.id for found in _attack_results(outcome))


def _attack_results(outcome: JobOutcome) -> list[Result]:
    """What requirements on attacks are judged by."""
    every = outcome.attacks_on_release
    found = [one for attacked in every if (one := attacked.gain or attacked.result) is not None]
    return [*found, *(one.worst for one in every if one.worst is not None)]


def _from_below(verdict: Verdict, outcome: JobOutcome) -> bool:
    """Whether more is better; a margin of zero does not tell, so then the measure of the same name does."""
    if verdict.found != verdict.required:
        return (verdict.found > verdict.required) == (verdict.margin > 0)
    results = [*outcome.before, *outcome.after, *_attack_results(outcome)]
    return any(result.id.endswith(verdict.id) and result.worse == "low" for result in results)


def requirement_meaning(verdict: Verdict, outcome: JobOutcome) -> str:
    """The requirement in words that need no statistics; empty for a measure that explains itself."""
    if not isinstance(outcome, Outcome):
        return ""
    release = outcome.original if outcome.masked is None else outcome.masked.release
    required, column = format_fact(verdict.required), verdict.column or "the confidential column"
    if verdict.id == "k_anonymity":
        return f"Every record shares its {join_words(release.quasi)} with at least {count_phrase(int(verdict.required) - 1, 'other')}."
    if verdict.id == "l_diversity":
        return f"Records that look alike have at least {required} different values of {column} among them."
    if verdict.id == "t_closeness":
        return f"In no group of records that look alike is {column} distributed further than {required} from the whole file (0: alike, 1: entirely different)."
    if verdict.id == "interval_disclosure":
        return f"At most {format_percent(verdict.required)} of the original values of {column} lie in the interval around their masked ones."
    if verdict.id == "same_values":
        return f"At most {format_percent(verdict.required)} of the values of {column} are as they were, at the level of the release."
    if verdict.id == "attribute_inference":
        return f"Of no confidential column does an attack say more than {format_percent(verdict.required)} of the values rightly above what it says of people who are not in the release, or (without a control group) above what the rest of the people teach, at the upper end of its 95 % interval."
    if verdict.id == "membership":
        return f"The area under the ROC curve of telling who is in the data is at most {required}, at the upper end of its 95 % interval (0.5: no better than guessing, 1: always right)."
    if verdict.id == "copied":
        return f"At most {format_percent(verdict.required)} more of the people than of those who are not in the data are equal, or nearly equal, to a released record, at the upper end of the 95 % interval."
    if verdict.id == "worst_records":
        return f"Of the hundredth of the people who are found most surely, an intruder is at most {format_percent(verdict.required)} sure, among as many others, at the upper end of the 95 % interval (50 %: guessing)."
    if verdict.id == "singling_out":
        return f"At most {format_percent(verdict.required)} of the descriptions that an intruder reads off the release fit exactly one person, at the upper end of the 95 % interval."
    if verdict.id == "linkability":
        return f"At most {format_percent(verdict.required)} of the people of two lists that have no column in common are put together through the release, at the upper end of the 95 % interval."
    if verdict.id == "differential_privacy":
        return f"The released file and its trace are differentially private with ε of at most {required}: one record more or less, or another one, changes the chance of any file by no more than the factor e^ε, but for a chance of δ."
    if _is_attack_verdict(verdict, outcome):
        return f"No attack links more than {format_percent(verdict.required)} of the people to the right record, at the upper end of its 95 % interval."
    return ""
