"""The bars of roles: identifiers by the default path, columns without a role, columns that are seen in life.

python bench/safety_roles.py [--quick]
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent
from safety_roles_files import LABELS, Labels, foreign_files

import tacit
from tacit.plan.job import run
from tacit.plan.load import load
from tacit.plan.original import original_of
from tacit.plan.outcome import Outcome
from tacit.plan.protection import protect_release
from tacit.release.suggest import safe_harbor, suggest

NUMBERS = (
    "pidnum patnum subjid usubjid SUBJECT encounter record hospnum patient_id mrn case_id person_id id ssn patient_nr uid pid"
).split()
NAMED = ("Patientenname", "ptname", "bearbeiter")
PEOPLE = [
    "Anderson, James",
    "Becker, Heike",
    "Garcia, Maria",
    "Novak, Eva",
    "Müller, Uwe",
    "Rossi, Paola",
    "Roux, Luc",
    "Lee, Ann",
]
ADULT = ROOT.parent / "shared" / "data" / "adult" / "adult.csv"


def visits(rows: int = 600) -> pl.DataFrame:
    """Visits of people: each with 17 numbers that nobody else has, and with names that recur."""
    drawn = random.Random(1)
    unique = {name: drawn.sample(range(10_000, 990_000), rows) for name in NUMBERS}
    names = {name: [*PEOPLE, *drawn.choices(PEOPLE, k=rows - len(PEOPLE))] for name in NAMED}
    keys = {"sex": drawn.choices("fm", k=rows), "age": [drawn.randint(20, 99) for _ in range(rows)]}
    days = [f"{drawn.randint(1, 28)}-{drawn.choice(['Mar', 'Oct'])}-20{drawn.randint(10, 23)}" for _ in range(rows)]
    return pl.DataFrame({**unique, **names, **keys, "date_of_death": days})


def starter_plan(file: Path, **options: object) -> Path:
    """The starter plan of a file, unedited."""
    release = tacit.read(file)
    plan = file.with_suffix(".toml")
    plan.write_text(suggest(release).plan_text(file.name, **options), encoding="utf-8")  # type: ignore[arg-type]
    return plan


def released(plan: Path) -> pl.DataFrame:
    """What a plan releases, without the attacks on it."""
    loaded = load(plan)
    return protect_release(loaded, original_of(loaded), 1, None).to_native()


def published(before: pl.DataFrame, after: pl.DataFrame, columns: object) -> int:
    """How many of the columns leave with half of their values or more."""
    there = [name for name in columns if name in after.columns]  # type: ignore[attr-defined]
    return sum(after[name].cast(pl.String).is_in(before[name].cast(pl.String).implode()).mean() > 0.5 for name in there)


def bars(bars: Bars) -> None:
    """All of them."""
    with tempfile.TemporaryDirectory() as folder:
        _identifiers(bars, Path(folder))
        _seen_in_life(bars, Path(folder))
        _jointly(bars)
        _foreign(bars, Path(folder))


def _identifiers(bars: Bars, folder: Path) -> None:
    frame, file = visits(), folder / "visits.csv"
    frame.write_csv(file)
    public = released(starter_plan(file))
    bars.at_most("A3 unique numbers published by default, of 17 names", published(frame, public, NUMBERS), 0, before=8)
    bars.at_most(
        "A3 columns of people's names published by default, of 3",
        published(frame, public, NAMED),
        0,
        at_scale=True,
        before=3,
    )
    release = tacit.read(file)
    harbor = safe_harbor(release)
    missed = {*NUMBERS, *NAMED, "age", "date_of_death"} - {one.column for one in harbor.findings}
    bars.at_most("S14 identifiers, ages and days that Safe Harbor misses, of 22", len(missed), 0, before=12)
    bars.at_most("S14 ages above 90 in a plan of --safe-harbor", _old_ages(frame, folder / "ages.csv"), 0, before=36)
    bars.true("A3 a plan without roles for identifiers is reported", _reported(folder), before=False)


def _old_ages(frame: pl.DataFrame, file: Path) -> int:
    """Released cells that tell an age above 90 apart from one of 90."""
    frame.select("sex", "age").write_csv(file)
    try:
        plan = starter_plan(file, harbor=safe_harbor(tacit.read(file)))
    except TypeError:  # plans did not take the check
        plan = starter_plan(file)
    return sum(int(label[1:].split(",")[0]) > 90 for label in released(plan)["age"].drop_nulls())


def _reported(folder: Path) -> bool:
    plan = folder / "by_hand.toml"
    roles = (
        '[data]\npath = "visits.csv"\n[roles]\nquasi = ["sex"]\n[require]\nk_anonymity = 2\nreidentification = 0.2\n'
    )
    plan.write_text(roles, encoding="utf-8")
    outcome = run(load(plan), seed=1, out=folder / "by_hand")
    named = {gap.columns[0] for gap in getattr(outcome, "gaps", ()) if gap.code == "identifier_released"}
    return {*NUMBERS, *NAMED} <= named and _state(outcome) == "not_covered"


def _seen_in_life(bars: Bars, folder: Path) -> None:
    name = "A6 Adult: records unique for somebody who sees race"
    if not ADULT.exists():
        bars.skipped(name, "the file of Adult is not there")
        return
    file = folder / "adult.csv"
    text = ADULT.read_text(encoding="utf-8")
    file.write_text(text.replace(";", ","), encoding="utf-8")
    plan = starter_plan(file)
    public, quasi = released(plan), [*load(plan).plan.roles.quasi]
    keys = list(dict.fromkeys([*quasi, "race"]))
    alone = public.group_by(keys).len().filter(pl.col("len") == 1).height
    bars.at_most(name, alone, 0, before=1679)


def _jointly(bars: Bars) -> None:
    columns = 50 if bars.quick else 200
    name = f"A2 CPU seconds for {columns} columns together"
    if not hasattr(tacit.risk, "joint_uniqueness"):
        bars.skipped(name, "there is no joint uniqueness")
        return
    rows = 20_000 if bars.quick else 1_000_000
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"sex": rng.integers(0, 2, rows), **{f"g{j}": rng.integers(0, 3 + j % 4, rows) for j in range(columns - 1)}}
    )
    release = tacit.Release(frame, quasi="sex")
    seconds, found = spent(lambda: tacit.risk.joint_uniqueness(release))
    bars.at_most(f"{name}, {rows:,} records", seconds, 60.0)
    bars.true(
        "A2 all of them single everybody out, none alone", found.share_joint == 1.0 and found.share_quasi_alone == 0.0
    )
    counted = frame.group_by("sex", *found.smallest_sets[0].columns).len().filter(pl.col("len") == 1).height / rows
    bars.at_most("A2 error of the share of the smallest set", abs(counted - found.smallest_sets[0].share), 0.0)


def _foreign(bars: Bars, folder: Path) -> None:
    names = ("green verdicts on unsafe files", "columns taken for identifiers that are none")
    if bars.quick:
        for name in names:
            bars.skipped(f"A3 foreign files: {name}", "full run only")
        return
    files = foreign_files()
    if len(files) < len(LABELS):
        for name in names:
            bars.skipped(f"A3 foreign files: {name}", f"{len(LABELS) - len(files)} files cannot be fetched")
        return
    green, unsafe, alarms, undropped = 0, 0, 0, 0
    for name, file in files.items():
        started = time.monotonic()
        here = folder / f"{file.stem}.csv"
        whole = tacit.read(file)
        suggested = suggest(whole, largest=1)
        chosen = {one.column for one in suggested.columns if one.role == "identifier"}
        alarms += len(chosen - {*LABELS[name].identifiers})
        undropped += len({*LABELS[name].identifiers} - chosen)
        if not LABELS[name].quasi:
            continue
        whole.to_native().head(RECORDS).write_csv(here)
        outcome = run(load(starter_plan(here)), seed=1, out=folder / f"{name}.out")
        bad = _unsafe(outcome, LABELS[name])
        unsafe += bad
        green += bad and _state(outcome) == "met"
        print(f"  {name}: {_state(outcome)}{', unsafe' if bad else ''}, {time.monotonic() - started:.0f} s", flush=True)
    bars.at_most(f"A3 foreign files: green verdicts on {unsafe} unsafe of 14", int(green), 0, before=11)
    bars.at_most("A3 foreign files: identifiers that are not dropped, of 9", undropped, 0, before=2)
    bars.at_most("A3 foreign files: columns taken for identifiers that are none", alarms, 2, before=4)


RECORDS = 300
"""Of each foreign file so many are released, so that all attacks on all files are made within two minutes."""


def _unsafe(outcome: Outcome, labels: Labels) -> bool:
    """Whether what is released is not 5-anonymous on the quasi-identifiers of the labels, or has a direct identifier."""
    assert outcome.masked is not None
    public = outcome.masked.release
    keys = [name for name in labels.quasi if name in public.columns]
    smallest = tacit.risk.k_anonymity(
        public.with_metadata(roles={**dict.fromkeys(public.columns, "other"), **dict.fromkeys(keys, "quasi")})
    )
    return smallest.value < 5 or any(name in public.columns for name in labels.identifiers)


def _state(outcome: Outcome) -> str:
    """The state of a job; before there were three, what holds was green."""
    return str(getattr(outcome, "state", "met" if outcome.holds else "not_met"))


if __name__ == "__main__":
    every = Bars("safety_roles", __doc__ or "")
    bars(every)
    every.end()
