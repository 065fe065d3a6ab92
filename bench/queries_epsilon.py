"""The ε that samples show: of every mechanism at most what it declares, and a scale 30 % too small is rejected.

A mechanism is run 100,000 times on two neighbouring data sets (:func:`tacit.dp.audit`, confidence 99.9 %, so that all bars
together fail by chance once in about 30 runs of the bench). Then 40,000 times with the noise of ε/0.7 and the declaration of ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bars import Bars

from tacit.dp import (
    Bounds,
    Cost,
    Count,
    Exponential,
    Gaussian,
    GroupBy,
    Histogram,
    Laplace,
    Mean,
    PermuteAndFlip,
    Quantile,
    RandomisedResponse,
    Sum,
    TopK,
    Variance,
    audit,
)
from tacit.dp.noise import with_gaussian
from tacit.dp.teaching import TextbookMean

RUNS, FEWER, TAUGHT = 100_000, 40_000, 400_000
"""Of what keeps its promise, of what does not and in a quick bench, and of the taught mean."""
CONFIDENCE = 0.999
SHARE = Fraction(7, 10)
TEN = Bounds(0, 10)


@dataclass(frozen=True)
class Case:
    """A mechanism for an ε, two neighbouring data sets, and how an outcome is read as one number or name.

    ``tight`` says that some event on these data uses up ε, so that 30 % less noise can be seen at all.
    """

    name: str
    made: Callable[[Fraction], Any]
    first: Any
    second: Any
    run: Callable[[Any, Any, int], Any]
    tight: bool = True
    quick: bool = False


def released(read: Callable[[Any], Any] = lambda value: value) -> Callable[[Any, Any, int], Any]:
    return lambda mechanism, data, runs: [read(mechanism.release(data).value) for _ in range(runs)]


def many(mechanism: Any, answer: int, runs: int) -> Any:
    return mechanism.release_steps([answer] * runs)


def chosen(mechanism: Any, scores: list[int], runs: int) -> list[int]:
    return [mechanism.release(scores) for _ in range(runs)]


def figures(mechanism: Any, data: list[int], runs: int) -> list[float]:
    """The noisy figures behind a mean or variance, each as a share of its sensitivity: the least of them uses up all ε."""
    moments = mechanism.moments
    scales = [noise.steps for noise in moments.mechanisms]

    def least() -> float:
        number, *found = moments.release(data)
        shares = [float(one.value) / scale for one, scale in zip(found, scales, strict=False)]
        return min([*shares[: len(scales) - 1], float(number.value)])

    return [least() for _ in range(runs)]


def moved(counts: Any) -> int:
    """At least 1 iff the record is seen in a and not in b."""
    a, b = (one if isinstance(one, int) else one.value for one in (counts["a"], counts["b"]))
    return min(a, 1 - b)


def by_group(mechanism: Any, groups: list[str], runs: int) -> list[int]:
    return [moved(mechanism.release(groups, groups).value) for _ in range(runs)]


ADDED: dict[str, Any] = {"neighbours": "add_remove"}
REPLACED: dict[str, Any] = {"neighbours": "replace"}

CASES = (
    Case("Laplace", lambda e: Laplace(sensitivity=10, epsilon=e, **REPLACED), 0, 10, many, quick=True),
    Case("exponential", lambda e: Exponential(sensitivity=1, epsilon=e, **REPLACED), [-4, 0], [-3, -1], chosen),
    Case("permute-and-flip", lambda e: PermuteAndFlip(sensitivity=1, epsilon=e, **REPLACED), [-2, 0], [-1, -1], chosen),
    Case(
        "monotone permute-and-flip",
        lambda e: PermuteAndFlip(sensitivity=1, epsilon=e, monotone=True, **ADDED),
        [0, 0],
        [1, 0],
        chosen,
    ),
    Case(
        "randomised response",
        lambda e: RandomisedResponse(categories=("a", "b", "c"), epsilon=e),
        "a",
        "b",
        lambda mechanism, value, runs: mechanism.release([value] * runs),
    ),
    Case("count", lambda e: Count(epsilon=e, **ADDED), [1] * 20, [1] * 21, released()),
    Case("sum, added", lambda e: Sum(bounds=TEN, epsilon=e, **ADDED), [], [10], released()),
    Case("sum, replaced", lambda e: Sum(bounds=TEN, epsilon=e, **REPLACED), [0], [10], released()),
    Case("mean, public n", lambda e: Mean(bounds=TEN, epsilon=e, size=2, **REPLACED), [0, 0], [0, 10], released()),
    Case("mean, private n", lambda e: Mean(bounds=TEN, epsilon=e, **ADDED), [], [10], released(), tight=False),
    Case("figures of a mean, private n", lambda e: Mean(bounds=TEN, epsilon=e, **ADDED), [], [10], figures),
    Case("variance, private n", lambda e: Variance(bounds=TEN, epsilon=e, **ADDED), [], [10], released(), tight=False),
    Case("figures of a variance", lambda e: Variance(bounds=TEN, epsilon=e, **ADDED), [], [10], figures),
    Case(
        "quantile",
        lambda e: Quantile(share=Fraction(1, 2), bounds=Bounds(0, 1), epsilon=e, **REPLACED),
        [0],
        [1],
        released(),
        tight=False,
    ),
    Case("histogram", lambda e: Histogram(keys=("a", "b"), epsilon=e, **REPLACED), ["a"], ["b"], released(moved)),
    Case(
        "histogram above a threshold",
        lambda e: Histogram(delta=Fraction(1, 1000), epsilon=e, **ADDED),
        ["a"] * 30,
        ["a"] * 31,
        released(lambda counts: counts.get("a", 0)),
    ),
    Case(
        "keys above a threshold",
        lambda e: Histogram(delta=Fraction(1, 100), epsilon=e, **ADDED),
        ["a"] * 30,
        [*["a"] * 30, "b"],
        released(tuple),
        tight=False,
    ),
    Case(
        "counts by group",
        lambda e: GroupBy(statistic=Count(epsilon=e / 2, **ADDED), keys=("a", "b"), **REPLACED),
        ["a"],
        ["b"],
        by_group,
    ),
    Case("top 1", lambda e: TopK(keys=("a", "b"), k=1, epsilon=e, **ADDED), [], ["a"], released()),
    Case("top 2", lambda e: TopK(keys=("a", "b", "c"), k=2, epsilon=e, **ADDED), [], ["a"], released(), tight=False),
)


def bars(bars: Bars) -> None:
    """The bars of this part."""
    runs = FEWER if bars.quick else RUNS
    for case in CASES:
        if bars.quick and not case.quick:
            bars.skipped(f"ε shown by samples: {case.name}", "takes longer")
        else:
            judge(bars, case, runs)
    gaussian(bars, runs)
    taught(bars)


def judge(bars: Bars, case: Case, runs: int) -> None:
    """One mechanism at ε = 1, and with 30 % less noise."""
    right = case.made(Fraction(1))

    def lower(mechanism: Any, runs: int) -> float:
        def run(data: Any, count: int) -> Any:
            return case.run(mechanism, data, count)

        return audit(run, case.first, case.second, declared=right.cost, runs=runs, confidence=CONFIDENCE).lower

    bars.at_most(f"ε shown by samples: {case.name}", lower(right, runs), 1.0, runs=runs)
    if case.tight:
        shown = lower(case.made(1 / SHARE), FEWER)
        bars.true(f"rejected with 30 % less noise: {case.name}", shown > 1, lower=shown, runs=FEWER)


def gaussian(bars: Bars, runs: int) -> None:
    """Gaussian noise by its whole profile, whichever way it was declared."""
    ways = {"ε and δ": Gaussian(sensitivity=10, epsilon=1, delta="1e-5", **REPLACED)}
    ways["ρ"] = Gaussian(sensitivity=10, rho="0.1", **REPLACED)
    for name, mechanism in ways.items():

        def audited(scale: float, mechanism: Gaussian = mechanism) -> Any:
            def run(answer: int, count: int) -> list[int]:
                return with_gaussian([answer] * count, scale)

            return audit(run, 0, 10, declared=mechanism, runs=runs, confidence=CONFIDENCE)

        right, wrong = audited(mechanism.scale), audited(float(SHARE) * mechanism.scale)
        bars.true(f"δ(ε) shown by samples: Gaussian by {name}", right.holds, lower=right.lower, at=right.epsilon)
        bars.true(f"rejected with 30 % less noise: Gaussian by {name}", not wrong.holds, lower=wrong.lower, runs=runs)


def taught(bars: Bars) -> None:
    """The mean that is taught and not private, in both of its failures at ε = 1."""
    if bars.quick:
        bars.skipped("rejected: the taught mean", "takes longer")
        return
    salaries = [1000, 2000, 3000, 2000, 1000, 6000, 2000, 10000, 2000, 4000]
    uncut = TextbookMean(bounds=Bounds(2000, 4000), epsilon=Fraction(1), cut=False)
    cut = TextbookMean(bounds=Bounds(0, 1, step="0.001"), epsilon=Fraction(1), cut=True)
    pairs = {"inputs not cut": (uncut, salaries, [100_000, *salaries[1:]]), "n used as it is": (cut, [0], [0, 1])}
    for name, (mean, first, second) in pairs.items():
        found = audit(mean.draw_answers, first, second, declared=Cost.of(1), runs=TAUGHT)
        bars.true(f"rejected: the taught mean, {name}", not found.holds, lower=found.lower, runs=TAUGHT)
