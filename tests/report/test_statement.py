"""The sentence that a review board reads first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit.models import Threshold, Verdict
from tacit.plan.coverage import Gap
from tacit.plan.outcome import Outcome
from tacit.report import statement
from tacit.report.statement import format_bound, format_margin, format_result
from tacit.result import Result

INTRUDER = (
    "An intruder who knows zip, birth and sex of everybody in the file re-identifies at most 1.8 % of them "
    "(with 95 % confidence; guessing: 0.05 %)."
)


def test_a_release_whose_requirements_are_met_and_cover_everything_is_green(held: Outcome) -> None:
    said = statement(replace(held, gaps=()))
    assert said.verdict == "holds"
    assert str(said) == f"Both requirements you set are met. {INTRUDER}"


def test_a_release_with_a_gap_is_amber_and_says_what_is_not_covered(held: Outcome) -> None:
    gap = Gap(code="attribute_not_required", columns=("income",), share=0.0123)
    said = statement(replace(held, gaps=(gap,)))
    assert said.verdict == "open"
    assert said.headline == "Both requirements you set are met, but they do not cover everything that discloses."
    assert said.uncovered == (
        "No requirement bounds attribute disclosure of income: of 1.3 % of the people it follows from their equivalence class.",
    )
    assert "of 2 % of the people" in statement(replace(held, gaps=(gap,)), audience="public").uncovered[0]
    strict = statement(replace(held, gaps=(gap,), strict=True))
    assert strict.headline.endswith("Nothing is released, because the run is strict.")


def test_a_release_that_fails_must_not_and_says_why(failing: Outcome) -> None:
    said = statement(failing)
    k = failing.verdicts[0]
    assert said.verdict == "fails"
    assert said.headline == "2 of 3 requirements you set are not met. Nothing is released."
    assert said.reasons[0] == (
        f"k-anonymity: at least 3 required, 1 found ({k.failing_records} records in {k.failing_classes} classes fall short)."
    )
    assert said.reasons[1].startswith("l-diversity of diagnosis: at least 2 required, 1 found")
    assert said.reasons[-1] == INTRUDER


def test_few_failing_records_are_not_counted_in_public(failing: Outcome) -> None:
    verdict = Verdict(
        holds=False, model="k-anonymity", required=3, found=1, margin=-2, failing_classes=2, failing_records=4
    )
    outcome = replace(failing, verdicts=(verdict,))
    assert "(4 records in 2 classes fall short)" in str(statement(outcome))
    public = str(statement(outcome, audience="public"))
    assert "(fewer than 10 records in fewer than 10 classes fall short)" in public
    assert "The one requirement you set is not met. Nothing is released." in public


def test_a_chosen_seed_is_not_for_publication(held: Outcome) -> None:
    said = statement(replace(held, gaps=(), repeatable=True))
    assert said.verdict == "open"
    assert "Not for publication: whoever learns the seed" in said.headline


def test_an_audit_speaks_of_the_file(audit: Outcome) -> None:
    said = statement(audit)
    assert said.headline == "The one requirement you set is not met."
    assert said.reasons[-1].startswith("600 of 600 records (100 %) are alone with their zip, birth, sex and occupation")


def test_without_a_requirement_there_is_no_verdict(audit: Outcome) -> None:
    said = statement(replace(audit, verdicts=()))
    assert said.verdict == "open"
    assert "there is no verdict" in said.headline


def test_without_an_attack_the_statement_says_so(held: Outcome) -> None:
    said = statement(replace(held, attacks=held.attacks[1:], verdicts=held.verdicts[:1], gaps=()))
    assert said.headline == "The one requirement you set is met."
    assert said.reasons == (
        "Every record shares its zip, birth, sex and occupation with at least 2 others.",
        "No attack was run.",
    )


@pytest.mark.parametrize(
    ("threshold", "value", "said"),
    [(Threshold(at_most=0.5), 0.5, "at most 0.5"), (Threshold(at_least=2.0), 2.0, "at least 2")],
)
def test_a_requirement_met_exactly_keeps_its_direction(
    audit: Outcome, threshold: Threshold, value: float, said: str
) -> None:
    worse = "high" if threshold.at_most is not None else "low"
    result = Result(name="some measure", value=value, worse=worse, about="identity")  # type: ignore[arg-type]
    verdict = threshold.holds(result)
    outcome = replace(audit, verdicts=(verdict,), before=(result,))
    assert format_bound(verdict, outcome) == said
    assert format_margin(verdict, outcome) == "0"


def test_what_just_misses_a_share_does_not_read_as_meeting_it(held: Outcome) -> None:
    verdict = Verdict(holds=False, model="re-identification", required=0.05, found=0.05001, margin=-0.00001)
    assert format_bound(verdict, held) == "at most 5 %"
    assert format_result(verdict, held) == "5.1 %"
    assert format_margin(verdict, held).startswith("−")
