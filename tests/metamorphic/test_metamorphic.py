"""What a change of signs, units, names or order must do to every measure, model and loss of the registries: mostly nothing.

A wrong number is hard to see; a number that changes when a column is negated is not. ``TABLE`` declares for every entry what
each transformation must do to its value: nothing (=), no fall (+), no rise (-), or in words why nothing can be said. An entry
that is not in it fails. Each is tried on three files with gaps, under both policies for missing values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit import loss, models, risk

from .transformations import ALL as TRANSFORMATIONS
from .transformations import Files, files

FREE = "a larger file is another sample"
BINS = "bins are closed on one side: a value on an edge changes its bin when the order is turned round"
DIVISOR = "variances divide by n - 1"
FITTED = "a model is fitted to folds that follow the order of the records: see tests/loss"
COARSER = "other cells are compared"


def row(
    negate: str = "=", shift: str = "=", scale: str = "=", duplicate: str = "=", merge: str = "=", **more: str
) -> dict[str, str]:
    """The laws of an entry; order of rows and columns and names of categories never matter unless it is said."""
    every = {"negate": negate, "shift": shift, "scale": scale, "duplicate": duplicate, "merge": merge}
    return {"rows": "=", "columns": "=", "relabel": "="} | every | more


TABLE: dict[str, dict[str, str]] = {
    "risk.alpha": row(merge="-"),
    "risk.beta_likeness": row(merge="-"),
    "risk.delta_disclosure": row(merge="the ratio of a value that a class lacked before may appear"),
    "risk.inference": row(duplicate="-", merge="-"),
    "risk.background": row(merge="-"),
    "risk.similarity": row(merge="a union may be alike where its parts were too small to be counted"),
    "risk.skewness": row(merge="the class with the largest gain may be another"),
    "risk.attackers": row(duplicate="-", merge="-"),
    "risk.delta_presence": row(merge="-"),
    "risk.estimated_uniques": row(duplicate="-", merge="an estimate from other class sizes"),
    "risk.household_risk": row(duplicate="-", merge="-"),
    "risk.individual_risk": row(duplicate="-", merge="-"),
    "risk.interval_disclosure": row(),
    "risk.k_anonymity": row(duplicate="+", merge="+"),
    "risk.k_map": row(duplicate="+", merge="+"),
    "risk.l_diversity": row(merge="+"),
    "risk.log_linear_risk": row(duplicate="-", merge="another model is fitted"),
    "risk.population_uniques": row(duplicate="-", merge="of fewer sample uniques a larger share may be unique"),
    "risk.p_sensitivity": row(merge="+"),
    "risk.risky_cells": row(duplicate="-", merge="-"),
    "risk.same_values": row(),
    "risk.sample_uniques": row(duplicate="-", merge="-"),
    "risk.separation": row(duplicate="-", merge="-"),
    "risk.special_uniques": row(duplicate="-", merge="scores are relative to those of all records"),
    "risk.t_closeness": row(merge="-"),
    "risk.unicity": row(duplicate="-", merge="-"),
    "risk.k_households": row(duplicate="+", merge="+"),
    "risk.household_uniques": row(duplicate="-", merge="-"),
    "risk.rare_values": row(duplicate="a value of one record is one of two", merge="fewer values are rare, of fewer"),
    "models.household_k_anonymity": row(duplicate="+", merge="+"),
    "models.alpha_k": row(duplicate=FREE, merge="reported is the worse of two bounds"),
    "models.beta_likeness": row(merge="-"),
    "models.delta_disclosure": row(merge="as the measure"),
    "models.delta_presence": row(merge="-"),
    "models.interval_disclosure": row(),
    "models.k_anonymity": row(duplicate="+", merge="+"),
    "models.k_map": row(duplicate="+", merge="+"),
    "models.l_diversity": row(merge="+"),
    "models.p_sensitivity": row(duplicate="+", merge="+"),
    "models.t_closeness": row(merge="-"),
    "loss.moments": row(),
    "loss.squared_error": row(),
    "loss.changed": row(merge="-"),
    "loss.generalisation": row(),
    "loss.entropy": row(),
    "loss.discernibility": row(merge=COARSER),
    "loss.class_size": row(merge=COARSER),
    "loss.suppressed": row(),
    "loss.covariances": row(duplicate=DIVISOR),
    "loss.quantiles": row(duplicate="quantiles are interpolated"),
    "loss.eigenvalues": row(duplicate=DIVISOR),
    "loss.distances": row(duplicate=DIVISOR),
    "loss.il1": row(duplicate=DIVISOR),
    "loss.contingency": row(negate=BINS, merge="-"),
    "loss.mutual_information": row(negate=BINS, merge=COARSER),
    "loss.hellinger": row(negate=BINS, merge=COARSER),
    "loss.wasserstein": row(),
    "loss.propensity": row(merge=COARSER),
    "loss.interval_overlap": row(shift="the intercept is compared, too", duplicate=FREE, merge=COARSER),
    **{
        f"loss.{name}": dict.fromkeys(TRANSFORMATIONS, FITTED)
        for name in ("classification", "regression", "clustering")
    },
}
OPTIONS: dict[str, dict[str, Any]] = {
    "risk.log_linear_risk": {"interactions": [["zip", "sex"]]},
    "loss.propensity": {"permutations": 2, "seed": 1},
}
SEEDS = (1, 2, 3)
ENTRIES = {
    f"{package}.{name}": entry
    for package, registry in (("risk", risk.MEASURES), ("models", models.MODELS), ("loss", loss.LOSSES))
    for name, entry in registry.items()
}
CASES = [(name, way) for name, laws in TABLE.items() for way, law in laws.items() if law in ("=", "+", "-")]
KNOWN: dict[tuple[str, int, str, str], dict[str, float]] = {}


def measured(name: str, given: Files) -> dict[str, float]:
    """The numbers of an entry, by column."""
    entry, release = ENTRIES[name], given.release()
    options = OPTIONS.get(name, dict(entry.example))
    if "diagnosis" in options.get("columns", ()):
        options = options | {"columns": {"ill": options["columns"]["diagnosis"]}}
    beside = {}
    if name.startswith("loss.") or "original" in entry.needs:
        beside["original"] = given.described(given.original)
    if name.startswith("models."):
        return {"": float(entry.call(**options).holds(release, **beside).found)}
    shown = release.release if name == "risk.population_uniques" else release  # of the masked one it is refused
    found = entry.call(shown, **options, **beside)
    results = [found] if hasattr(found, "value") else list(found)
    return {one.column or one.name: float(one.value) for one in results}


def before(name: str, seed: int, missing: str) -> dict[str, float]:
    key = (name, seed, missing, "")
    if key not in KNOWN:
        KNOWN[key] = measured(name, files(seed, missing))
    return KNOWN[key]


def test_every_measure_model_and_loss_is_declared():
    assert set(TABLE) >= set(ENTRIES), f"not in the table: {sorted(set(ENTRIES) - set(TABLE))}"
    assert set(TABLE) <= set(ENTRIES)
    for name, laws in TABLE.items():
        assert set(laws) == set(TRANSFORMATIONS), name
        assert all(law in ("=", "+", "-") or len(law) > 8 for law in laws.values()), name


@pytest.mark.parametrize(("name", "way"), CASES)
def test_a_change_that_means_nothing_changes_nothing(name, way):
    law = TABLE[name][way]
    for seed in SEEDS[: 1 if name == "loss.propensity" else None]:
        for missing in ("own", "any"):
            first = before(name, seed, missing)
            then = measured(name, TRANSFORMATIONS[way](files(seed, missing)))
            assert set(first) == set(then)
            for column, value in first.items():
                slack = 1e-9 * max(1.0, abs(value))
                if law == "=":
                    assert then[column] == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True), (
                        column,
                        missing,
                        seed,
                    )
                elif np.isfinite(value):
                    sign = 1 if law == "+" else -1
                    assert sign * (then[column] - value) >= -slack, (column, missing, seed)
