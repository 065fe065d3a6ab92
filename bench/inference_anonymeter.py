"""The bars beside Anonymeter: inference, linkability and singling out on the same files in one run."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, child_cpu, spent

from tacit import Release
from tacit.attack import bridge, infer, singling_out
from tacit.release.read import read
from tacit.result import Result

DATA = ROOT.parent / "shared" / "data" / "adult" / "adult.csv"
OWN = ROOT / ".venv-anonymeter"
"""Anonymeter's own environment: it pins an older NumPy; TACIT_ANONYMETER names another one."""
VERSION = "1.1.0"
KNOWS = ["age", "sex", "race", "education", "marital-status", "native-country", "workclass"]
COLUMN = "occupation"
LEFT, RIGHT = KNOWS[:4], [*KNOWS[4:], COLUMN, "salary-class"]
CHANGED = {"copy": 0.0, "a fifth": 0.2, "half": 0.5, "all": 1.0}
"""Release → the share of the cells of each column that are dealt out anew among the records."""
PEOPLE, PREDICATES = 5000, 500
RISKS = ("inference", "linkability", "singling out")


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if not DATA.exists():
        bars.skipped("Anonymeter", "the reference data are not beside the project")
        return
    if bars.quick:
        bars.skipped("Anonymeter", "it takes some minutes, and an environment that a full run makes")
        return
    python = Path(os.environ.get("TACIT_ANONYMETER", OWN)) / "bin" / "python"
    if not python.exists():
        child_cpu([sys.executable, "-m", "venv", str(OWN)])
        python = OWN / "bin" / "python"
        child_cpu([str(python), "-m", "pip", "install", "-q", f"anonymeter=={VERSION}"])
    people, control, releases = files(PEOPLE)
    theirs = by_anonymeter(python, people, control, releases)
    ours = {name: by_us(people, control, release) for name, release in releases.items()}
    for risk in RISKS:
        compared(bars, risk, theirs, ours)


def files(size: int) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, pl.DataFrame]]:
    """People, as many others, and releases of the people that were changed more and more."""
    whole = read(DATA, missing="own").to_native()
    rng = np.random.default_rng(1)
    order = rng.permutation(whole.height)
    people, control = whole[order[:size].tolist()], whole[order[size : 2 * size].tolist()]
    return people, control, {name: changed(people, share, rng) for name, share in CHANGED.items()}


def changed(people: pl.DataFrame, share: float, rng: np.random.Generator) -> pl.DataFrame:
    columns = []
    for column in people.columns:
        rows = np.arange(people.height)
        moved = np.flatnonzero(rng.random(people.height) < share)
        rows[moved] = rng.permutation(moved)
        columns.append(people[column].gather(rows))
    return pl.DataFrame(columns)


def by_anonymeter(
    python: Path, people: pl.DataFrame, control: pl.DataFrame, releases: dict[str, pl.DataFrame]
) -> dict[str, Any]:
    """Everybody is attacked, as we do, and as many predicates are stated."""
    asked = {"knows": KNOWS, "column": COLUMN, "left": LEFT, "right": RIGHT, "predicates": PREDICATES}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        people.write_csv(place / "people.csv")
        control.write_csv(place / "control.csv")
        for name, release in releases.items():
            release.write_csv(place / f"release-{name}.csv")
        (place / "asked.json").write_text(json.dumps(asked))
        _, done = child_cpu([str(python), str(Path(__file__).with_name("inference_peer.py")), folder])
    if done.returncode:
        raise RuntimeError(f"Anonymeter did not run: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def by_us(people: pl.DataFrame, control: pl.DataFrame, release: pl.DataFrame) -> dict[str, Any]:
    roles: dict[str, Any] = {"quasi": KNOWS, "confidential": COLUMN, "kinds": {"age": "continuous"}, "missing": "own"}
    original, others, released = (Release(table, **roles) for table in (people, control, release))
    lineage = np.arange(original.size)
    calls: dict[str, Callable[[], Result]] = {
        "inference": lambda: infer(
            released, original=original, lineage=lineage, attack="lookup", control=others, seed=1
        )[COLUMN],
        "linkability": lambda: bridge(released, original=original, left=LEFT, right=RIGHT, control=others, seed=1),
        "singling out": lambda: singling_out(
            released, original=original, control=others, attempts=original.size, seed=1
        ),
    }
    found = {}
    for risk, call in calls.items():
        call()
        seconds, result = spent(call)
        name = next(name for name in ("above the control", "above control") if name in result.facts)
        found[risk] = {"risk": float(str(result.facts[name])), "seconds": seconds}
    return found


def compared(bars: Bars, risk: str, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """The same order where Anonymeter tells two files apart, and less time."""
    pairs = list(told_apart(risk, theirs))
    turned = sum(ours[first][risk]["risk"] <= ours[second][risk]["risk"] for first, second in pairs)
    listed = {
        side: {name: round(found[risk]["risk"], 4) for name, found in one.items()}
        for side, one in (("ours", ours), ("anonymeter", theirs))
    }
    bars.at_most(f"{risk}: pairs of files in another order", turned, 0, pairs=len(pairs), **listed)
    seconds = {
        side: sum(found[risk]["seconds"] for found in one.values())
        for side, one in (("ours", ours), ("anonymeter", theirs))
    }
    bars.at_least(
        f"{risk}: Anonymeter / ours, CPU", seconds["anonymeter"] / seconds["ours"], 1.0, at_scale=True, seconds=seconds
    )


def told_apart(risk: str, theirs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of files, the riskier one first, whose intervals do not touch."""
    for pair in combinations(theirs, 2):
        first, second = sorted(pair, key=lambda name: -theirs[name][risk]["risk"])
        if theirs[first][risk]["interval"][0] > theirs[second][risk]["interval"][1]:
            yield first, second
