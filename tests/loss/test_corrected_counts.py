"""Corrected counts after PRAM. catalogue: F-05."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.published import published_step

from tacit import Release, TacitError
from tacit.loss.corrected import counts
from tacit.protect import Pram, RankSwap, Recode, Sample
from tacit.release.trace import Trace

SEEDS = range(50)
SEX = {"sex": {"F": {"F": 0.9, "M": 0.1}, "M": {"F": 0.2, "M": 0.8}}}


def people(rows: int = 1500) -> Release:
    rng = np.random.default_rng(4)
    sex = rng.choice(["F", "M"], rows, p=[0.3, 0.7])
    region = np.where(
        sex == "F", rng.choice(["N", "S", "W"], rows, p=[0.7, 0.2, 0.1]), rng.choice(["N", "S", "W"], rows)
    )
    return Release(pl.DataFrame({"sex": sex, "region": region, "old": rng.random(rows) < 0.4}))


def real(release: Release, columns: list[str], names) -> np.ndarray:
    found = dict(zip(names, np.zeros(len(names)), strict=True))
    for *name, count in release.to_native().group_by(columns).len().iter_rows():
        found[tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in name)] = count
    return np.array(list(found.values()))


def simulated(mask, columns):
    found = [counts(mask(seed), columns=columns) for seed in SEEDS]
    corrected, naive, error = (
        np.array([getattr(one, name) for one in found]) for name in ("corrected", "naive", "standard_error")
    )
    return found[0].names, corrected, naive, error


def test_two_by_two_by_hand():
    """t = (300, 700), P = [[.9, .1], [.2, .8]]: T = P'⁻¹t = (1/.7)(.8·300 − .2·700, .9·700 − .1·300)."""
    frame = pl.DataFrame({"sex": ["F"] * 300 + ["M"] * 700})
    step = published_step("pram", {"columns": ["sex"], "matrix": SEX})
    found = counts(Release(frame), columns="sex", trace=[step])
    assert found.corrected == pytest.approx([100 / 0.7, 600 / 0.7])
    # Var(t_F | T) = T_F·.9·.1 + T_M·.2·.8, and T̂_F moves 1/.7 with t_F.
    spread = (100 / 0.7 * 0.09 + 600 / 0.7 * 0.16) / 0.49
    assert found.standard_error == pytest.approx([np.sqrt(spread)] * 2)
    assert found.naive.tolist() == [300, 700]


@pytest.mark.parametrize(
    ("methods", "columns"),
    [
        ([Pram(columns="sex", matrix=SEX)], ["sex"]),
        ([Pram(columns="region", stay=0.7)], ["region"]),
        ([Pram(columns=["region", "sex"], stay=0.7, spread="frequency")], ["sex", "region"]),
        ([Pram(columns=["region", "sex"], stay=0.7, form="invariant")], ["sex", "region"]),
        ([Pram(columns="old", stay=0.8)], ["old", "sex"]),
        ([Pram(columns="region", stay=0.7, strata="sex")], ["region", "old"]),
        ([Pram(columns="sex", matrix=SEX), Pram(columns="sex", stay=0.9)], ["sex", "old"]),
    ],
)
def test_corrected_counts_are_right_on_average_and_naive_ones_are_not(methods, columns):
    original = people()

    def mask(seed):
        masked = original.protect(methods[0], seed=seed)
        for method in methods[1:]:
            masked = masked.then(method, seed=seed)
        return masked

    names, corrected, naive, error = simulated(mask, columns)
    true = real(original, columns, names)
    of_mean = corrected.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
    assert np.all(np.abs(corrected.mean(axis=0) - true) < 4.5 * of_mean + 1e-6)
    assert np.any(np.abs(naive.mean(axis=0) - true) > 6 * of_mean)
    # The standard errors are those that the draws show, and the intervals cover what they say.
    assert np.sqrt((error**2).mean(axis=0)) == pytest.approx(corrected.std(axis=0, ddof=1), rel=0.4)
    assert 0.9 <= (np.abs(corrected - true) < 1.96 * error).mean() <= 0.99
    assert corrected.sum(axis=1) == pytest.approx(original.size)


def test_invariant_pram_needs_no_correction_of_one_column():
    original = people()
    masks = Pram(columns="region", stay=0.6, form="invariant")
    names, corrected, naive, error = simulated(lambda seed: original.protect(masks, seed=seed), ["region"])
    assert np.array_equal(corrected, naive)
    true = real(original, ["region"], names)
    spread = corrected.std(axis=0, ddof=1)
    assert np.all(np.abs(corrected.mean(axis=0) - true) < 4.5 * spread / np.sqrt(len(SEEDS)))
    assert np.sqrt((error**2).mean(axis=0)) == pytest.approx(spread, rel=0.4)
    assert "need no correction" in counts(original.protect(masks, seed=1), columns="region").notes[0]


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2**32), st.data())
def test_the_correction_inverts_the_matrix(size, seed, data):
    """Where the released counts are exactly the expected ones, the corrected ones are the true ones."""
    rng = np.random.default_rng(seed)
    matrix = 0.6 * np.eye(size) + 0.4 * rng.dirichlet(np.ones(size), size)
    shown = np.array(data.draw(st.lists(st.integers(1, 50), min_size=size, max_size=size)))
    names = [f"v{place}" for place in range(size)]
    rows = {names[k]: dict(zip(names, matrix[k].tolist(), strict=True)) for k in range(size)}
    frame = pl.DataFrame({"v": np.repeat(names, shown)})
    found = counts(Release(frame), columns="v", trace=[published_step("pram", {"columns": "v", "matrix": {"v": rows}})])
    assert found.corrected @ matrix == pytest.approx(shown)


def test_without_pram_the_counts_are_those_of_the_release():
    found = counts(people(), columns=["sex", "old"], trace=())
    assert np.array_equal(found.corrected, found.naive)
    assert not found.standard_error.any()
    assert found.matrix().shape == (2, 2)
    assert found.of("F", "true") == ((people().series("sex") == "F") & people().series("old")).sum()


def test_only_what_is_published_is_used():
    masked = people().protect(Pram(columns=["region", "sex"], stay=0.7, form="invariant", strata="old"), seed=1)
    public = [Trace.from_json(json.loads(json.dumps(step.as_json(public=True)))) for step in masked.trace]
    given = counts(masked.release, columns=["region", "sex"], trace=public)
    assert given.corrected == pytest.approx(counts(masked, columns=["region", "sex"]).corrected)


def test_rare_categories_leave_the_matrix_unpublished():
    frame = pl.concat([people().to_native(), pl.DataFrame({"sex": ["X"] * 4, "region": "N", "old": True})])
    evenly = Release(frame).protect(Pram(columns="sex", stay=0.9), seed=1)
    assert "made from stay" in " ".join(counts(evenly, columns="sex").notes)
    hidden = Release(frame).protect(Pram(columns="sex", stay=0.9, spread="frequency"), seed=1)
    with pytest.raises(TacitError, match="not published") as problem:
        counts(hidden, columns="sex")
    assert "rare" in problem.value.fix


def test_counts_below_zero_are_given_with_a_note():
    frame = pl.DataFrame({"sex": ["F"] * 5 + ["M"] * 95})
    found = counts(Release(frame), columns="sex", trace=[published_step("pram", {"columns": "sex", "matrix": SEX})])
    assert found.of("F") < 0
    assert "below 0" in found.notes[-1]


@pytest.mark.parametrize(
    ("make", "columns", "says"),
    [
        (lambda r: r.protect(Pram(columns="sex", stay=0.5), seed=1), "sex", "singular"),
        (lambda r: r.protect(Pram(columns="sex", stay=0.8), seed=1), "zip", "not in the table"),
        (lambda r: r.protect(Pram(columns="sex", stay=0.8), seed=1), [], "no column is named"),
        (lambda r: r.protect(Recode(column="region", groups={"far": ["S", "W"]})), "region", "recode"),
        (lambda r: r.protect(RankSwap(columns=["n"], percent=5), seed=1), "n", "rank_swap"),
        (
            lambda r: r.protect(Pram(columns="region", stay=0.8, strata="sex"), seed=1).then(
                Pram(columns="sex", stay=0.9), seed=2
            ),
            "region",
            "makes the strata",
        ),
    ],
)
def test_what_cannot_be_corrected_is_refused(make, columns, says):
    release = Release(people().to_native().with_columns(n=pl.int_range(1500)))
    with pytest.raises(TacitError, match=says):
        counts(make(release), columns=columns)


def test_steps_on_other_columns_and_missing_values_are_fine():
    frame = (
        people().to_native().with_columns(sex=pl.when(pl.int_range(1500) % 10 == 0).then(None).otherwise(pl.col("sex")))
    )
    masked = Release(frame).protect(Pram(columns="sex", stay=0.8), seed=1)
    later = masked.then(Recode(column="region", groups={"far": ["S", "W"]})).then(Sample(size=1499), seed=1)
    found = counts(later, columns="sex")
    assert found.records < 1400
    assert any("without a value" in note for note in found.notes)
    assert any("sample" in note for note in found.notes)
    wrong = published_step("pram", {"columns": "region", "matrix": {"region": {"N": {"N": 1.0}}}})
    with pytest.raises(TacitError, match="2 categories that the published matrix does not name"):
        counts(people(), columns="region", trace=[wrong])


def test_households_that_change_together_have_larger_standard_errors():
    rng = np.random.default_rng(6)
    home = np.repeat(np.arange(300), 4)
    region = rng.choice(["N", "S"], 300, p=[0.3, 0.7])[home]
    original = Release(pl.DataFrame({"home": home, "region": region}), household="home")
    mask = Pram(columns="region", stay=0.8)
    _, corrected, _, error = simulated(lambda seed: original.protect(mask, seed=seed), ["region"])
    assert np.sqrt((error**2).mean(axis=0)) == pytest.approx(corrected.std(axis=0, ddof=1), rel=0.35)
    apart = Release(original.to_native().drop("home")).protect(mask, seed=1)
    assert counts(apart, columns="region").standard_error[0] == pytest.approx(error[:, 0].mean() / 2, rel=0.1)


@pytest.mark.parametrize("method", ["mondrian", "k_member", "local_recode"])
def test_a_step_that_goes_by_roles_may_have_changed_any_column_of_a_file_without_roles(method):
    with pytest.raises(TacitError, match=f"changed by the step {method}"):
        counts(people(), columns="sex", trace=[published_step(method, {})])
    roles = people().with_metadata(roles={"region": "quasi"})
    assert counts(roles, columns="sex", trace=[published_step(method, {})]).notes == ("sex: no step changed it",)
