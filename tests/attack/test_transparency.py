"""The frame of transparency attacks: what a trace tells of each column, and what an intruder can be sure of. catalogue: M-03."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.published import published_step

from tacit import Release, TacitError
from tacit.attack import ATTACKS, Distance, Transparency, reidentify
from tacit.attack.masking_models.combination import combine_steps
from tacit.claims import Scenario, Truth, judge
from tacit.errors import Cancelled
from tacit.examples import clinic
from tacit.protect import (
    METHODS,
    AddNoise,
    DropIdentifiers,
    Generalise,
    LocalRecode,
    Mdav,
    NewHouseholds,
    Pipeline,
    Pseudonymise,
    RankSwap,
    Sample,
    Shuffle,
    SuppressCells,
)
from tacit.release.step_effects import flatten_steps, step_effect
from tacit.release.trace import Finding, Trace

KNOWN = ("zip", "birth", "sex", "occupation", "income")
NOTHING_DONE = (published_step("shuffle", {}),)


def clinical(rows: int = 400) -> Release:
    example = clinic(rows, seed=2)
    described = {"kinds": example.kinds, "hierarchies": example.hierarchies, "missing": "own"}
    return Release(example.frame, **example.roles, **described)


def scored(m, original, *, knows=KNOWN, **given):
    scenario = Scenario.worst_case(original, knows=knows, told=m.trace)
    claims = Transparency(**given).claims(m.release, scenario)
    return claims, judge(claims, Truth.by_lineage(m.rows(), original.size))


def sure_links_are_right(claims, rows) -> bool:
    by_group = {int(group): int(row) for row, group in enumerate(claims.group_of)}
    for person, claim in enumerate(claims.claim_of):
        if claims.sure[claim]:
            named = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
            if len(named) != 1 or int(rows[by_group[int(named[0])]]) != person:
                return False
    return True


# Steps


def test_every_step_names_its_columns():
    """Applied to the example of each method: the columns that changed are among those that the step is said to touch."""
    example = clinic(150, seed=3)
    described = {"kinds": example.kinds, "hierarchies": example.hierarchies, "missing": "own"}
    original = Release(example.frame, **example.roles, **described)
    other_steps_no_row_left_or_a_key = ("pipeline", "anonymise", "mask_terms", "suppress_records", "pseudonymise")
    for name, entry in METHODS.items():
        if name in other_steps_no_row_left_or_a_key:
            continue
        m = original.protect(entry.call(**entry.example), seed=5)
        step = m.trace[0]
        did = step_effect(step, m.release)
        before = original.take(np.maximum(m.rows(), 0))
        real = m.rows() >= 0
        for column in m.release.columns:
            shown = m.release.series(column).filter(pl.Series(real))
            true = before.series(column).filter(pl.Series(real))
            kept = shown.is_null() | (shown.cast(pl.String) == true.cast(pl.String)).fill_null(False)
            if not kept.all():
                assert did.kind != "nothing", (name, column)
                assert did.columns is None or column in did.columns, (name, column)
        bare = step_effect(published_step(step.method, {}), m.release)
        assert bare.kind == did.kind
        assert bare.columns is None or set(did.columns or ()) <= set(bare.columns) or name in ("full_domain",), name


def test_a_pipeline_told_as_one_step_is_its_steps():
    method = Pipeline(steps=[DropIdentifiers(), RankSwap(columns=["income"], percent=5)])
    steps = flatten_steps((Trace.of(method),))
    assert [step.method for step in steps] == ["drop_identifiers", "rank_swap"]
    assert steps[1].parameters["columns"] == ["income"]


def test_nothing_told_nothing_to_attack_with():
    original = clinical(50)
    scenario = Scenario.worst_case(original, knows=KNOWN)
    assert "nothing was told" in str(Transparency().applies(original, scenario))
    with pytest.raises(TacitError, match="nothing was told"):
        Transparency().claims(original, scenario)


# Columns


def test_what_no_step_touched_must_be_equal():
    original = clinical()
    m = original.protect(Pipeline(steps=[RankSwap(columns=["rent"], percent=5), Shuffle()]), seed=1)
    claims, result = scored(m, original)
    assert result.value == 1.0
    assert result.facts["sure links"] > 0.95
    assert sure_links_are_right(claims, m.rows())
    assert claims.notes == ()


def test_coarsened_columns_are_equal_at_their_level():
    original = clinical()
    m = original.protect(
        Pipeline(steps=[Generalise(levels={"zip": 2, "birth": 3, "occupation": 2}), SuppressCells(k=3), Shuffle()]),
        seed=1,
    )
    claims, result = scored(m, original, knows=original.quasi)
    by_distance = judge(
        Distance().claims(m.release, Scenario.worst_case(original, knows=original.quasi)),
        Truth.by_lineage(m.rows(), original.size),
    )
    assert result.value >= by_distance.value - 1e-12  # a blank is no difference, and what differs is impossible
    assert result.facts["without candidate"] == 0.0
    assert result.facts["sure links"] == 0.0
    assert claims.notes == ()


def test_locally_recoded_labels_cover_the_truth():
    original = clinical(200)
    m = original.protect(Pipeline(steps=[LocalRecode(models={"k_anonymity": 3}), Shuffle()]), seed=1)
    claims, result = scored(m, original, knows=original.quasi)
    assert result.value <= 1 / 3 + 1e-9
    assert claims.notes == ()
    assert not claims.sure.any()


def test_a_release_without_its_levels_is_compared_softly():
    """Read from a file without a plan: the labels are there, the levels are not."""
    original = clinical(200)
    m = original.protect(Generalise(levels={"zip": 2}))
    bare = Release(m.to_native(), quasi=original.quasi, missing="own")
    claims = Transparency().claims(bare, Scenario.worst_case(original, knows=("zip", "sex"), told=m.trace))
    assert any("'zip' was changed by generalise" in note for note in claims.notes)
    assert (np.diff(claims.start) > 0).all()


def test_hidden_columns_are_not_compared(monkeypatch):
    monkeypatch.setenv("TACIT_KEY", "0" * 40)
    original = clinical(200)
    m = original.protect(Pipeline(steps=[Pseudonymise(columns=["name"]), NewHouseholds(), Shuffle()]), seed=1)
    known = combine_steps(m.release, Scenario.worst_case(original, knows=("name", "household", "zip"), told=m.trace))
    assert [one.columns for one in known] == [("zip",)]


def test_unknown_methods_and_several_steps_on_one_column_are_compared_softly():
    original = clinical(200)
    told = (published_step("magic", {"columns": ["zip"]}), *NOTHING_DONE)
    claims = Transparency().claims(original, Scenario.worst_case(original, knows=("zip", "sex"), told=told))
    assert any("'zip' was changed by magic" in note for note in claims.notes)
    assert not any("'sex'" in note for note in claims.notes)
    m = original.protect(
        Pipeline(steps=[RankSwap(columns=["income"], percent=5), AddNoise(columns=["income"], variance=0.1)]), seed=1
    )
    claims, _ = scored(m, original)
    assert any("rank_swap, add_noise, one after the other" in note for note in claims.notes)
    anything = (published_step("magic", {}),)
    claims = Transparency().claims(original, Scenario.worst_case(original, knows=("zip", "sex"), told=anything))
    assert len(claims.notes) == 2
    assert not claims.sure.any()


def test_steps_on_different_columns_combine():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"x{j}": rng.standard_normal(300) for j in range(4)})
    original = Release(frame, quasi=frame.columns)
    steps = [RankSwap(columns=["x0", "x1"], percent=5), RankSwap(columns=["x2", "x3"], percent=8), Shuffle()]
    m = original.protect(Pipeline(steps=steps), seed=1)
    claims, result = scored(m, original, knows=tuple(frame.columns))
    alone = [scored(m, original, knows=pair)[1].value for pair in (("x0", "x1"), ("x2", "x3"))]
    assert result.value > max(alone) + 0.1
    assert sure_links_are_right(claims, m.rows())


def test_another_type_in_the_intruders_file_is_no_contradiction():
    frame = pl.DataFrame({"age": [31, 45, 62], "sex": ["f", "m", "f"]})
    text = frame.with_columns(pl.col("age").cast(pl.String) + " years")
    scenario = Scenario.worst_case(Release(text, quasi=text.columns), told=NOTHING_DONE)
    claims = Transparency().claims(Release(frame, quasi=frame.columns), scenario)
    assert "another type" in claims.notes[0]
    assert (np.diff(claims.start) > 0).all()


# What everybody who attacks must show


def test_identical_files_give_one_over_the_twins():
    frame = pl.DataFrame({"zip": ["a", "a", "b", "c"], "age": [1, 1, 1, 2]})
    original = Release(frame, quasi=frame.columns)
    claims = Transparency().claims(original, Scenario.worst_case(original, told=NOTHING_DONE))
    result = judge(claims, Truth.by_lineage(np.arange(4), 4))
    assert result.value == 3 / 4
    assert claims.sure[claims.claim_of].tolist() == [False, False, True, True]


def test_independent_files_stay_at_the_baseline():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"x{j}": rng.standard_normal(500) for j in range(3)})
    other = pl.DataFrame({f"x{j}": rng.standard_normal(500) for j in range(3)})
    told = (published_step("rank_swap", {"columns": list(frame.columns), "percent": 30}),)
    scenario = Scenario.worst_case(Release(other, quasi=other.columns), told=told)
    result = judge(
        Transparency().claims(Release(frame, quasi=frame.columns), scenario), Truth.by_lineage(np.arange(500), 500)
    )
    # hits are about Poisson(1): more than 7 come once in a hundred thousand seeds
    assert result.value <= 7 / 500


def test_mdav_by_three_leaves_no_more_than_a_third(reference_data):
    frame = pl.read_csv(reference_data / "census.csv").with_columns(pl.all().cast(pl.Float64))
    original = Release(frame, quasi=frame.columns)
    m = original.protect(Mdav(columns=frame.columns, k=3))
    _, result = scored(m, original, knows=tuple(frame.columns))
    assert result.interval is not None
    assert result.interval[0] <= 1 / 3


@given(st.integers(0, 2**32), st.sampled_from([1.0, 0.8]), st.randoms())
def test_every_sure_link_is_right(seed, share, random):
    """Small files with ties and gaps, swapped, coarsened, blanked, sampled: whatever is sure is right."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(8, 60))
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "pay": rng.integers(0, 30, rows) * 100,
            "town": rng.choice(["N1A", "N1B", "N2A", "N3A"], rows),
            "sex": rng.choice(["f", "m"], rows),
        }
    ).with_columns(pl.when(pl.Series(rng.random(rows) < 0.1)).then(None).otherwise(pl.col("pay")).alias("pay"))
    original = Release(
        frame,
        quasi=frame.columns,
        kinds={"age": "continuous", "pay": "continuous"},
        hierarchies={"town": {"prefix": [3, 2, 1]}},
        missing="own",
    )
    steps = [
        RankSwap(columns=["age", "pay"], percent=20),
        Generalise(levels={"town": 1}),
        *([Sample(fraction=share)] if share < 1 else []),
        Shuffle(),
    ]
    m = original.protect(Pipeline(steps=steps), seed=seed)
    knows = random.sample(list(frame.columns), random.randint(1, 4))
    for inside, covers in ((True, True), (True, False), (False, True)):
        scenario = Scenario(file=original, knows=tuple(knows), told=m.trace, inside=inside, covers=covers)
        claims = Transparency().claims(m.release, scenario)
        assert sure_links_are_right(claims, m.rows())
        assert not any("contradicts" in note for note in claims.notes)


def test_someone_who_is_not_in_the_release_has_no_candidate():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"x{j}": rng.permutation(100) for j in range(3)})
    original = Release(frame, quasi=frame.columns, kinds=dict.fromkeys(frame.columns, "continuous"))
    m = original.protect(RankSwap(columns=frame.columns, percent=3), seed=1)
    stranger = pl.DataFrame({"x0": [0], "x1": [99], "x2": [0]})
    if ((frame["x0"] < 10) & (frame["x1"] > 90) & (frame["x2"] < 10)).any():
        pytest.fail("the stranger has a double")
    file = Release(stranger, quasi=stranger.columns, kinds=dict.fromkeys(frame.columns, "continuous"))
    told = {"file": file, "knows": tuple(frame.columns), "told": m.trace}
    claims = Transparency().claims(m.release, Scenario(**told))
    assert claims.set_sizes().tolist() == [0]
    forced = Transparency().claims(m.release, Scenario(**told, inside=True))
    assert forced.set_sizes().tolist() == [1]
    assert not forced.sure.any()
    assert "of the known people had no possible record" in forced.notes[0]


def test_an_intruder_larger_than_the_release_is_not_sure_from_inside():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x": rng.permutation(100)})
    original = Release(frame, quasi="x", kinds={"x": "continuous"})
    half = original.take(np.arange(50))
    scenario = Scenario(file=original, knows=("x",), told=NOTHING_DONE, inside=True)
    claims = Transparency().claims(half, scenario)
    assert not claims.sure.any()
    assert claims.set_sizes().sum() == 50
    covering = Scenario(file=original, knows=("x",), told=NOTHING_DONE, covers=True)
    assert Transparency().claims(half, covering).sure.sum() == 50


def test_invented_records_may_be_nobodys():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x": rng.permutation(100)})
    original = Release(frame, quasi="x", kinds={"x": "continuous"})
    for dummies, sure in ((5, 0), (0, 100)):
        told = (published_step("dummy_records", {"t": 0.1}, {"dummies": Finding(dummies, publishable=True)}),)
        scenario = Scenario(file=original, knows=("x",), told=told, covers=True)
        assert Transparency().claims(original, scenario).sure.sum() == sure


def test_scores_put_the_sure_links_first():
    original = clinical(200)
    m = original.protect(RankSwap(columns=["income", "rent"], percent=30), seed=1)
    claims, _ = scored(m, original, knows=("income", "rent"))
    assert np.isfinite(claims.scores).all()
    if claims.sure.any():
        assert claims.scores[claims.sure].min() > claims.scores[~claims.sure].max()


def test_long_work_can_be_cancelled():
    original = clinical(200)

    def stop(stage, share):
        raise Cancelled("stopped", fix="run it again")

    with pytest.raises(Cancelled):
        Transparency().claims(original, Scenario.worst_case(original, knows=KNOWN, told=NOTHING_DONE), progress=stop)


def test_the_common_call_makes_this_attack_too():
    original = clinical(300)
    m = original.protect(RankSwap(columns=["income", "rent", "visits"], percent=10), seed=1)
    found = reidentify(m, original=original, knows=["income", "rent", "visits"])
    assert found.value >= scored(m, original, knows=("income", "rent", "visits"))[1].value
    assert ATTACKS["transparency"].tags.linkage == "specific"
