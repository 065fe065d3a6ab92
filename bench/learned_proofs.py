"""The bars of proofs: the optimum, or how far from it at most, in CPU seconds of one thread."""

from __future__ import annotations

from typing import NamedTuple

from bars import Bars, spent
from learned_files import ABSENT, DATA, FILES, HARD, SAMPLES, sample
from learned_runs import counted, run, warm
from learned_workers import side_by_side

ROOM = 0.95
"""Share of the time that the solver is given: what it does after the last look at the clock counts, too."""
LONGEST = 150.0
"""No proof gets more, also where its bar allows ten minutes."""


class Asked(NamedTuple):
    """One proof: which file, sample and family, and how many CPU seconds."""

    file: str
    sample: int
    name: str
    seconds: float


class Proof(NamedTuple):
    """How many were found and can be at most, the CPU seconds, and whether the count is that over all pairs."""

    found: int
    bound: int
    seconds: float
    checked: bool

    @property
    def gap(self) -> int:
        """What was neither found nor excluded."""
        return self.bound - self.found


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if not DATA.is_dir():
        bars.skipped("proofs on the published files", ABSENT)
        return
    asked = [*weighted(quick=bars.quick), *([] if bars.quick else larger())]
    # The longest first, so that no process waits for the last one.
    order = sorted(asked, key=lambda one: -one.seconds)
    done = dict(zip(order, side_by_side(proof, order, alone=bars.quick), strict=True))
    _weighted_bars(bars, done)
    if bars.quick:
        bars.skipped("WM on M5-38, SB and CI: proofs", "it takes longer")
    else:
        _larger_bars(bars, done)
    bars.true("every count is that over all pairs, summed another way", all(one.checked for one in done.values()))


def weighted(*, quick: bool) -> list[Asked]:
    """WM on all files and samples."""
    easy = [Asked(file, seed, "WM", 5.0) for file in FILES if file != HARD for seed in range(1 if quick else SAMPLES)]
    return easy if quick else [*easy, *(Asked(HARD, seed, "WM", 60.0) for seed in range(SAMPLES))]


def larger() -> list[Asked]:
    """SB and CI: M6 on three samples, M4 on two, M5-38 on two."""
    found = []
    for name in ("SB", "CI"):
        found += [Asked(file, seed, name, 10.0) for file in FILES if file.startswith("M6") for seed in range(3)]
        found += [Asked(file, seed, name, 60.0) for file in FILES if file.startswith("M4") for seed in range(2)]
        found += [Asked(HARD, seed, name, 600.0) for seed in range(2)]
    return found


def proof(asked: Asked) -> Proof:
    """The family by itself: what it takes to find its first solution counts."""
    pairs = sample(asked.file, asked.sample)
    _warm(asked.name)
    seconds, found = spent(
        lambda: run(pairs, asked.name, seed=asked.sample, effort="exact", seconds=min(ROOM * asked.seconds, LONGEST))
    )
    checked = bool((counted(pairs, found) == found.found).all())
    return Proof(int(found.found.sum()), found.bound, seconds, checked)


_WARMED: set[str] = set()


def _warm(name: str) -> None:
    if name not in _WARMED:
        warm((name,))
        _WARMED.add(name)


def _weighted_bars(bars: Bars, done: dict[Asked, Proof]) -> None:
    for file in FILES:
        proofs = [proof for asked, proof in done.items() if (asked.file, asked.name) == (file, "WM")]
        if not proofs:
            continue
        slowest = max(proof.seconds for proof in proofs)
        gaps = [proof.gap for proof in proofs]
        if file == HARD:
            bars.at_most(
                f"{file} WM: largest gap of {len(proofs)} samples in 60 CPU s",
                max(gaps),
                2,
                at_scale=True,
                **_facts(proofs),
            )
            bars.at_least(f"{file} WM: samples with a gap of 1 at most", sum(gap <= 1 for gap in gaps), 3)
            bars.at_most(f"{file} WM: CPU s", slowest, 60.0, at_scale=True)
        else:
            bars.at_most(f"{file} WM: largest gap of {len(proofs)} samples", max(gaps), 0, **_facts(proofs))
            bars.at_most(f"{file} WM: CPU s", slowest, 5.0, at_scale=True)


def _larger_bars(bars: Bars, done: dict[Asked, Proof]) -> None:
    allowed = {10.0: 0, 60.0: 1, 600.0: 4}
    for name in ("SB", "CI"):
        for file in FILES:
            some = {asked: proof for asked, proof in done.items() if (asked.file, asked.name) == (file, name)}
            limit, proofs = next(iter(some)).seconds, list(some.values())
            title = f"{file} {name}: largest gap of {len(proofs)} samples"
            bars.at_most(title, max(proof.gap for proof in proofs), allowed[limit], **_facts(proofs))
            bars.at_most(f"{file} {name}: CPU s", max(proof.seconds for proof in proofs), limit, at_scale=True)


def _facts(proofs: list[Proof]) -> dict[str, list[float]]:
    return {
        "found": [proof.found for proof in proofs],
        "bound": [proof.bound for proof in proofs],
        "CPU s": [round(proof.seconds, 2) for proof in proofs],
    }
