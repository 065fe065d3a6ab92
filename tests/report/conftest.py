"""Outcomes to report on: a release that holds, one that fails, an audit; made from the clinic register by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tacit.attack import Attacked, Distance, Transparency, attacked, curve
from tacit.claims import Scenario, Truth
from tacit.examples import clinic
from tacit.models import KAnonymity, LDiversity, Threshold
from tacit.per_record import PerRecord
from tacit.plan.attack_findings import AttackFindings, attack_findings
from tacit.plan.curve import CurveFindings
from tacit.plan.measure import measured
from tacit.plan.outcome import Outcome, Staged
from tacit.plan.reattack import Reattack
from tacit.protect import DropIdentifiers, Generalise, NewHouseholds, Shuffle, SuppressCells
from tacit.release import Finding, Masked, Release, Trace
from tacit.result import Result

ROWS = 600
SECRET = "only-for-internal-eyes"


@pytest.fixture(scope="session")
def original() -> Release:
    made = clinic(ROWS, seed=7)
    return Release(made.frame, **made.roles, kinds=made.kinds, hierarchies=made.hierarchies, missing=made.missing)


@pytest.fixture(scope="session")
def coarse(original: Release) -> Masked:
    """Generalised only: some records are still alone."""
    generalise = Generalise(levels={"zip": 2, "birth": 4, "occupation": 2})
    return original.protect(DropIdentifiers()).then(generalise)


@pytest.fixture(scope="session")
def held(original: Release, coarse: Masked) -> Outcome:
    """Every requirement holds; one attack was run, one not; the trace has a finding that must not be published."""
    masked = coarse.then(SuppressCells(k=3)).then(NewHouseholds(), seed=2).then(Shuffle(), seed=1)
    hidden = Trace(
        "recode", {"column": "visits"}, {"why": Finding(SECRET, False), "seen": Finding("all may see", True)}
    )
    masked = Masked(masked.release, (*masked.trace, hidden), masked.lineage)
    attack = _attack(masked.release)
    verdicts = (KAnonymity(k=3).holds(masked.release), Threshold(at_most=0.05).holds(attack))
    return _outcome(original, masked, attack, verdicts)


@pytest.fixture(scope="session")
def failing(original: Release, coarse: Masked) -> Outcome:
    """k-anonymity and l-diversity fail."""
    attack = _attack(coarse.release)
    models: tuple[Any, ...] = (KAnonymity(k=3), LDiversity(columns={"diagnosis": 2}))
    verdicts = (*(model.holds(coarse.release) for model in models), Threshold(at_most=0.05).holds(attack))
    return _outcome(original, coarse, attack, verdicts)


@pytest.fixture(scope="session")
def audit(original: Release) -> Outcome:
    verdicts = (KAnonymity(k=2).holds(original),)
    return Outcome(title="Audit", original=original, masked=None, verdicts=verdicts, before=measured(original)[0])


@pytest.fixture(scope="session")
def attack(original: Release, coarse: Masked) -> AttackFindings:
    """A release that was told, attacked by distance and by what was told; with a warning."""
    release, truth = coarse.release, Truth.by_lineage(coarse.rows(), original.size)
    scenario = Scenario.worst_case(original, told=coarse.trace)
    made = {"distance": Distance(), "transparency": Transparency()}
    done = attacked(release, scenario, truth, made)
    said = ("a column was left out",)
    found = Reattack(release=release, scenario=scenario, truth=truth, attacks=done, made=made, warnings=said)
    return attack_findings(found, title="Attack", required=0.05)


@pytest.fixture(scope="session")
def curved(original: Release) -> CurveFindings:
    """Two values of a parameter, one of which meets the bound."""
    methods: dict[Any, Any] = {level: Generalise(levels={"zip": level, "birth": level}) for level in (1, 3)}
    found = curve(original, methods, attack=("distance", "transparency"))
    knows = original.quasi
    return CurveFindings(title="Curve", method="generalise", parameter="levels", knows=knows, curve=found, required=0.4)


@pytest.fixture
def staged(tmp_path: Path) -> Callable[[Outcome], Outcome]:
    """The outcome with its data file written to a folder of its own, as a run leaves it."""

    def write(outcome: Outcome) -> Outcome:
        folder = tmp_path / "staged"
        folder.mkdir()
        file = folder / "clinic.csv"
        assert outcome.masked is not None
        outcome.masked.release.native().write_csv(file)
        return replace(outcome, staged=Staged(folder=folder, file=file))

    return write


def _attack(release: Release) -> Result:
    """A hand-made attack: its interval and baseline are those of the statement that the tests expect."""
    chances = 1 / release.matches().size().per_record().values()
    return Result(
        name="re-identification",
        value=0.012,
        interval=(0.0081, 0.01701),
        worse="high",
        about="identity",
        facts={"baseline": 0.0005, "single links": 0.004321},
        per_record=PerRecord(rows_of="intruder", array=chances),
    )


def _outcome(original: Release, masked: Masked, attack: Result, verdicts: tuple[Any, ...]) -> Outcome:
    lost = Result(name="removed records", value=4, worse="high", about="utility", facts={"share": 0.00654321})
    shift = Result(name="mean shift", column="income", value=0.25, worse="high", about="utility")
    return Outcome(
        title="Release of clinic.csv",
        original=original,
        masked=masked,
        verdicts=verdicts,
        before=measured(original)[0],
        after=measured(masked.release)[0],
        attacks=(
            Attacked(name="distance", result=attack),
            Attacked(name="swap_intersection", result=None, why_not="no column that the intruder knows was swapped"),
        ),
        losses=(lost, shift),
        notes=(f"row 17 is odd: {SECRET}",),
        plan={"intruder": {"knows": ["zip", "birth", "sex"], "told": "trace"}, "require": {"k_anonymity": 3}},
        plan_text='[data]\npath = "clinic.csv"\n',
        seed=bytes(range(16)),
        missing_codes={"income": (-9, "refused")},
        seconds=3.2,
    )


class Parsed(HTMLParser):
    """A page as a reader's program sees it: tags with their attributes, tables as cells, texts of charts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.chart_texts: list[list[str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "br", "path", "line"}:
            self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("th", "td"):
            self.tables[-1][-1].append("")
        if tag == "svg":
            self.chart_texts.append([])

    def handle_endtag(self, tag: str) -> None:
        assert tag in ("path", "line") or self._open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.texts.append(data)
        if "th" in self._open or "td" in self._open:
            self.tables[-1][-1][-1] += data
        elif "text" in self._open:
            self.chart_texts[-1].append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="session")
def parsed() -> type[Parsed]:
    return Parsed
