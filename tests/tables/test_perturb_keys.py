"""Cell keys: consistent noise, and p-tables against published ones."""

import numpy as np
import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.release.release import Release
from tacit.tables.build.records import tabulate
from tacit.tables.files.ptable import read_ptable
from tacit.tables.perturb.perturb_counts import KEY, cell_keys, perturb_counts, record_keys, with_keys, with_noise
from tacit.tables.perturb.ptable import PTable
from tacit.tables.perturb.ptable_design import design_ptable


def people(count=400, seed=1):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "town": rng.choice(list("ABCDE"), count),
            "sex": rng.choice(["f", "m"], count),
            "age": rng.choice(["0-17", "18-64", "65+"], count),
        }
    )


# catalogue: G-06
@pytest.mark.parametrize(
    ("name", "parameters", "close"),
    [
        ("Frequency/tau_testW_ptable.txt", {"largest": 7, "variance": 4, "forbidden": 2}, 1e-8),
        ("Magnitude/ptab_freq.txt", {"largest": 5, "variance": 3, "forbidden": 2, "stay": 0.5}, 1e-7),
        ("Frequency/20160511_szenario_5a.txt", {"largest": 5, "variance": 2.001, "forbidden": 2}, 1e-5),
    ],
)
def test_the_design_gives_the_published_tables(reference_data, name, parameters, close):
    published = read_ptable(reference_data / "tables" / "tauargus" / "cellkey" / name)
    ours = design_ptable(**parameters)
    assert len(ours.changes) == len(published.changes)
    for count in range(len(ours.changes)):
        mine = dict(zip(ours.changes[count].tolist(), ours.chances[count], strict=True))
        theirs = dict(zip(published.changes[count].tolist(), published.chances[count], strict=True))
        for change in mine.keys() | theirs.keys():
            assert mine.get(change, 0) == pytest.approx(theirs.get(change, 0), abs=close)


# catalogue: G-06
@pytest.mark.parametrize(("largest", "variance", "forbidden"), [(1, 0.5, 0), (3, 1.5, 0), (5, 3.0, 2), (8, 5.0, 1)])
def test_moments_and_bounds_of_a_design(largest, variance, forbidden):
    table = design_ptable(largest=largest, variance=variance, forbidden=forbidden)
    for count, (change, chance) in enumerate(zip(table.changes, table.chances, strict=True)):
        assert chance.sum() == pytest.approx(1)
        assert chance @ change == pytest.approx(0, abs=1e-8)
        if count:
            assert chance @ change**2 == pytest.approx(variance, rel=1e-8)
        new = count + change
        assert ((new == 0) | (new > forbidden)).all()
        assert (np.abs(change) <= largest).all()
    assert table.chances[-1].tolist() == pytest.approx(table.chances[-1][::-1].tolist())


def test_a_variance_that_cannot_be_reached_names_the_count():
    with pytest.raises(TacitError, match="count of 1"):
        design_ptable(largest=5, variance=1, forbidden=2)
    for wrong in (
        {"largest": 0, "variance": 1},
        {"largest": 3, "variance": 10},
        {"largest": 3, "variance": 2, "stay": 1},
    ):
        with pytest.raises(TacitError):
            design_ptable(**wrong)


# catalogue: G-06
def test_the_same_cell_has_the_same_noise_in_every_table():
    records, noise = people(), design_ptable(largest=4, variance=2)
    one = perturb_counts(records, by=["town", "sex"], ptable=noise, seed=5)
    two = perturb_counts(records, by=["age", "town", "sex"], ptable=noise, seed=5)
    for town in ["Total", *"ABCDE"]:
        for sex in ("Total", "f", "m"):
            assert one.values[one.table.cell(town=town, sex=sex)] == two.values[two.table.cell(town=town, sex=sex)]
    # the same records under other codes are the same cell
    named = perturb_counts(records.with_columns(pl.col("town") + "x"), by="town", ptable=noise, seed=5)
    assert named.values[named.table.cell(town="Bx")] == one.values[one.table.cell(town="B")]
    assert (perturb_counts(records, by=["town", "sex"], ptable=noise, seed=6).values != one.values).any()


# catalogue: G-06
def test_shuffled_records_with_their_keys_give_the_same_table():
    records = people().with_columns(pl.Series("key", record_keys(400, seed=5)))
    noise = design_ptable(largest=4, variance=2)
    one = perturb_counts(records, by=["town", "age"], ptable=noise, key="key")
    shuffled = records.sample(fraction=1, shuffle=True, seed=3).sort("sex")
    two = perturb_counts(shuffled, by=["town", "age"], ptable=noise, key="key")
    for row in range(one.table.size):
        codes = one.table.labels.row(row, named=True)
        assert one.values[row] == two.values[two.table.cell(**codes)]
    seeded = perturb_counts(records, by=["town", "age"], ptable=noise, seed=5)
    assert (seeded.values == one.values).all()


# catalogue: G-06
def test_noise_has_the_chances_of_its_row_and_zeros_stay():
    table, keys = design_ptable(largest=3, variance=2, forbidden=1), record_keys(100_000, seed=9)
    for count in (1, 2, 9):
        noise = table.noise(np.full(len(keys), count), keys)
        row = min(count, len(table.changes) - 1)
        seen = np.array([(noise == change).mean() for change in table.changes[row]])
        spread = np.sqrt(table.chances[row] * (1 - table.chances[row]) / len(keys))
        # 5 standard errors: a right share is further off with a chance of 6e-7 each
        assert (np.abs(seen - table.chances[row]) <= 5 * spread).all()
        wrong = np.roll(table.chances[row], 1)
        assert (np.abs(seen - wrong) > 5 * spread).any()
    assert (table.noise(np.zeros(100), keys[:100]) == 0).all()
    result = perturb_counts(people(30), by=["town", "sex", "age"], ptable=table, seed=1)
    assert (result.values >= 0).all()
    assert result.facts["zeros kept"]
    assert not (result.values == 1).any()


def test_sums_of_keys_are_exact_in_any_order():
    keys = record_keys(200_000, seed=1)
    assert keys.sum() == keys[::-1].cumsum()[-1]
    assert abs(keys.mean() - 0.5) < 5 * np.sqrt(1 / 12 / len(keys))
    with pytest.raises(TacitError):
        cell_keys(np.array([np.nan]))


def test_mistakes_with_keys_and_files(tmp_path):
    noise, records = design_ptable(largest=3, variance=2), people(10)
    for wrong in ({}, {"seed": 1, "key": "town"}):
        with pytest.raises(TacitError, match="seed or from a column"):
            perturb_counts(records, by="town", ptable=noise, **wrong)
    keyed = records.with_columns(pl.Series("key", [0.5] * 9 + [1.5]))
    with pytest.raises(TacitError, match="row 10"):
        perturb_counts(keyed, by="town", ptable=noise, key="key")
    path = tmp_path / "p.txt"
    path.write_text("i; j; p; v; p_ub\n0; 0; 1; 0; 1\n1; 0; 0.4; -1; 0.4\n1; 3; 0.6; 2; 1\n")
    table = read_ptable(path)
    assert table.forbidden == 2 and table.largest == 2
    assert table.means()[1] == pytest.approx(0.8)
    assert table.variances()[1] == pytest.approx(0.4 * 1.8**2 + 0.6 * 1.2**2)
    wrong = (
        "0;0;1",
        "0;0;1;1;1",
        "0;0;1;0;1\n2;2;1;0;1",
        "",
        "0;0;1;0;1\n1;0;0.3;-1;0.3\n1;2;0.5;1;1",
        "0;0.5;1;0.5;1",
    )
    for text in wrong:
        path.write_text(f"i;j;p;v;u\n{text}\n")
        with pytest.raises(TacitError):
            read_ptable(path)
    with pytest.raises(TacitError, match="no such file"):
        read_ptable(tmp_path / "gone.txt")
    with pytest.raises(TacitError, match="below 0"):
        PTable((np.array([0]), np.array([-2, 2])), (np.array([1.0]), np.array([0.5, 0.5])))
    with pytest.raises(TacitError, match="count of 0"):
        PTable((np.array([1]),), (np.array([1.0]),))
    with pytest.raises(TacitError, match="add up to 1"):
        PTable((np.array([0]), np.array([0])), (np.array([1.0]), np.array([0.7])))


# catalogue: G-06
def test_keys_and_noise_in_two_steps_are_those_in_one():
    records, noise = people(), design_ptable(largest=4, variance=2)
    table = tabulate(with_keys(Release(records), seed=5), by=["town", "sex"], more=(KEY,))
    assert (
        with_noise(table, noise).values == perturb_counts(records, by=["town", "sex"], ptable=noise, seed=5).values
    ).all()
    with pytest.raises(TacitError, match="record keys"):
        with_noise(tabulate(records, by="town"), noise)
    with pytest.raises(TacitError, match="name of the record keys"):
        with_keys(Release(records.with_columns(pl.lit(0.5).alias(KEY))), seed=5)


def test_a_change_without_a_chance_is_never_made():
    """A key on the border of two changes belongs to the upper one; at 0 that is the first with a chance at all."""
    table = PTable((np.array([0]), np.array([-1, 0, 3])), (np.array([1.0]), np.array([0.0, 0.5, 0.5])))
    assert table.noise(np.ones(3), np.array([0.0, 0.25, 0.5])).tolist() == [0.0, 0.0, 3.0]


# catalogue: G-06
def test_every_change_has_exactly_its_share_of_the_keys():
    """Keys on a grid, whose points fall on the borders: each belongs to the change that begins there."""
    table = PTable((np.array([0]), np.array([-1, 0, 1])), (np.array([1.0]), np.array([0.25, 0.5, 0.25])))
    drawn = table.noise(np.full(64, 7.0), np.arange(64) / 64)
    assert [int((drawn == change).sum()) for change in (-1, 0, 1)] == [16, 32, 16]
