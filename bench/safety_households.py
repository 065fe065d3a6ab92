"""Households: what an intruder finds who knows who lives with whom, by a script that uses no attack of the package.

The files are those of the first version's findings, released with the household number kept; then the demo as it is now.
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import polars as pl
from bars import ROOT, Bars
from household_intruder import HouseholdIntruder, intrude_households

from tacit.plan import load
from tacit.plan.example_files import write_example
from tacit.plan.job import run
from tacit.plan.outcome import Outcome

DATA = ROOT.parent / "shared" / "data" / "testdata.csv"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"]
CLINIC = ["zip", "birth", "sex", "occupation"]
KEPT = """
[require]
k_anonymity = 5
reidentification = 0.05

[[protect]]
method = "generalise"
levels = { zip = 2, birth = 3, occupation = 2 }

[[protect]]
method = "suppress_cells"
k = 7
"""
SURVEY = """
[data]
path = "{path}"

[roles]
quasi = {keys}
confidential = ["income", "expend", "savings"]
unrestricted = ["hhcivil", "household_weights"]
weight = "sampling_weight"
household = "ori_hid"
{keep}
[kinds]
urbrur = "ordinal"
roof = "ordinal"
walls = "ordinal"
water = "ordinal"
electcon = "ordinal"
relat = "ordinal"
sex = "ordinal"
age = "continuous"

[hierarchies]
roof = {{ intervals = [2, 4, 8] }}
walls = {{ intervals = [2, 4, 8] }}
water = {{ intervals = [2, 4, 8] }}
relat = {{ intervals = [2, 4, 8] }}
age = {{ intervals = [5, 10, 20, 40] }}

[require]
k_anonymity = 3

[[protect]]
method = "anonymise"
"""


def clinic_kept(folder: Path, rows: int) -> Outcome:
    """The register as the first version released it, the household number kept."""
    write_example("clinic", folder, rows=rows, seed=0)
    text = (folder / "plan.toml").read_text(encoding="utf-8")
    head = text[: text.index("[require]")].replace("keep_household = false", "keep_household = true")
    (folder / "kept.toml").write_text(head + KEPT, encoding="utf-8")
    return run(load(folder / "kept.toml"), seed=1, out=folder / "out")


def survey_kept(folder: Path) -> Outcome:
    """The household survey under k = 3 as anonymise provides it, the household number kept."""
    text = SURVEY.format(path=DATA, keys=KEYS, keep="keep_household = true\n").replace("'", '"')
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return run(load(folder / "plan.toml"), seed=1, out=folder / "out")


def independent(outcome: Outcome, source: Path, columns: list[str], household: str, folder: Path) -> HouseholdIntruder:
    """What the script finds in the file as it was written."""
    groups: dict[str, dict[str, set[str]]] = {}
    for path in folder.glob("*.hierarchy.csv"):
        names: dict[str, set[str]] = groups.setdefault(path.name.split(".")[0], {})
        with path.open(encoding="utf-8") as lines:
            for value, *labels in csv.reader(lines, delimiter=";"):
                for label in labels:
                    names.setdefault(label, set()).add(value)
    original = pl.read_csv(source, infer_schema_length=0 if groups else 100)
    released = pl.read_csv(outcome.staged.files[0], infer_schema_length=0)
    return intrude_households(
        original, released, outcome.masked.rows(), columns=columns, household=household, groups=groups
    )


def household_result(outcome: Outcome):
    """What the package's attack finds; None where it was not run."""
    return next((one.result for one in outcome.attacks if one.name == "household"), None)


def _compare(bars: Bars, name: str, outcome: Outcome, script: HouseholdIntruder, *, before: str) -> None:
    found = household_result(outcome)
    bars.stated(f"A1 {name}: found for certain by the script", script.certain)
    bars.true(f"A1 {name}: every household with one candidate right", script.single_households == script.single_right)
    apart = abs(found.value - script.expected)
    bars.at_most(
        f"A1 {name}: attack against the script, expected", apart, 0.01, script=script.expected, attack=found.value
    )
    apart = abs(float(found.facts["sure links"]) - script.certain)
    bars.at_most(f"A1 {name}: attack against the script, certain", apart, 0.01, before=before)
    worst = max(one.result.worst_case for one in outcome.attacks if one.result is not None)
    bars.at_least(f"A1 {name}: worst attack of the verdict", worst, script.expected)


def bars(bars: Bars) -> None:
    """All bars of households."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = 800 if bars.quick else 4000
        outcome = clinic_kept(folder, rows)
        script = independent(outcome, folder / "clinic.csv", CLINIC, "household", folder)
        _compare(bars, f"clinic of {rows}", outcome, script, before="no attack: verdict 4.7 %, script 52 %")
    if bars.quick:
        bars.skipped("A1 survey of IHSN", "full run only")
        bars.skipped("A1 the demo", "full run only")
        return
    if DATA.exists():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            outcome = survey_kept(folder)
            script = independent(outcome, DATA, KEYS, "ori_hid", folder)
            _compare(bars, "survey of IHSN", outcome, script, before="no attack: verdict 25 %, script 87 %")
    else:
        bars.skipped("A1 survey of IHSN", "the reference data are not beside the project")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_example("clinic", folder, rows=4000, seed=0)
        outcome = run(load(folder / "plan.toml"), seed=1, out=folder / "out")
        worst = max(one.result.worst_case for one in outcome.attacks if one.result is not None)
        bars.at_most("A1 the demo: worst attack, upper end", worst, 0.05, before=0.657)
        bars.true("A1 the demo: met, and no gap", outcome.state == "met", gaps=[gap.code for gap in outcome.gaps])
        there = "household" in pl.read_csv(outcome.staged.files[0]).columns
        bars.true("A1 the demo: household number not released", not there, before="released")


if __name__ == "__main__":
    measured = Bars("safety_households", __doc__ or "")
    bars(measured)
    measured.end()
