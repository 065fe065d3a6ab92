"""PRAM of a known matrix: Bayes' rule against a slow oracle, zeros that rule out, strata, fallbacks. catalogue: M-05, E-06."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.published import published_step

from tacit import Release
from tacit.attack import Distance
from tacit.attack.masking_models import MASKING_MODELS
from tacit.attack.transparency import Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import Pram, SemanticNoise
from tacit.release.masked import Masked
from tacit.release.trace import Finding

from .law_oracle import cost, known_of, published, truth_allowed

JOBS = {"edges": {"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work", "cook": "work"}}


def people(rows: int, seed: int = 0) -> Release:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "job": rng.choice(["clerk", "cook", "nurse", "surgeon"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "sex": rng.choice(["F", "M"], rows),
            "town": rng.choice(["A", "B"], rows),
        }
    )
    return Release(frame, quasi=["job", "sex", "town"], hierarchies={"job": JOBS})


def found(masked, original, attack, knows=None) -> float:
    claims = attack.claims(masked.release, Scenario.worst_case(original, knows=knows, told=masked.trace))
    return judge(claims, Truth.by_lineage(masked.rows(), original.size)).value


@pytest.mark.parametrize(
    "method",
    [
        Pram(columns="job", stay=0.7),
        Pram(columns="job", stay=0.7, form="invariant"),
        Pram(columns="job", posterior=0.4, rare=25, form="risk"),
        Pram(columns="job", stay=0.7, strata="town"),
        SemanticNoise(columns="job", epsilon=4),
    ],
)
def test_the_cost_is_minus_the_log_of_the_likelihood_ratio(method):
    original = people(400)
    masked = original.protect(method, seed=1)
    told = {tuple(one["stratum"].values()): one["matrix"] for one in masked.trace[0].outcome["matrix"].value["job"]}
    old, new = original.to_native(), masked.to_native()
    shares = dict(new["job"].value_counts(normalize=True).iter_rows())
    chance = np.array(
        [
            [told[(town,) if len(told) > 1 else ()][x].get(y, 0.0) / shares[y] for y in new["job"]]
            for x, town in zip(old["job"], old["town"], strict=True)
        ]
    )
    costs = cost(known_of(masked, original))
    possible = chance > 0
    assert np.allclose(costs[possible], -np.log(chance[possible]))
    assert (costs[~possible] > 10).all()  # ruled out, or as unlikely as a rounded 0


def test_the_posterior_over_all_records_is_that_of_bayes():
    """A slow intruder: one person, every record, prior 1/n; the candidates are the records of largest posterior."""
    original = people(120)
    masked = original.protect(Pram(columns=["job", "sex"], stay={"job": 0.6, "sex": 0.9}), seed=3)
    old, new = original.to_native(), masked.to_native()
    told = {name: listed[0]["matrix"] for name, listed in masked.trace[0].outcome["matrix"].value.items()}
    shares = {name: dict(new[name].value_counts(normalize=True).iter_rows()) for name in told}
    claims = Transparency().claims(
        masked.release, Scenario.worst_case(original, knows=["job", "sex"], told=masked.trace)
    )
    for b, x in enumerate(old.iter_rows(named=True)):
        weight = np.ones(120)
        for name, rows in told.items():
            weight *= [rows[x[name]][y] / shares[name][y] for y in new[name]]
        best = set(np.flatnonzero(weight >= weight.max() * (1 - 1e-9)))
        claim = claims.claim_of[b]
        groups = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
        assert set(np.flatnonzero(np.isin(claims.group_of, groups))) == best


def test_a_typed_zero_rules_out_and_makes_links_sure():
    frame = pl.DataFrame({"job": ["cook"] * 9 + ["mayor"], "sex": ["F", "M"] * 5})
    original = Release(frame, quasi=["job", "sex"])
    matrix = {"job": {"cook": {"cook": 1.0}, "mayor": {"mayor": 1.0}}}
    masked = original.protect(Pram(columns="job", matrix=matrix), seed=1)
    known = known_of(masked, original)
    assert np.isinf(cost(known)).any() and known.certain
    claims = Transparency().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    assert claims.sure[claims.claim_of][9]


@given(
    seed=st.integers(0, 10**6),
    way=st.sampled_from(["given", "invariant", "risk", "strata", "typed"]),
    rows=st.integers(60, 200),
)
def test_the_truth_is_never_ruled_out(seed, way, rows):
    original = people(rows, seed=seed % 50)
    jobs = sorted(original.to_native()["job"].unique())
    ring = {job: {job: 0.5, jobs[(place + 1) % len(jobs)]: 0.5} for place, job in enumerate(jobs)}
    method = {
        "given": lambda: Pram(columns="job", stay=0.2),
        "invariant": lambda: Pram(columns="job", matrix={"job": ring}, form="invariant"),
        "risk": lambda: Pram(columns="job", posterior=0.3, rare=int(rows * 0.1) + 2, form="risk"),
        "strata": lambda: Pram(columns="job", stay=0.2, strata=["town", "sex"]),
        "typed": lambda: Pram(columns="job", matrix={"job": ring}),
    }[way]()
    known = known_of(original.protect(method, seed=seed), original)
    assert known.certain and truth_allowed(known).all()


def test_missing_and_unknown_categories_speak_neither_way():
    original = people(200)
    masked = original.protect(Pram(columns="job", stay=0.7), seed=1)
    holes = np.arange(200) < 5
    masked = Masked(masked.release.suppress_cells({"job": holes}), masked.trace)
    file = Release(
        original.to_native().with_columns(job=pl.when(pl.int_range(200) < 5).then(pl.lit("baker")).otherwise("job"))
    )
    known = known_of(masked, file, knows=["job"])
    table = known.compared[0]
    baker = int(table.intruder[0])
    assert (table.table[baker] == 0).all()
    assert np.isnan(table.release[:5]).all() and table.share == 0.0


@pytest.mark.parametrize("form", ["given", "invariant"])
def test_without_the_matrix_the_parameters_make_one(form):
    original = people(3000)
    masked = original.protect(Pram(columns="job", stay=0.7, form=form), seed=1)
    step = published(masked.trace[0])
    bare = published_step(step.method, step.parameters, {"change": step.outcome["change"]})
    scenario = Scenario(file=original, knows=("job",), told=(bare,))
    known = MASKING_MODELS["pram"](bare, ("job",), masked.release, scenario)
    exact = known_of(masked, original, knows=["job"])
    assert "not published" in known.notes[0]
    assert np.abs(cost(known) - cost(exact))[:, :500].max() < 1.0  # of likelihood ratios that span more than 4
    nothing = published_step("pram", {"columns": ["job"]}, {})
    assert MASKING_MODELS["pram"](nothing, ("job",), masked.release, scenario).columns == ()


def test_a_stratum_that_the_intruder_lacks_is_averaged_over():
    original = people(2000)
    masked = original.protect(Pram(columns="job", stay=0.7, strata="town"), seed=1)
    known = known_of(masked, original, knows=["job"])
    listed = masked.trace[0].outcome["matrix"].value["job"]
    sizes = dict(masked.to_native()["town"].value_counts().iter_rows())
    shares = dict(masked.to_native()["job"].value_counts(normalize=True).iter_rows())
    weights = np.array([sizes[one["stratum"]["town"]] + 1 for one in listed], dtype=float)
    mean = sum(w * one["matrix"]["cook"]["nurse"] for w, one in zip(weights / weights.sum(), listed, strict=True))
    x = original.to_native()["job"].to_list().index("cook")
    y = masked.to_native()["job"].to_list().index("nurse")
    pair = known.compared[0]
    assert pair.table[int(pair.intruder[x]), int(pair.release[y])] == pytest.approx(-np.log(mean / shares["nurse"]))


def test_rare_values_that_stay_are_found_more_often_than_by_counting_differences():
    rng = np.random.default_rng(4)
    frame = {f"c{j}": rng.choice(12, 600, p=np.r_[[0.45], [0.05] * 11]).astype(str) for j in range(8)}
    original = Release(pl.DataFrame(frame), quasi=list(frame))
    stay = {name: 0.95 if j < 3 else 0.3 for j, name in enumerate(frame)}
    masked = original.protect(Pram(columns=list(frame), stay=stay), seed=2)
    assert found(masked, original, Transparency()) > 1.3 * found(masked, original, Distance())


def test_pram_that_keeps_nothing_leaves_the_baseline():
    original = people(400)
    matrix = {
        "job": {
            job: dict.fromkeys(["clerk", "cook", "nurse", "surgeon"], 0.25)
            for job in ["clerk", "cook", "nurse", "surgeon"]
        }
    }
    masked = original.protect(Pram(columns="job", matrix=matrix), seed=2)
    assert found(masked, original, Transparency(), knows=["job"]) < 0.02


def test_semantic_noise_of_a_large_taxonomy_is_computed_from_epsilon():
    edges = {f"v{i}": f"g{i % 12}" for i in range(120)} | {f"g{i}": "all" for i in range(12)}
    rng = np.random.default_rng(2)
    original = Release(
        pl.DataFrame({"code": rng.choice([f"v{i}" for i in range(120)], 300)}),
        quasi="code",
        hierarchies={"code": {"edges": edges}},
    )
    masked = original.protect(SemanticNoise(columns="code", epsilon=8), seed=1)
    assert "code" not in masked.trace[0].outcome["matrix"].value
    known = known_of(masked, original)
    assert known.columns == ("code",)
    step = published_step(
        "semantic_noise", masked.trace[0].parameters, {"epsilon": Finding({"code": 8.0}, publishable=True)}
    )
    assert MASKING_MODELS["semantic_noise"](
        step, ("code",), masked.release, Scenario(file=original, knows=("code",))
    ).columns
    # the law is that of the docstring: ratios of chances are those of the distances
    pair, codes = known.compared[0], original.to_native()["code"].to_list()
    same, near, far = codes[0], None, None
    for value in codes:
        kin = int(value[1:]) % 12 == int(same[1:]) % 12
        near = value if value != same and kin else near
        far = value if not kin else far
    new = masked.to_native()["code"].to_list()
    shares = {value: new.count(value) / 300 for value in new}
    costs = {
        value: pair.table[int(pair.intruder[0]), int(pair.release[new.index(value)])] - np.log(shares[value])
        for value in (same, near, far)
        if value in shares
    }
    distance = {same: 0.0, near: np.log2(1 + 2 / 4), far: np.log2(1 + 4 / 5)}
    for one in costs:
        for other in costs:
            assert costs[one] - costs[other] == pytest.approx(4 * (distance[one] - distance[other]))
