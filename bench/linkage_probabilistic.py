"""The bars of probabilistic linkage: exact counts over all pairs, estimation that notices nonsense, Splink beside."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, child_cpu, spent

from tacit import Release
from tacit.attack import Distance, Probabilistic
from tacit.attack.fellegi_sunter.comparison import Files
from tacit.attack.fellegi_sunter.em import run_em
from tacit.attack.fellegi_sunter.estimate import estimate_model, initial_model
from tacit.attack.fellegi_sunter.patterns import by_class, by_pair, count_patterns
from tacit.attack.probabilistic import prepare_files
from tacit.claims import Scenario, Truth, judge
from tacit.protect import RankSwap

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"
OWN = ROOT / ".venv-splink"
"""Splink's own environment; TACIT_SPLINK names another one."""
SIZES = (2, 12, 31, 80, 50, 5, 100, 300)


def bars(bars: Bars) -> None:
    """All bars of this part."""
    by_class(files(*planted(500, 8)))
    by_pair(files(*planted(500, 8)))
    counting(bars, bars.size(100_000, quick=20_000, smoke=2000))
    recovered(bars, 20_000)
    if DATA.is_dir():
        eia(bars)
        swapped(bars)
    else:
        bars.skipped("probabilistic: EIA and Census", ABSENT)
    beside_splink(bars)


def released(table: pl.DataFrame) -> Release:
    return Release(table, quasi=table.columns, missing="any")


def files(theirs: Release, mine: Release) -> Files:
    return prepare_files(theirs, mine, near=(), partial={}, block=())[0]


def planted(people: int, columns: int, error: float = 0.1) -> tuple[Release, Release]:
    """Independent columns; a tenth of the cells of the second file is drawn anew."""
    rng = np.random.default_rng(0)
    sides: list[dict[str, np.ndarray]] = [{}, {}]
    for place, size in enumerate(SIZES[:columns]):
        values = rng.integers(0, size, people)
        sides[0][f"c{place}"] = values.astype(str)
        sides[1][f"c{place}"] = np.where(rng.random(people) < error, rng.integers(0, size, people), values).astype(str)
    return released(pl.DataFrame(sides[0])), released(pl.DataFrame(sides[1]))


def counting(bars: Bars, people: int) -> None:
    """CPU seconds of the counts of all patterns over all pairs, eight columns."""
    side = files(*planted(people, 8))
    seconds, found = spent(lambda: by_class(side))
    bars.true(f"patterns, {people:.0e} squared: pairs are all there", int(found.counts.sum()) == people**2)
    bars.at_most(
        f"patterns, {people:.0e} x {people:.0e} x 8: CPU seconds",
        seconds,
        5.0,
        at_scale=True,
        patterns=len(found.counts),
    )


def recovered(bars: Bars, people: int) -> None:
    """How far the estimates lie from what was planted in independent columns."""
    side = files(*planted(people, 8))
    seconds, (model, _) = spent(lambda: estimate_model(side, count_patterns(side), estimate="em"))
    apart = max(abs(m[-1] - (0.9 + 0.1 / size)) for m, size in zip(model.m, SIZES, strict=True))
    bars.at_most("EM, independent columns: farthest m from the planted", float(apart), 0.02, seconds=round(seconds, 2))
    bars.at_most("EM: |matches / people - 1|", abs(model.prior * people - 1), 0.02, steps=model.steps)


def eia(bars: Bars) -> None:
    """Exact counts against all pairs, and the nonsense of EM on columns that depend on each other."""
    table = pl.read_csv(DATA / "eia.csv")[:, 5:]
    rng = np.random.default_rng(0)
    changed = table.with_columns(
        pl.Series(name, np.where(rng.random(len(table)) < 0.1, rng.permutation(table[name]), table[name]))
        for name in table.columns
    )
    side = files(released(table), released(changed))
    seconds, counted = spent(lambda: by_class(side))
    slow, every = spent(lambda: by_pair(side))
    same = bool((counted.levels == every.levels).all() and (counted.counts == every.counts).all())
    bars.true(
        "patterns, EIA 4092 x 4092 x 10: equal to all pairs", same, seconds=round(seconds, 3), pairs=round(slow, 3)
    )
    plain = run_em(counted, initial_model(side, counted, prior=1 / 4092, estimate="em"))
    bars.stated("EM on EIA: matches found for 4 092 records", round(plain.prior * counted.pairs))
    model, notes = estimate_model(side, counted, estimate="em")
    bars.true("EM on EIA: noticed, said, replaced", model.estimate != "em" and "implausible" in notes[0], notes=notes)
    apart = abs(float(np.mean([m[-1] for m in model.m])) - 0.9)
    bars.at_most("its replacement on EIA: |mean m - planted|", apart, 0.05, estimate=model.estimate)


def swapped(bars: Bars) -> None:
    """People found on rank-swapped Census, five columns known, p = 6: beside distance, and with known pairs."""
    table = pl.read_csv(DATA / "census.csv")
    table = table.select(name for name in table.columns if table[name].dtype.is_numeric())
    original = Release(table, quasi=table.columns, kinds=dict.fromkeys(table.columns, "continuous"))
    masked = original.protect(RankSwap(columns=table.columns, percent=6), seed=1).release
    scenario, truth = Scenario.worst_case(original, knows=table.columns[:5]), Truth.by_lineage(None, original.size)
    pairs = [(row, row) for row in range(0, original.size, 10)]
    known = Probabilistic(estimate="known", known=pairs)
    found = {
        name: judge(attack.claims(masked, scenario), truth).value
        for name, attack in {"distance": Distance(), "probabilistic": Probabilistic(), "known": known}.items()
    }
    bars.at_least("Census swapped, p = 6: found / found by distance", found["probabilistic"] / found["distance"], 1.0)
    bars.at_least(
        "Census swapped, p = 6: found / with known pairs", found["probabilistic"] / found["known"], 0.9, **found
    )


def beside_splink(bars: Bars) -> None:
    """The same parameters, and the speed, with Splink in an environment of its own."""
    python = Path(os.environ.get("TACIT_SPLINK", OWN)) / "bin" / "python"
    if not python.exists():
        if bars.quick:
            bars.skipped("Splink", "its environment is made in a full run")
            return
        child_cpu([sys.executable, "-m", "venv", str(OWN)])
        python = OWN / "bin" / "python"
        child_cpu([str(python), "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), "splink"])
    agreed(bars, python, 1000)
    if not bars.quick:
        faster(bars, python, 10_000)


def agreed(bars: Bars, python: Path, people: int) -> None:
    """The farthest parameter from Splink's, trained on all pairs."""
    theirs, mine = planted(people, 5)
    side = files(theirs, mine)
    counted = count_patterns(side)
    start = initial_model(side, counted, prior=1 / people, estimate="em")
    ours, (splink, _) = run_em(counted, start), by_splink(python, theirs, mine, start)
    apart = max(
        abs(float(ours.m[c][level]) - splink["m"][c][level]) + abs(float(ours.u[c][level]) - splink["u"][c][level])
        for c in range(5)
        for level in range(2)
    )
    bars.at_most(f"Splink on all {people:.0e} squared pairs: farthest parameter", apart, 5e-4)
    bars.at_most("Splink: |matches - ours|", abs(splink["prior"] - ours.prior) * people**2, 0.5)


def faster(bars: Bars, python: Path, people: int) -> None:
    """Splink's CPU seconds over ours, both training on all pairs; 25 of Splink's steps, all of ours."""
    theirs, mine = planted(people, 5)
    seconds, _ = spent(lambda: estimate_model(files(theirs, mine), count_patterns(files(theirs, mine)), estimate="em"))
    side = files(theirs, mine)
    start = initial_model(side, count_patterns(side), prior=1 / people, estimate="em")
    _, other = by_splink(python, theirs, mine, start, steps=25)
    bars.at_least(
        f"Splink / ours, EM on all {people:.0e} squared pairs",
        other / seconds,
        10.0,
        ours=round(seconds, 2),
        splink=other,
    )


def by_splink(
    python: Path, theirs: Release, mine: Release, start: Any, steps: int = 500
) -> tuple[dict[str, Any], float]:
    """Splink's parameters and the CPU seconds of its process, without those of starting it."""
    script = Path(__file__).with_name("linkage_splink.py")
    columns = list(theirs.columns)
    given = {
        "columns": columns,
        "release": {name: theirs.series(name).to_list() for name in columns},
        "intruder": {name: mine.series(name).to_list() for name in columns},
        "m": [one.tolist() for one in start.m],
        "u": [one.tolist() for one in start.u],
        "prior": start.prior,
        "steps": steps,
    }
    _, done = child_cpu([str(python), str(script)], input=json.dumps(given))
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found = json.loads(done.stdout.splitlines()[-1])
    return found, float(found["seconds"])
