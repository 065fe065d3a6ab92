import duckdb
import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.errors import Cancelled
from tacit.protect import DataShuffle, DataSwap, RankSwap, RecordSwap


def census(households=2000, seed=1):
    """Households of one to four in 3 provinces of 4 towns each; rows in random order."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, households)
    town = rng.integers(0, 12, households)
    frame = pl.DataFrame(
        {
            "home": np.arange(households),
            "province": (town // 4).astype(str),
            "town": [f"t{t}" for t in town],
            "type": rng.choice(["flat", "house"], households),
            "size": size,
            "x": town * 10.0 + rng.integers(0, 5, households),
        }
    )
    frame = frame[np.repeat(np.arange(households), size)]
    rows = frame.height
    frame = frame.with_columns(
        sex=pl.Series(rng.choice(["f", "m"], rows)),
        job=pl.Series(rng.choice(["cook", "clerk", "smith", "mayor"], rows, p=[0.6, 0.3685, 0.03, 0.0015])),
    )
    return frame[rng.permutation(rows)]


def described(frame, **more):
    return Release(frame, quasi=["province", "town", "sex", "job"], household="home", missing="own", **more)


GEOGRAPHY = ["province", "town"]


def homes(frame):
    return frame.group_by("home").agg(pl.col("province", "town", "x", "type", "size").first()).sort("home")


def risky_level(frame, k):
    """By the book: 0 for households with a member whose class in its province is below k, 1 for the town, −1 for none."""
    level = {}
    for place in (1, 0):
        keys = [*GEOGRAPHY[: place + 1], "sex", "job"]
        counts = frame.with_columns(n=pl.len().over(keys))
        for home in counts.filter(pl.col("n") < k)["home"]:
            level[home] = place
    return np.array([level.get(home, -1) for home in range(frame["home"].n_unique())])


@pytest.mark.parametrize("share", [0, 0.2])
def test_numbers_of_households_and_persons_by_region_are_kept_exactly(share):  # catalogue: E-05
    before = census()
    masked = described(before).protect(
        RecordSwap(geography=GEOGRAPHY, k=3, share=share, similar=[["type"]], along="x"), seed=3
    )
    after = masked.release.to_native()
    for keys in (["province"], GEOGRAPHY, [*GEOGRAPHY, "x", "type"]):
        assert before.group_by(keys).len().sort(keys).equals(after.group_by(keys).len().sort(keys))
        old, new = (homes(frame).group_by([*keys, "size"]).len().sort([*keys, "size"]) for frame in (before, after))
        assert old.equals(new)
    stays = [name for name in before.columns if name not in (*GEOGRAPHY, "x")]
    assert before.select(stays).equals(after.select(stays))
    assert (after["town"].str.slice(1).cast(int) // 4 == after["province"].cast(int)).all()  # places move as a whole


def test_risky_households_move_across_the_level_at_which_they_are_risky():
    before = census()
    level = risky_level(before, 3)
    assert (level == 0).sum() >= 3 and (level == 1).sum() >= 3
    masked = described(before).protect(RecordSwap(geography=GEOGRAPHY, k=3, share=0), seed=4)
    old, new = homes(before), homes(masked.release.to_native())
    other_province = (old["province"] != new["province"]).to_numpy()
    other_town = (old["town"] != new["town"]).to_numpy()
    assert other_province[level == 0].all() and other_town[level == 1].all()
    found = masked.trace[0].outcome
    assert found["risky"].value == {"province": int((level == 0).sum()), "town": int((level == 1).sum())}
    assert found["without_partner"].value == {"province": 0, "town": 0}
    assert found["swapped"].value == pytest.approx(other_town.mean(), abs=1e-6)
    assert other_town.sum() <= 2 * (level >= 0).sum()  # with a share of 0 only the risky and their partners move


def test_further_households_move_up_to_the_share():
    before = census()
    moved = {}
    for share in (0, 0.3):
        masked = described(before).protect(RecordSwap(geography=GEOGRAPHY, k=2, share=share), seed=4)
        old, new = homes(before), homes(masked.release.to_native())
        moved[share] = (old["town"] != new["town"]).mean()
    assert moved[0] < 0.2
    assert moved[0.3] == 0.3


def test_profiles_are_tried_in_order_and_a_household_alone_stays():
    before = census(300)
    odd = before["home"][0]
    before = before.with_columns(
        type=pl.when(pl.col("home") == odd).then(pl.lit("castle")).otherwise(pl.col("type")),
        job=pl.when(pl.col("home") == odd).then(pl.lit("queen")).otherwise(pl.col("job")),
    )
    strict = RecordSwap(geography="town", k=5, share=0, similar=["type"])
    masked = described(before).protect(strict, seed=1)
    there = homes(before).filter(pl.col("home") == odd)["town"][0]
    assert homes(masked.release.to_native()).filter(pl.col("home") == odd)["town"][0] == there
    assert masked.trace[0].outcome["without_partner"].value["town"] == 1
    kind = RecordSwap(geography="town", k=5, share=0, similar=[["type"], []])
    masked = described(before).protect(kind, seed=1)
    assert homes(masked.release.to_native()).filter(pl.col("home") == odd)["town"][0] != there
    assert masked.trace[0].outcome["without_partner"].value["town"] == 0


@pytest.mark.parametrize(
    "method",
    [
        RankSwap(columns="x", percent=10),
        RankSwap(columns="x", percent=10, form="buckets", strata="type"),
        DataSwap(columns="job", share=0.3, within="type", target="risk", k=3),
        RecordSwap(geography=GEOGRAPHY, k=3, share=0.1, along="x"),
        DataShuffle(columns="x", given="size"),
    ],
    ids=lambda method: type(method).__name__,
)
def test_a_table_in_duckdb_comes_out_as_one_in_memory(method):
    frame = census(300)
    ours, theirs = (
        described(table, kinds={"size": "continuous"}).protect(method, seed=1)
        for table in (frame, duckdb.connect().from_arrow(frame.to_arrow()))
    )
    assert ours.trace == theirs.trace
    assert theirs.to_native().pl().select(frame.columns).equals(ours.to_native())


@pytest.mark.parametrize("stop", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "method",
    [
        RankSwap(columns="x", percent=10),
        DataSwap(columns="job", share=0.3),
        RecordSwap(geography=GEOGRAPHY, k=3, share=0.1),
        DataShuffle(columns="x", given="size"),
    ],
    ids=lambda method: type(method).__name__,
)
def test_work_is_told_and_can_be_cancelled(method, stop):
    release = described(census(300), kinds={"size": "continuous"})
    told = []
    release.protect(method, seed=1, progress=lambda step, share: told.append((step, share)))
    assert [share for _, share in told] == sorted(share for _, share in told) and told[-1][1] == 1.0
    with pytest.raises(Cancelled):
        release.protect(method, seed=1, progress=lambda _, share: share < stop)


def test_sizes_may_differ_when_asked_for():
    before = census(300)
    masked = described(before).protect(RecordSwap(geography="town", k=2, share=0.5, same_size=False), seed=1)
    old, new = homes(before), homes(masked.release.to_native())
    assert old["town"].sort().equals(new["town"].sort())
    assert (
        not old.group_by(["town", "size"])
        .len()
        .sort(["town", "size"])
        .equals(new.group_by(["town", "size"]).len().sort(["town", "size"]))
    )


def test_unknown_places_stay_and_persons_alone_are_households():
    before = census(300).with_columns(
        town=pl.when(pl.col("home") % 5 == 0).then(pl.lit(None)).otherwise(pl.col("town"))
    )
    masked = described(before).protect(RecordSwap(geography=["town"], k=2, share=0.9, keys="job"), seed=1)
    assert masked.release.series("town").is_null().equals(before["town"].is_null())
    alone = Release(before.drop("home"), quasi=["town", "job"], missing="own")
    assert alone.protect(RecordSwap(geography="town", k=2, share=0.5), seed=1).release.size == before.height


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"geography": []}, "names no column"),
        ({"geography": 3}, "names no column"),
        ({"k": 1}, "k=1"),
        ({"share": 2}, "share=2"),
        ({"similar": 3}, "names no columns"),
        ({"similar": ["type", ["size"]]}, "mixes names and profiles"),
        ({"keys": ["town"]}, "named again"),
        ({"along": "town"}, "named again"),
        ({"same_size": "yes"}, "neither true nor false"),
    ],
)
def test_parameters_are_checked(wrong, text):
    with pytest.raises(TacitError, match=text):
        RecordSwap(**({"geography": "town", "k": 3, "share": 0.1} | wrong))


def test_mistakes_are_answered():
    release = described(census(300))
    with pytest.raises(TacitError, match="seed=7"):
        release.protect(RecordSwap(geography="town", k=3, share=0.1))
    with pytest.raises(TacitError, match="'job' differs within households"):
        release.protect(RecordSwap(geography="town", k=3, share=0.1, similar=["job"]), seed=1)
    with pytest.raises(TacitError, match="did you mean 'town'"):
        release.protect(RecordSwap(geography="twn", k=3, share=0.1), seed=1)
    with pytest.raises(TacitError, match="no quasi-identifier but the geography"):
        Release(census(30), quasi="town").protect(RecordSwap(geography="town", k=3, share=0.1), seed=1)
    with pytest.raises(TacitError, match="like one in another region"):
        one = release.with_columns({"town": pl.Series(["t1"] * release.size)})
        one.protect(RecordSwap(geography="town", k=3, share=0.1, keys="job"), seed=1)


def test_the_survey_of_sdcmicro(reference_data):
    """testdata, 5 %: sdcMicro moved 56 households; ours moves 5 % of them, and the risky ones beside."""
    frame = pl.read_csv(reference_data / "testdata.csv")
    frame = frame.with_columns(town=(pl.col("ori_hid") * 7919 % 10))
    frame = frame.with_columns(town=pl.col("town").first().over("ori_hid"))
    release = Release(frame, household="ori_hid", quasi=["sex", "relat"])
    masked = release.protect(RecordSwap(geography="town", k=2, share=0.05, keys=["urbrur"]), seed=1)
    households = frame["ori_hid"].n_unique()
    moved = masked.trace[0].outcome["swapped"].value * households
    assert moved == pytest.approx(0.05 * households, abs=2.01)
    assert (masked.release.to_native().group_by("town").len().sort("town")).equals(
        frame.group_by("town").len().sort("town")
    )


def test_a_household_that_is_risky_in_its_town_only_stays_in_its_province():
    """Risky at the finer level: a partner in the same province is preferred, so that provinces keep their people (E-05)."""
    rng = np.random.default_rng(3)
    province = rng.integers(0, 3, 3000)
    town = province * 10 + rng.integers(0, 10, 3000)
    frame = pl.DataFrame({"province": province, "town": town, "job": rng.integers(0, 60, 3000)})
    release = Release(frame, quasi=["job"], kinds={"province": "nominal", "town": "nominal", "job": "nominal"})
    masked = release.protect(RecordSwap(geography=["province", "town"], k=3, share=0.05), seed=7)
    risky = masked.trace[0].outcome["risky"].value
    assert risky["province"] < 30 < risky["town"]
    moved = masked.to_native()
    assert (moved["town"] // 10 == moved["province"]).all()
    assert (moved["province"] != frame["province"]).sum() <= 0.05 * 3000
    assert (moved["town"] != frame["town"]).mean() > 0.5


def test_a_geography_from_fine_to_coarse_is_refused():
    frame = pl.DataFrame({"province": ["P", "P", "Q"] * 9, "town": ["a", "b", "c"] * 9, "job": ["x"] * 27})
    with pytest.raises(TacitError, match="lies within 'province'") as caught:
        Release(frame, quasi="job").protect(RecordSwap(geography=["town", "province"], k=2, share=0.1), seed=1)
    assert caught.value.column == "town"
