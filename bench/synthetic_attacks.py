"""Attacks on synthetic files, on Adult: a generator that copies is caught by each, one that ignores the data is at the baseline."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from bars import ROOT, Bars, spent

if TYPE_CHECKING:
    from tacit import Release
    from tacit.release.masked import Masked

DATA = ROOT.parent / "shared" / "data" / "adult" / "adult.csv"
QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
CHANCE = 3.9
"""Standard deviations beyond which chance goes once in 10⁴."""
PLAN = """\
[data]
path = "adult.csv"
[roles]
quasi = {quasi}
confidential = ["salary-class"]
[kinds]
age = "continuous"
[synth]
holdout = 0.3
[[protect]]
method = "synth_trees"
leaf = 5
[require]
copies = 1
[output]
directory = "{out}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Give back records of ``other`` people, or of the training data where there are none."""

    other: Any = field(default=None, repr=False)

    def apply(self, release: Release, *, seed: Any = None, progress: Any = None) -> Masked:  # noqa: ARG002
        """As many records as there are, drawn with replacement."""
        from tacit.release.masked import Masked
        from tacit.seed import make_generator

        source = release if self.other is None else self.other.select(release.columns)
        drawn = source.take(make_generator(seed).integers(0, source.size, release.size))
        return Masked(drawn, (), np.full(release.size, -1))


def bars(bars: Bars) -> None:
    """The bars of this part."""
    if not DATA.is_file():
        bars.skipped("attacks on synthetic files", "the reference data are not beside the project")
        return
    size = 2000 if bars.quick else 10_000
    trained, held, fresh = _thirds(size)
    for name, program in (("copies", Bootstrap()), ("ignores", Bootstrap(other=fresh))):
        made = trained.protect(program, seed=3)
        seconds, _ = spent(
            lambda name=name, made=made, program=program: _attacked(bars, name, made, program, trained, held)
        )
        bars.stated(f"all attacks on a generator that {name}, {size} + {size} people: CPU s", seconds)
    if bars.quick:
        bars.skipped("the whole job on Adult", "it takes longer")
        return
    _job(bars)


def _thirds(size: int) -> tuple[Release, ...]:
    """Three disjoint random parts of Adult."""
    import tacit

    kinds = {"age": "continuous"}
    everybody = tacit.read(DATA, quasi=QUASI, confidential="salary-class", kinds=kinds, missing="own")
    order = np.random.default_rng(1).permutation(everybody.size)
    return tuple(everybody.take(order[place * size : (place + 1) * size]) for place in range(3))


def _attacked(bars: Bars, name: str, made: Masked, program: Bootstrap, trained: Release, held: Release) -> None:
    leaks = name == "copies"
    sides = {"original": trained, "control": held}
    _members(bars, name, made, program, sides)
    _shares(bars, name, made, sides)
    from tacit.attack import closest_record

    p = float(str(closest_record(made, **sides).facts["p"]))
    (bars.at_most if leaks else bars.at_least)(f"{name}: closest record, p", p, 1e-6 if leaks else 1e-4)


def _members(bars: Bars, name: str, made: Masked, program: Bootstrap, sides: dict[str, Release]) -> None:
    """The areas under the ROC curves; by chance one half within 3.9 standard deviations of a Mann–Whitney statistic."""
    from tacit.attack import Membership, ShadowGenerators, membership_risk

    knows, held = tuple(sides["original"].columns), sides["control"]
    n, m = sides["original"].size, held.size
    reach = CHANCE * sqrt((n + m + 1) / (12 * n * m))
    half = np.random.default_rng(2).permutation(m)
    population, others = held.take(half[: m // 2]), held.take(half[m // 2 :])
    attacks: dict[str, dict[str, Any]] = {
        "distance": {"attack": Membership()},
        "density": {"attack": Membership(by="density"), "population": population, "control": others},
        "shadow generators": {"attack": ShadowGenerators(count=8), "program": program},
    }
    for attack, more in attacks.items():
        found = membership_risk(made, **{**sides, "knows": knows, "seed": 5, **more})
        worst = found.facts["worst 1 %, 95 % interval"]
        if name == "copies":
            bars.at_least(f"copies: membership by {attack}, area above chance", found.value - 0.5, reach, worst=worst)
            bars.at_least(f"copies: worst 1 % by {attack}, lower end", float(worst[0]), 0.5)
        else:
            wide = reach * (sqrt(1.5) if attack == "density" else 1.0)
            bars.at_most(
                f"ignores: membership by {attack}, area from chance", abs(found.value - 0.5), wide, worst=worst
            )


def _shares(bars: Bars, name: str, made: Masked, sides: dict[str, Release]) -> None:
    """What is above the people held back: for the copier surely, for the other not."""
    from tacit.attack import copies, infer, singling_out

    exact, near = copies(made, **sides)
    learnt = {
        attack: infer(made, **sides, column="salary-class", knows=QUASI, attack=attack, seed=5)["salary-class"]
        for attack in ("lookup", "tcap", "inference")
    }
    single = singling_out(made, **sides, attempts=500, seed=5)
    found = {"exact copies": exact, "near copies": near, "singling out": single, **learnt}
    for attack, one in found.items():
        low, high = one.facts["above the control, 95 % interval"]
        if name == "copies":
            bars.at_least(f"copies: {attack} above the control, lower end", low, 0.0, share=round(one.value, 3))
        else:  # Wilson's 95 % widened to chance once in 10⁴
            middle, wide = (low + high) / 2, CHANCE / 1.96 * (high - low) / 2
            bars.at_most(f"ignores: {attack} above the control, from 0", abs(middle), wide, share=round(one.value, 3))


def _job(bars: Bars) -> None:
    """``tacit synth`` on all of Adult, generation, attacks, utility and reports."""
    from tacit.plan import from_text, run
    from tacit.report import publish

    with TemporaryDirectory() as folder:
        plan = PLAN.format(quasi=QUASI, out=folder).replace("adult.csv", str(DATA)).replace("'", '"')
        loaded = from_text(plan, folder=Path(folder))
        seconds, outcome = spent(lambda: run(loaded, seed=7))
        more, _ = spent(lambda: publish(outcome, Path(folder) / "out"))
    areas = {one.name: round(one.result.value, 3) for one in outcome.presence if one.result is not None}
    bars.stated("the whole job on Adult with synth_trees, 30 162 records: CPU s", seconds + more, **areas)
