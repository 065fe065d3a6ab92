"""Numbers that a verdict rests on: each finding of the review, measured again by the attack that found it.

``python bench/safety_numbers.py``: wrong verdicts, chances and intervals after the mend; ``before`` is what the same function
measured before it.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
from bars import Bars

from tacit import Release, TacitError, risk
from tacit.models import DeltaPresence, TCloseness

BEFORE: dict[str, Any] = {
    "W1": {60: 13, 200: 57},
    "W2": (8, 8),
    "A8": 2,
    "W3": 0.844,
    "W4": 19,
    "W5": 0.973,
    "W6": 5.44,
    "W7": 0.25,
}
"""What the same functions measured before."""


def turned_verdicts(cases: int) -> int:
    """W1: files whose ordered t-closeness at 0.2 holds for a column and not for its negative, or the other way."""
    turned = 0
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame(
            {"zip": rng.integers(0, 6, 60).astype(str), "pay": rng.integers(0, 9, 60).astype(float)}
        ).with_columns(pl.when(pl.Series(rng.random(60) < 0.12)).then(None).otherwise("pay").alias("pay"))
        verdicts = [
            bool(
                TCloseness(t=0.2).holds(
                    Release(
                        frame.with_columns(pl.col("pay") * sign),
                        quasi="zip",
                        confidential="pay",
                        kinds={"pay": "continuous"},
                        missing="own",
                    )
                )
            )
            for sign in (1, -1)
        ]
        turned += verdicts[0] != verdicts[1]
    return turned


def overstated_presence(cases: int) -> tuple[int, int]:
    """W2: files with gaps whose smallest presence is above the exact one, and bounds that hold although it is below."""
    wrong = passed = 0
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        people = [tuple(map(str, rng.integers(0, 3, 2))) for _ in range(rng.integers(3, 7))]
        chosen = rng.permutation(len(people))[: rng.integers(2, len(people) + 1)]
        sample = [tuple(None if rng.random() < 0.3 else value for value in people[i]) for i in chosen]
        homes = [
            [i for i, one in enumerate(people) if all(a in (None, b) for a, b in zip(r, one, strict=True))]
            for r in sample
        ]
        ways = [way for way in product(*homes) if len(set(way)) == len(way)]
        true = min(sum(i in way for way in ways) / len(ways) for i in range(len(people)))
        release, town = (
            Release(pl.DataFrame(rows, schema={"p": pl.String, "q": pl.String}, orient="row"), quasi=["p", "q"], missing="any")
            for rows in (sample, people)
        )  # fmt: skip
        wrong += risk.delta_presence(release, population=town).facts["smallest presence"] > true + 1e-9
        if true < 0.99:
            passed += bool(DeltaPresence(high=1, low=true + 0.01).holds(release, population=town))
    return wrong, passed


def answered_perturbed() -> int:
    """A8: methods that changed a quasi-identifier and whose file population_uniques answers for, of two."""
    from tacit.protect import DpIdentity, RandomisedResponse

    rng = np.random.default_rng(1)
    town = Release(
        pl.DataFrame({"age": rng.integers(20, 80, 300), "sex": rng.choice(["F", "M"], 300)}), quasi=["age", "sex"]
    )
    methods = (
        DpIdentity(columns="age", epsilon=1, bounds={"age": [0, 100]}),
        RandomisedResponse(columns=["sex"], epsilon=1, categories={"sex": ["F", "M"]}),
    )
    answered = 0
    for method in methods:
        try:
            risk.population_uniques(town.protect(method, seed=1), population=town)
            answered += 1
        except TacitError as refused:
            assert "perturbed" in str(refused)
    return answered


def covered_variances(files: int, k: float) -> float:
    """W3: the share of 95 % intervals that hold the true variance, after transformed noise."""
    from tacit.loss.corrected import covariance
    from tacit.protect import AddNoise

    held = 0
    for seed in range(files):
        values = np.random.default_rng(seed).normal(size=(500, 2))
        release = Release(pl.DataFrame(values, schema=["x", "y"]))
        masked = release.protect(AddNoise(columns=["x", "y"], variance=k, form="transformed"), seed=seed)
        found = covariance(masked)
        held += (np.abs(found.corrected - [1, 0, 1]) <= 1.96 * found.standard_error).sum()
    return held / (3 * files)


def more_than_additions(graphs: int) -> int:
    """W4: random graphs of which KDegree changes more edges by default than with changes="add"."""
    from tacit.graphs import Graph
    from tacit.graphs.protect import KDegree

    more = 0
    for seed in range(graphs):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(6, 31))
        edges = np.argwhere(np.triu(rng.random((size, size)) < 0.05 + rng.random() / 2, 1))
        both, add = (
            KDegree(k=3, changes=changes).apply(Graph(size=size, edges=edges), seed=seed).trace[0].outcome["changed"].value
            for changes in ("both", "add")
        )  # fmt: skip
        more += both > add
    return more


def covered_from_above(releases: int) -> float:
    """W5: the share of upper ends (nominal 0.975) that are not below the mean re-identification rate, after rank swapping."""
    from tacit.attack import Distance, reidentify
    from tacit.protect import RankSwap

    values = np.random.default_rng(1).normal(size=(200, 2))
    release = Release(pl.DataFrame(values, schema=["x", "y"]), quasi=["x", "y"])
    found = [
        reidentify(
            release.protect(RankSwap(columns=["x", "y"], percent=8), seed=seed), original=release, attack=Distance()
        )
        for seed in range(releases)
    ]
    rate = np.mean([one.value for one in found])
    return float(np.mean([one.interval[1] >= rate for one in found]))  # type: ignore[index]


def slide_bias(fraction: float) -> float:
    """W6: the estimated over the true share of uniques, of populations that follow the slide negative binomial."""
    from tacit.risk.estimated_uniques import ClassSizes, slide_negative_binomial

    ratios = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        people = 1 + rng.negative_binomial(0.5, 0.1, 100_000)
        seen = rng.binomial(people, fraction)
        sizes = ClassSizes(*np.unique(seen[seen > 0], return_counts=True))
        estimate = slide_negative_binomial(sizes, float(people.sum()))
        ratios.append((estimate or 0.0) * people.sum() / (people == 1).sum())
    return float(np.mean(ratios))


def other_homogeneity() -> float:
    """W7: how far inference without a coalition is from background without anything ruled out."""
    table = pl.DataFrame({"zip": ["a", "b", "b", "c"], "ill": [None, "flu", "cold", "flu"]})
    release = Release(table, quasi="zip", confidential="ill", missing="any")
    return abs(risk.inference(release, coalition=0)["ill"].value - risk.background(release, ruled_out=0)["ill"].value)


def bars(bars: Bars) -> None:
    """One line for each finding."""
    cases = 60 if bars.quick else 200
    bars.at_most(
        f"W1 verdicts that turn with the sign, of {cases}", turned_verdicts(cases), 0, before=BEFORE["W1"][cases]
    )
    wrong, passed = overstated_presence(40)
    bars.at_most("W2 smallest presence overstated, of 40", wrong, 0, before=BEFORE["W2"][0])
    bars.at_most("W2 bounds on presence met wrongly, of 40", passed, 0, before=BEFORE["W2"][1])
    bars.at_most("A8 perturbed files answered for, of 2", answered_perturbed(), 0, before=BEFORE["A8"])
    bars.at_most("W7 inference and background apart", other_homogeneity(), 0, before=BEFORE["W7"])
    bars.at_most("W6 uniques estimated over true, at 0.05", slide_bias(0.05), 1.15, before=BEFORE["W6"])
    if bars.quick:
        for name in ("W3 intervals that hold the variance", "W4 graphs with more changes", "W5 upper ends that cover"):
            bars.skipped(name, "full run only")
        return
    bars.at_least("W3 intervals of 95 % that hold the variance", covered_variances(150, 1.0), 0.92, before=BEFORE["W3"])
    bars.at_most("W4 graphs with more changes than additions, of 60", more_than_additions(60), 0, before=BEFORE["W4"])
    bars.at_least("W5 upper ends of 97.5 % that cover", covered_from_above(150), 0.975, before=BEFORE["W5"])


if __name__ == "__main__":
    found = Bars("safety_numbers", __doc__ or "")
    bars(found)
    found.end()
