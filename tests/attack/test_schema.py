"""A file with other names and units: its columns are recognised by their values. catalogue: C-06, A-02."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import Release, TacitError
from tacit.attack import match_schema, reidentify
from tacit.attack.matching.association import column_associations
from tacit.attack.matching.column_view import view_column
from tacit.attack.matching.numbers import Unit, cell_quantiles, unit_change
from tacit.claims import Scenario, Truth
from tacit.protect import Generalise, Mdav, RankSwap

FACTORS = (1, 1000, 0.01, 12, 2.54, 0.3048, 0.45359237)

SAME_THING = ({"PEARNVAL", "WSALVAL", "ERNVAL"},)
"""Three columns of the Census that hold nearly the same earnings."""


@pytest.fixture(scope="module")
def clinic() -> Release:
    e = tacit.examples.clinic(2000)
    return Release(e.frame, **e.roles, kinds=e.kinds, hierarchies=e.hierarchies, missing=e.missing)


@pytest.fixture(scope="module")
def census(reference_data) -> pl.DataFrame:
    return pl.read_csv(reference_data / "census.csv").cast(pl.Float64)


def changed(theirs: np.ndarray, ours: np.ndarray) -> Unit:
    return unit_change(cell_quantiles(theirs), cell_quantiles(ours))


def disguised(frame: pl.DataFrame, seed: int, *, rows: int, noise: float) -> tuple[Release, dict[str, str]]:
    """Some of the rows, the columns permuted, renamed, each in another unit and with noise; and who is who."""
    rng = np.random.default_rng(seed)
    part = frame.sample(rows, seed=seed)
    columns, truth = {}, {}
    for place, column in enumerate(rng.permutation(frame.columns).tolist()):
        cells = part[column].to_numpy()
        noisy = cells + noise * cells.std() * rng.standard_normal(rows)
        columns[f"v{place}"], truth[f"v{place}"] = noisy * rng.choice(FACTORS), column
    return Release(pl.DataFrame(columns)), truth


@pytest.mark.parametrize(
    ("masking", "rows", "noise", "power"),
    [
        (None, 1080, 0.0, 1.0),
        (None, 500, 0.1, 0.6),
        (lambda columns: Mdav(columns=columns, k=3), 1080, 0.0, 0.75),
        (lambda columns: RankSwap(columns=columns, percent=5), 1080, 0.0, 0.9),
    ],
)
def test_columns_of_the_census_are_found_in_other_units(census, masking, rows, noise, power):
    release = Release(census, quasi=census.columns)
    if masking is not None:
        release = release.protect(masking(tuple(census.columns)), seed=1).release
    right = wrong = 0
    for seed in range(2):
        file, truth = disguised(census, seed, rows=rows, noise=noise)
        for pair in match_schema(release, file).pairs:
            alike = any({truth[pair.theirs], pair.ours} <= group for group in SAME_THING)
            right += truth[pair.theirs] == pair.ours
            wrong += truth[pair.theirs] != pair.ours and not alike
    assert right >= power * 2 * len(census.columns)
    assert wrong == 0


def test_the_clinic_is_found_under_other_names_units_dates_and_codes(clinic):
    part = clinic.to_native().sample(800, seed=3)
    sexes = {value: number for number, value in enumerate(sorted(part["sex"].drop_nulls().unique()))}
    file = Release(
        pl.DataFrame(
            {
                "q1": part["birth"].dt.strftime("%d.%m.%Y"),
                "q2": part["income"] / 1000,
                "q3": part["zip"],
                "q4": part["sex"].replace_strict(sexes, return_dtype=pl.Int64),
                "q5": part["occupation"].str.to_uppercase(),
                "q6": part["rent"] * 12,
            }
        )
    )
    found = match_schema(clinic, file)
    pairs = {pair.theirs: pair for pair in found.pairs}
    theirs = {"q1": "birth", "q2": "income", "q3": "zip", "q5": "occupation", "q6": "rent"}
    assert {name: pairs[name].ours for name in theirs} == theirs
    assert (pairs["q2"].scale, pairs["q6"].scale) == (1000, pytest.approx(1 / 12))
    known = found.convert_file(file)
    for column in ("birth", "zip", "occupation"):
        assert known.series(column).equals(part[column])
    assert known.series("rent").to_numpy() == pytest.approx(part["rent"].to_numpy())
    if "q4" in pairs:  # a guess, and said to be one
        assert pairs["q4"].is_guessed
        assert pairs["q4"].values == {str(number): value.lower() for value, number in sexes.items()}


def test_every_attack_can_run_on_the_matched_file(clinic):
    masked = clinic.protect(Generalise(levels={"zip": 2, "birth": 3}))
    rows = np.random.default_rng(0).permutation(clinic.size)[:600]
    part = clinic.to_native()[rows.tolist()]
    file = Release(pl.DataFrame({"a": part["zip"], "b": part["birth"].dt.strftime("%Y%m%d"), "c": part["occupation"]}))
    match = match_schema(masked, file)
    assert {(pair.theirs, pair.ours) for pair in match.pairs} == {("a", "zip"), ("b", "birth"), ("c", "occupation")}
    known = match.convert_file(file)
    truth = Truth.by_lineage(None, clinic.size).of_rows(rows)
    scenario = Scenario(file=known, knows=known.columns)
    by_match = reidentify(masked, original=scenario, truth=truth, attack="distance")
    own = Scenario(file=clinic.take(rows), knows=("zip", "birth", "occupation"))
    assert by_match.value == reidentify(masked, original=own, truth=truth, attack="distance").value


def test_unrelated_files_are_not_matched(census, clinic, reference_data):
    read = lambda name: Release(pl.read_csv(reference_data / name).select(pl.selectors.numeric()))  # noqa: E731
    files = [Release(census), clinic, read("eia.csv"), read("tarragona.csv")]
    assert [match_schema(a, b).pairs for a, b in permutations(files, 2)] == [()] * 12


@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (2.54, 0), (1000, 0), (1 / 12, 0), (1.8, 32), (0.45359237, 0)])
def test_known_units_are_snapped_to(scale, shift):
    """From a third of the people and with some noise, for nine samples of ten."""
    right = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        ours = rng.gamma(5, 20, 2000)
        theirs = (rng.permutation(ours)[:700] + rng.normal(0, 2, 700) - shift) / scale
        found = changed(theirs, ours)
        right += (found.scale, found.shift) == (pytest.approx(scale), pytest.approx(shift)) and found.score > 0.65
    assert right >= 9


def test_free_units_are_fitted_and_believed_less():
    rng = np.random.default_rng(2)
    ours = rng.gamma(5, 20, 2000)
    found = changed(ours * 0.137 + 55, ours)
    assert found.how == "fitted"
    assert found.scale == pytest.approx(1 / 0.137, rel=1e-6)
    assert found.score < 0.6
    born = changed(2020 - rng.integers(18, 95, 3000).astype(float), rng.integers(18, 95, 3000).astype(float))
    assert (born.how, born.scale) == ("age and year", -1)
    assert abs(born.shift - 2020) <= 2
    assert cell_quantiles(np.ones(50)) is None
    assert cell_quantiles(np.full(5, np.nan)) is None


def test_associations_are_the_textbook_ones():
    rng = np.random.default_rng(3)
    x = rng.normal(size=3000)
    y = x + rng.normal(size=3000)
    group = np.where(x > 0, "up", "down")
    other = np.where(rng.random(3000) < 0.8, group, "down")
    r = Release(pl.DataFrame({"x": x, "y": -y, "g": group, "h": other}))
    found, ordered = column_associations([view_column(r, column) for column in r.columns])
    assert ordered.tolist() == [True, True, False, False]
    assert found[0, 1] == pytest.approx(pl.select(pl.corr(pl.Series(x), pl.Series(-y), method="spearman")).item())
    ranks = pl.Series(x).rank().to_numpy()
    means = np.where(group == "up", ranks[group == "up"].mean(), ranks[group == "down"].mean())
    assert found[0, 2] == pytest.approx(np.sqrt(means.var() / ranks.var()), abs=1e-3)  # the adjustment is of order 1/n
    table = np.array([[((group == a) & (other == b)).sum() for b in ("up", "down")] for a in ("up", "down")])
    phi = np.linalg.det(table) / np.sqrt(np.prod([*table.sum(axis=0), *table.sum(axis=1)]))
    assert found[2, 3] == pytest.approx(abs(phi), abs=1e-3)


def test_neither_row_nor_column_order_matters(census):
    release = Release(census, quasi=census.columns)
    file, _ = disguised(census, 5, rows=600, noise=0.05)
    rng = np.random.default_rng(0)
    turned = Release(census.sample(fraction=1.0, shuffle=True, seed=1).select(census.columns[::-1]))
    shuffled = file.take(rng.permutation(600)).select(file.columns[::-1])
    one, two = match_schema(release, file), match_schema(turned, shuffled)
    assert {(p.theirs, p.ours, round(p.score, 9)) for p in one.pairs} == {
        (p.theirs, p.ours, round(p.score, 9)) for p in two.pairs
    }


def test_odd_files_are_left_out_with_a_reason(clinic):
    odd = Release(pl.DataFrame({"empty": [None] * 50, "constant": ["a"] * 50, "few": [1.5] + [None] * 49}))
    found = match_schema(clinic, odd)
    assert not found.pairs
    assert found.left_out == {
        "empty": "too few known cells",
        "constant": "nothing like it",
        "few": "too few known cells",
    }
    assert "left out: nothing like it" in str(found)
    with pytest.raises(TacitError, match="no column was matched"):
        found.convert_file(odd)
    with pytest.raises(TacitError, match="least=2"):
        match_schema(clinic, odd, least=2)
    with pytest.raises(TacitError, match="is not in the table"):
        match_schema(clinic, odd, columns="zap")
    assert not match_schema(clinic, odd.take(np.zeros(0, dtype=int))).pairs


def test_two_columns_that_cannot_be_told_apart_are_not_claimed():
    x = np.random.default_rng(0).normal(50, 9, 400)
    twins = Release(pl.DataFrame({"a": x, "b": x[::-1]}))
    found = match_schema(twins, Release(pl.DataFrame({"q": np.roll(x, 7)})))
    assert found.left_out == {"q": "several columns of the release are as good"}
