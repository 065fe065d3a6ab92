"""The bars of D1 and D3: jobs with a guarantee, rare values in synthetic files, decoys of blocking, values in integral privacy.

    python bench/safety_synthetic.py [--quick]

Each bar runs the attack of the finding and says what it reads.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from bars import Bars

from tacit import Release, TacitError
from tacit.models.integral import IntegralPrivacy, Moments, enumerate_models
from tacit.plan import from_text, run
from tacit.protect import SynthMarginals, SynthNetwork
from tacit.protect.rules import Baskets, Block, SlidingWindow, hide
from tacit.report import publish

HOSTILE = ("37.5", "unknown", "2020-01-01", "inf", "9" * 23, "", "NaN", "007")
PLAN = """\
[data]
path = "people.csv"
[roles]
quasi = ["sex"]
confidential = ["job"]
[require]
k_anonymity = 1
[[protect]]
method = "{method}"
epsilon = 1
delta = 1e-6
categories = {{ sex = ["F", "M"], job = ["a", "b", "c"] }}
bounds = {{ age = [0, 100] }}
rows = 97
"""
"""The rows are declared: a noisy number of them, which the guarantee covers, may be that of the original by chance."""


def released(folder: Path, method: str, added: str | None) -> tuple[str, str]:
    """What is seen of a run but noise: how it ended and of which form the ages are; and the text of the public page."""
    lines = [f"{'FM'[i % 2]},{20 + i % 60},{'abc'[i % 3]}" for i in range(211)]
    more = [] if added is None else [f"F,{added},a"]
    (folder / "people.csv").write_text("\n".join(["sex,age,job", *lines, *more]) + "\n")
    try:
        outcome = run(from_text(PLAN.format(method=method), folder=folder, name="plan.toml"), out=folder / "out")
    except TacitError:
        return "failed", ""
    ages = outcome.masked.to_native()["age"]
    publish(outcome, folder / "out")
    page = next((folder / "out").rglob("public/report.html")).read_text()
    return str(ages.dtype), re.sub(r"<style.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)


def distinguished(methods: tuple[str, ...], lines: tuple[str, ...]) -> tuple[int, int]:
    """How many neighbours are told with certainty by type or failure; how many public pages state the size of the original."""
    told = sizes = 0
    for method in methods:
        with tempfile.TemporaryDirectory() as place:
            usual, page = released(Path(place), method, None)
            sizes += bool(re.search(r"\b211\b", page))
            told += sum(released(Path(place), method, line)[0] != usual for line in lines)
    return told, sizes


def planted() -> Release:
    """A thousand people, one of whom is the only astronaut with fifty times the next pay."""
    rng = np.random.default_rng(5)
    job, pay = rng.choice(["clerk", "nurse", "smith"], 1000), np.round(rng.uniform(1e4, 200_700, 1000))
    job[17], pay[17] = "Astronaut", 9_876_500
    frame = pl.DataFrame({"job": job.astype(str).tolist(), "pay": pay})
    return Release(frame, quasi="job", confidential="pay", kinds={"pay": "continuous"})


def outliers_read() -> int:
    """Of eight (pay and job, two generators, two seeds): how many are read off the file, the pay within 5 %."""
    file, found = planted(), 0
    for method in (SynthNetwork(degree=1, rows=20_000), SynthMarginals(rows=20_000)):
        for seed in (1, 2):
            made = file.protect(method, seed=seed).to_native()
            found += abs(made["pay"].max() / 9_876_500 - 1) < 0.05
            found += "Astronaut" in set(made["job"])
    return found


def marks_told() -> float:
    """The share of marks that are called rightly real or decoy by the partner item, over five draws of a shop."""
    right = marks = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        held = rng.random((600, 4)) < [0.5, 0.35, 0.35, 0.3]
        held[:, 2] |= held[:, 1] & (rng.random(600) < 0.3)
        names = ("bread", "beer", "wipes", "tea")
        before = Baskets.of([[name for name, there in zip(names, row, strict=True) if there] for row in held])
        after = hide(before, "beer, wipes", minsup=60, margin=0.1, method=Block(by=SlidingWindow()), seed=7).baskets
        for old, new in zip(before.item_lists(), after.item_lists(), strict=True):
            for mark in (one for one in new if one.startswith("?")):
                partner = "wipes" if mark == "?beer" else "beer"
                right += (partner in new or f"?{partner}" in new) == (mark[1:] in old)
                marks += 1
    return right / marks


def homogeneous_models() -> int:
    """Models of which every generator has a 402, held by two people, and that are called private all the same."""
    pay = Release(pl.DataFrame({"pay": [9.0, 10.0, 11.0, 12.0, 402.0, 402.0]}))
    found = enumerate_models(pay, Moments(on="pay", grid={"pay": 10}), sizes=2).candidates
    homogeneous = (one for one in found if one.generators.matrix()[:, -2:].any(axis=1).all() and one.common == 0)
    return sum(bool(IntegralPrivacy(k=5).holds(one)) for one in homogeneous)


def bars(bars: Bars) -> None:
    """One line a finding."""
    methods, lines = (("dp_marginals",), HOSTILE[:2]) if bars.quick else (("dp_marginals", "dp_network"), HOSTILE)
    told, sizes = distinguished(methods, lines)
    bars.at_most(f"B1 neighbours told by type or failure, of {len(methods) * len(lines)}", told, 0, before=BEFORE["B1"])
    bars.at_most("B2 public pages that state the size of the original", sizes, 0, before=BEFORE["B2"])
    bars.at_most("B4 planted values read off synthetic files, of 8", outliers_read(), 0, before=BEFORE["B4"])
    bars.at_most("B6 marks told from decoys by the partner item", marks_told(), 0.55, before=BEFORE["B6"])
    bars.at_most("B7 homogeneous models called private", homogeneous_models(), 0, before=BEFORE["B7"])


BEFORE = {"B1": 12, "B2": 2, "B4": 4, "B6": 0.85, "B7": 1}
"""What the same attacks read before, in a full run."""

if __name__ == "__main__":
    every = Bars("safety_synthetic", __doc__ or "")
    bars(every)
    every.end()
