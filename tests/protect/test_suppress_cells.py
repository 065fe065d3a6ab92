import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.models import KAnonymity
from tacit.protect import SuppressCells

DECK = pl.DataFrame(
    [
        ("North", "[20-30]"),
        ("South", "[30-40]"),
        ("South", "[20-30]"),
        ("South-West", "[20-30]"),
        ("East", "[30-40]"),
        ("South-West", "[30-40]"),
        ("South", "[50-60]"),
        ("East", "[20-30]"),
    ],
    schema=["region", "age"],
    orient="row",
)


def smallest(rows, missing):
    """The smallest number of records that match one, counted pair by pair."""

    def alike(a, b):
        free = missing == "any" and (a is None or b is None)
        return free or a == b

    return min(sum(all(map(alike, row, other)) for other in rows) for row in rows)


@pytest.mark.parametrize("missing", ["own", "any"])
def test_what_the_deck_lacks(missing):  # catalogue: E-13
    blanked_by_the_deck = DECK.with_columns(region=pl.when(pl.col("region") != "North").then("region"))
    assert smallest(blanked_by_the_deck.rows(), "any") == 1  # a single blank is not enough, even as a wildcard
    release = Release(DECK, quasi=["region", "age"], missing=missing)
    masked = release.protect(SuppressCells(k=2)).release
    assert smallest(masked.native().rows(), missing) >= 2
    assert sum(masked.suppressed.values()) <= {"own": 10, "any": 4}[missing]


values = st.sampled_from([*"abc", None])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(values, values, values), min_size=2, max_size=14),
    st.integers(2, 5),
    st.sampled_from(["own", "any"]),
    st.permutations(["x", "y", "z"]),
    st.booleans(),
)
def test_k_anonymity_truly_holds(rows, k, missing, order, with_households):  # catalogue: E-13
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String, "z": pl.String}, orient="row")
    frame = frame.with_columns(home=pl.int_range(pl.len()) // 3)
    if with_households:
        frame = frame.with_columns(z=pl.col("z").first().over("home"))
    release = Release(frame, quasi=["x", "y", "z"], missing=missing, household="home" if with_households else None)
    if k > len(rows):
        with pytest.raises(TacitError, match="above"):
            release.protect(SuppressCells(k=k, columns=order))
        return
    masked = release.protect(SuppressCells(k=k, columns=order))
    new = masked.release.native()
    assert smallest(new.select("x", "y", "z").rows(), missing) >= k
    assert KAnonymity(k=k).holds(masked.release)
    assert release.native().equals(frame)
    for column in "xyz":  # cells are blanked, never changed, and remembered
        kept = new[column].is_not_null()
        assert new[column].filter(kept).equals(frame[column].filter(kept))
        assert masked.release.suppressed.get(column, 0) == new[column].null_count() - frame[column].null_count()
    assert masked.trace[0].outcome["suppressed"].value == {c: n for c, n in masked.release.suppressed.items() if n}
    if with_households:
        assert new.group_by("home").agg(pl.col("z").n_unique())["z"].max() == 1


@given(st.lists(st.tuples(values, values, values), min_size=2, max_size=12), st.integers(2, 4))
def test_no_blank_is_there_in_vain(rows, k):
    """Under "any", equal records that got their value back in one column would leave somebody with too few matches."""
    k = min(k, len(rows))
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String, "z": pl.String}, orient="row")
    new = Release(frame, quasi=frame.columns, missing="any").protect(SuppressCells(k=max(2, k))).release.native().rows()
    for place in range(3):
        for old, blanked in {
            (o, b) for o, b in zip(rows, new, strict=True) if o[place] is not None and b[place] is None
        }:
            back = (*blanked[:place], old[place], *blanked[place + 1 :])
            pairs = zip(rows, new, strict=True)
            assert smallest([back if (o, b) == (old, blanked) else b for o, b in pairs], "any") < max(2, k)


def test_the_first_column_is_given_up_first():
    frame = pl.DataFrame({"a": list("xxxxy"), "b": list("ppppq")})
    for order in (["a", "b"], ["b", "a"]):
        release = Release(frame, quasi=["a", "b"], missing="any")
        masked = release.protect(SuppressCells(k=2, columns=order[0]))
        # one blank in the odd record is not enough: it would match nobody on the other column
        assert masked.release.suppressed == {"a": 1, "b": 1}
    frame = pl.DataFrame({"a": list("xxxxy"), "b": list("ppppp")})
    masked = Release(frame, quasi=["a", "b"], missing="any").protect(SuppressCells(k=2, columns=["b", "a"]))
    assert masked.release.suppressed == {"a": 1}  # giving up b alone would not help


def test_by_default_the_column_with_most_values_goes_first():
    frame = pl.DataFrame({"few": list("ppppq"), "many": list("vvwwx")})
    masked = Release(frame, quasi=["few", "many"], missing="any").protect(SuppressCells(k=2))
    assert masked.trace[0].outcome["suppressed"].value == {"many": 1, "few": 1}
    assert list(masked.trace[0].outcome["suppressed"].value) == ["many", "few"]


def test_those_who_lost_everything_are_joined_by_what_classes_can_spare():
    # under "own" the odd one cannot be alone with its blanks: one of the four a's joins it, the b's stay
    frame = pl.DataFrame({"q": list("aaaabbbc")})
    masked = Release(frame, quasi="q", missing="own").protect(SuppressCells(k=2)).release
    new = masked.series("q").to_list()
    assert new.count(None) == 2 and new[7] is None
    # where nobody can be spared, a whole class joins: the smaller one
    frame = pl.DataFrame({"q": list("aaabbbc")})
    masked = Release(frame, quasi="q", missing="own").protect(SuppressCells(k=3)).release
    assert masked.series("q").null_count() == 4


@pytest.mark.parametrize(("k", "peer"), [(3, 293), (5, 500)])
def test_fewer_cells_than_the_peer_on_the_survey(
    reference_data, k, peer
):  # sdcMicro 5.8.1, localSuppression, same keys
    keys = "urbrur roof walls water electcon relat sex".split()
    masked = (
        Release(pl.read_csv(reference_data / "testdata.csv"), quasi=keys, missing="any")
        .protect(SuppressCells(k=k))
        .release
    )
    assert KAnonymity(k=k).holds(masked)
    assert sum(masked.suppressed.values()) < 0.7 * peer


def test_mistakes_are_answered():
    release = Release(DECK, quasi="region")
    with pytest.raises(TacitError, match="missing='own'"):
        release.protect(SuppressCells(k=2))
    release = Release(DECK, quasi="region", missing="own")
    with pytest.raises(TacitError, match="k=9 is above the 8 records"):
        release.protect(SuppressCells(k=9))
    with pytest.raises(TacitError, match="not a quasi-identifier"):
        release.protect(SuppressCells(k=2, columns="age"))
    with pytest.raises(TacitError, match="no quasi-identifier"):
        Release(DECK, missing="own").protect(SuppressCells(k=2))
    for k in (1, None, 2.0):
        with pytest.raises(TacitError, match="k="):
            SuppressCells(k=k)
