"""The sections on what is learnt, given away, near and who is there, for both audiences. catalogue: B-01, B-04, B-06, C-08, D-05."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.attack import Lookup, People, SinglingOut, run_attacks
from tacit.attack.runner import AttackResult
from tacit.claims import MemberClaims, Scenario, Truth
from tacit.claims.roc import roc
from tacit.models import Threshold
from tacit.plan.attack_findings import AttackFindings
from tacit.plan.attribute_report import report_attributes
from tacit.plan.measure import measure_risks
from tacit.plan.outcome import Outcome
from tacit.release import Masked, Release
from tacit.report import render, write_page
from tacit.report.audience import THRESHOLD
from tacit.report.terminal import summary
from tacit.result import Result
from tacit.risk.disclosure_curve import disclosure_curve

ROWS = 240
SECTIONS = ("What groups give away", "What is learnt about people", "How near released numbers are", "Who is there")


def people(seed: int) -> Release:
    """Groups of eight by zip; in the first everybody has the same, in the last few have what nobody else has."""
    rng = np.random.default_rng(seed)
    place = np.repeat(np.arange(ROWS // 8), 8)
    ill = np.where(place == 0, "gout", np.where(rng.random(ROWS) < 0.5, "flu", "acne"))
    ill[place == 1] = ["rare"] * 3 + ["flu"] * 5
    pay = rng.lognormal(10, 1, ROWS)
    table = pl.DataFrame({"zip": [f"N{one}" for one in place], "ill": ill, "pay": pay})
    return Release(table, quasi="zip", confidential=["ill", "pay"])


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    original, others = people(1), people(2)
    masked = Masked(original, (), lineage=np.arange(ROWS))
    scenario = Scenario.worst_case(original)
    truth = Truth.by_lineage(masked.rows(), ROWS)
    attacked_people = People(truth=truth, file=original, control=others, columns=("ill", "pay"))
    told = run_attacks(original, scenario, attacked_people, {"lookup": Lookup()}, seed=1)
    there = run_attacks(original, scenario, attacked_people, {"singling_out": SinglingOut(attempts=30)}, seed=1)
    area = Result(
        name="membership inference",
        id="membership",
        value=0.61,
        interval=(0.55, 0.67),
        worse="high",
        about="identity",
        facts={"baseline": 0.5, "found at 1 % false alarms": 0.0123},
    )
    curve = roc(MemberClaims(scores=np.linspace(0, 1, 2 * ROWS)), np.arange(2 * ROWS) >= ROWS)
    there += (
        AttackResult(name="membership", about="membership", result=area, roc=curve),
        AttackResult(name="bridge", about="linkability", result=None, why_not="NOLIST"),
    )
    gains = [one.gain for one in told if one.gain is not None]
    verdicts = (Threshold(at_most=0.9).holds(gains[0]), Threshold(at_most=0.01).holds(gains[0]))
    return Outcome(
        title="Release",
        original=original,
        masked=masked,
        verdicts=(*verdicts, Threshold(at_most=0.6).holds(area)),
        before=measure_risks(original)[0],
        after=measure_risks(original)[0],
        learnt=told,
        presence=there,
        curve=disclosure_curve(masked, original=original),
        plan={"intruder": {"knows": ["zip"]}},
    )


def test_every_new_section_is_on_both_pages(outcome: Outcome, parsed: Any) -> None:
    for audience in ("internal", "public"):
        page = parsed(render(outcome, audience=audience))
        assert all(title in page.text for title in SECTIONS)
        assert "bridge: not run, because NOLIST" in page.text
        assert "learnt above outsiders" in page.text


def test_the_public_page_points_at_nobody(outcome: Outcome, parsed: Any) -> None:
    """No list of rows, no table as long as the file, no bin and no number of records below ten, no ROC curve."""
    html = render(outcome, audience="public")
    page = parsed(html)
    assert not any(table[0][0] == "Row" for table in page.tables)
    assert all(len(table) < 50 for table in page.tables) and all(len(chart) < 50 for chart in page.chart_texts)
    binned = [table for table in page.tables if table[0] == ["Chance", "Records"]]
    assert len(binned) >= 4, "prior and posterior of two columns"
    for table in binned:
        counts = [int(row[1].replace(",", "")) for row in table[1:]]
        assert sum(counts) == ROWS and min(counts) >= THRESHOLD
    for said in re.findall(r"([\d,]+) (?:records|people)", page.text):
        assert int(said.replace(",", "")) >= THRESHOLD
    assert "Members found against others" not in page.text and "of whom more is said rightly" not in page.text
    lines = re.findall(r' d="([^"]*)"', html)
    assert max(line.count("L") for line in lines) < 50, "no path with a point for every record"


def test_the_internal_page_does_list_and_draw_them(outcome: Outcome, parsed: Any) -> None:
    """The test above could not fail if there were nothing to hide."""
    page = parsed(render(outcome, audience="internal"))
    rows = [table for table in page.tables if table[0][0] == "Row"]
    assert rows
    assert any(0 < int(row[1]) < THRESHOLD for t in page.tables if t[0] == ["Chance", "Records"] for row in t[1:])
    homogeneous = next(table for table in rows if table[1:] and {row[0] for row in table[1:]} >= set("12345678"))
    assert {row[0] for row in homogeneous[1:]} >= {str(row) for row in range(1, 9)}, "the group that shares a value"
    assert "Members found against others taken for members" in page.text


def test_the_numbers_of_the_page_are_those_of_the_judge(outcome: Outcome, parsed: Any) -> None:
    page = parsed(render(outcome, audience="public"))
    table = next(table for table in page.tables if table[0][:3] == ["Column", "Attack", "Right"])
    assert [row[0] for row in table[1:]] == ["ill", "pay"] and table[0][-1] == "Outsiders"
    result = outcome.learnt[0].result
    assert result is not None
    assert float(table[1][2].split()[0]) == pytest.approx(100 * result.value, rel=0.06)
    there = next(table for table in page.tables if table[0][:2] == ["Attack", "Found"])
    assert ["membership", "0.61", "0.550 to 0.670", "0.5", "–"] in there
    near = next(table for table in page.tables if table[0] == ["Column", "p %", "Disclosed", "At random"])
    assert {row[0] for row in near[1:]} == {"pay"} and all(row[2].split() == ["100", "%"] for row in near[1:]), (
        "nothing was masked"
    )


def test_each_failing_requirement_has_a_remedy_of_its_own(outcome: Outcome) -> None:
    said = summary(outcome)
    assert "learnt about members of ill fails: mask ill itself" in " ".join(said.split())
    assert "membership inference fails: change the values of more columns" in " ".join(said.split())
    near = replace(outcome.verdicts[0], holds=False, model="interval disclosure", column="pay", notes=())
    assert "interval disclosure of pay fails: mask pay itself" in " ".join(
        summary(replace(outcome, verdicts=(near,))).split()
    )


def test_names_are_told_whole_in_a_terminal(outcome: Outcome) -> None:
    long = replace(outcome.learnt[0], name="composition")
    said = summary(replace(outcome, learnt=(long, *outcome.learnt)))
    assert "composition" in said and "…" not in said
    assert max(len(line) for line in said.splitlines()) <= 88


def test_the_attack_page_says_what_teaches_a_column_and_of_whom_more_is_known(outcome: Outcome, tmp_path: Any) -> None:
    assert outcome.masked is not None
    (lesson,) = report_attributes(
        outcome.masked.release, outcome.original, ["ill"], lineage=np.arange(ROWS), knows=["zip"], percent=10, seed=1
    )
    found = AttackFindings(
        title="Attack",
        knows=("zip",),
        told=False,
        records=ROWS,
        attacks=(),
        at_risk=None,
        drop_one=None,
        learnt=outcome.learnt,
        presence=outcome.presence,
        taught=(lesson, replace(lesson, column="main diagnosis")),
    )
    page = write_page(found, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What teaches ill" in page and "best single guess, which is right of" in page
    assert "say the same of" in page and "(DDMBAR)" in page
    assert "people of whom more is said rightly than the others" in page
    assert ">Who is there</h2>" in page
    anchors = re.findall(r' id="([^"]*)"', page)
    assert len(anchors) == len(set(anchors)) and not any(" " in anchor for anchor in anchors)
