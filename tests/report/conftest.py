"""Outcomes to report on: a release that holds, one that fails, an audit; made from the clinic register by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.contrast import CONTRAST

from tacit.attack import AttackResult, Distance, People, Transparency, curve, run_attacks
from tacit.claims import Scenario, Truth
from tacit.examples import clinic
from tacit.loss.score import WeightedMeasure
from tacit.models import KAnonymity, LDiversity, Threshold
from tacit.per_record import PerRecord
from tacit.plan import from_text, run
from tacit.plan.attack_file import FileAttack
from tacit.plan.attack_findings import AttackFindings, attack_findings
from tacit.plan.curve import CurveFindings
from tacit.plan.measure import measure_risks
from tacit.plan.outcome import Outcome, Staged
from tacit.protect import DropIdentifiers, Generalise, NewHouseholds, Shuffle, SuppressCells
from tacit.release import Finding, Masked, Release, Trace
from tacit.result import Result
from tacit.study.candidate import Candidate
from tacit.study.evaluation import Evaluation, Figure, place_of
from tacit.study.front import front
from tacit.study.results import Point, Study
from tacit.study.selection import nearest_candidate, rank_candidates

ROWS = 600
SECRET = "only-for-internal-eyes"
MADE_UP = """\
[data]
path = "clinic.csv"
missing = "own"
[roles]
quasi = ["zip", "sex", "occupation"]
confidential = ["diagnosis"]
[kinds]
education = "ordinal"
visits = "continuous"
[synth]
holdout = 0.5
implicates = 2
[[protect]]
method = "synth_trees"
leaf = 20
[require]
copies = 0.5
worst_records = 0.51
[[attack]]
method = "shadow_generators"
count = 4
[[attack]]
method = "inference"
estimator = "tree"
"""


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
    return Outcome(title="Audit", original=original, masked=None, verdicts=verdicts, before=measure_risks(original)[0])


@pytest.fixture(scope="session")
def attack(original: Release, coarse: Masked) -> AttackFindings:
    """A release that was told, attacked by distance and by what was told; with a warning."""
    release, truth = coarse.release, Truth.by_lineage(coarse.rows(), original.size)
    scenario = Scenario.worst_case(original, told=coarse.trace)
    made = {"distance": Distance(), "transparency": Transparency()}
    done = run_attacks(release, scenario, People(truth=truth, file=original), made)
    said = ("a column was left out",)
    found = FileAttack(release=release, scenario=scenario, truth=truth, attacks=done, made=made, warnings=said)
    return attack_findings(found, title="Attack", required=0.05)


@pytest.fixture(scope="session")
def curved(original: Release) -> CurveFindings:
    """Two values of a parameter, one of which meets the bound."""
    methods: dict[Any, Any] = {level: Generalise(levels={"zip": level, "birth": level}) for level in (1, 3)}
    found = curve(original, methods, attack=("distance", "transparency"))
    knows = original.quasi
    return CurveFindings(title="Curve", method="generalise", parameter="levels", knows=knows, curve=found, required=0.4)


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Two synthetic files by trees, attacked beside people who were kept back; what is required of copies holds."""
    folder = tmp_path_factory.mktemp("synth")
    clinic(300, seed=7).frame.drop("name", "phone", "weight", "household").write_csv(folder / "clinic.csv")
    return run(from_text(MADE_UP, folder=folder), seed=7)


@pytest.fixture
def staged(tmp_path: Path) -> Callable[[Outcome], Outcome]:
    """The outcome with its data file written to a folder of its own, as a run leaves it."""

    def write(outcome: Outcome) -> Outcome:
        folder = tmp_path / "staged"
        folder.mkdir()
        file = folder / "clinic.csv"
        assert outcome.masked is not None
        outcome.masked.release.to_native().write_csv(file)
        return replace(outcome, staged=Staged(folder=folder, files=(file,)))

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
        before=measure_risks(original)[0],
        after=measure_risks(masked.release)[0],
        attacks=(
            AttackResult(name="distance", result=attack),
            AttackResult(
                name="swap_intersection", result=None, why_not="no column that the intruder knows was swapped"
            ),
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


RISK = {"reidentification": 1.0, "attribute_inference": 1.0}
LOSS = {"moments": 2.0, "squared_error": 1.0}
TRIED = ("rank swapping", "noise", "microaggregation")


def _point(number: int, strategy: str, bound: float, risks: tuple[str, ...]) -> Point:
    """Point 0 is the file as it is; of the others every seventh was stopped and every eleventh failed."""
    risk, loss = (
        (WeightedMeasure(name=name, weight=RISK[name]) for name in risks),
        (WeightedMeasure(name=n, weight=w) for n, w in LOSS.items()),
    )
    share = (number * 0.6180339887) % 1
    worst, lost = 0.8 * (1 - share) ** 2 + 0.1 * ((number * 0.41) % 1), 0.6 * share
    found = [Figure("loss", "moments", lost), Figure("loss", "squared_error", lost / 2)]
    found += [
        Figure("risk", "reidentification", worst, "distance"),
        Figure("risk", "reidentification", worst / 2, "transparency"),
    ]
    found += [Figure("risk", "attribute_inference", worst / 4, "naive_bayes of pay")][: len(risks) - 1]
    verdict = {
        "holds": worst <= bound,
        "model": "re-identification",
        "required": bound,
        "found": worst,
        "margin": bound - worst,
    }
    state = "failed" if number % 11 == 10 else "stopped" if number % 7 == 6 else "done"
    steps = () if number == 0 else ({"method": "rank_swap", "columns": ("pay",), "percent": number},)
    candidate = Candidate(strategy=strategy, steps=steps, values={"percent": number} if number else {})
    if state == "failed":
        why = "the column 'pay' is constant: leave it out"
        return Point(
            number=number, candidate=candidate, evaluation=Evaluation(state="failed", why=why), risk=None, loss=None
        )
    figures = tuple(found if state == "done" else found[:3])
    why = "stopped: another candidate that will do has less risk and less loss" if state == "stopped" else None
    evaluation = Evaluation(state=state, figures=figures, verdicts=(verdict,) if state == "done" else (), why=why)
    whole, lost = place_of(figures, risk, loss)
    by_all = {} if number else {"one_to_one": 0.85}
    return Point(number=number, candidate=candidate, evaluation=evaluation, risk=whole, loss=lost, attacked=by_all)


def _study(
    count: int = 40,
    *,
    names: tuple[str, ...] = TRIED,
    bound: float = 0.2,
    risks: tuple[str, ...] = tuple(RISK),
    **more: Any,
) -> Study:
    points = [
        _point(number, names[number % len(names)] if number else "as it is", bound, risks) for number in range(count)
    ]
    done = [point for point in points if point.done]
    prefer, at_most = more.pop("prefer", {"loss": 1.0}), more.pop("at_most", {})
    return Study(
        **{
            "title": "Pay",
            "points": tuple(points),
            "front": tuple(done[place].number for place in front([(one.risk, one.loss) for one in done])),  # type: ignore[misc]
            "chosen": next((one.number for one in rank_candidates(points, prefer=prefer, at_most=at_most)), None),
            "nearest": nearest_candidate(points, at_most=at_most),
            "risk": tuple(WeightedMeasure(name=name, weight=RISK[name]) for name in risks),
            "loss": tuple(WeightedMeasure(name=name, weight=weight) for name, weight in LOSS.items()),
            "attacks": ("distance", "transparency"),
            "required": {"reidentification": bound},
            "prefer": prefer,
            "at_most": at_most,
            "ended": "as many as were asked for",
            "notes": ("Made by hand.",),
            "plan_text": 'title = "Pay"\n',
            **more,
        }
    )


@pytest.fixture(scope="session")
def studied() -> Callable[..., Study]:
    """A study made by hand, with as many points as one likes."""
    return _study


@pytest.fixture(scope="session")
def contrast() -> str:
    return CONTRAST
