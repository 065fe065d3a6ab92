"""Local recoding: LocalRecode itself, and what it and its relatives Mondrian and KMember must all keep."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import generalisation
from tacit.models import KAnonymity, LDiversity, TCloseness
from tacit.protect import Generalise, KMember, LocalRecode, Mondrian

from .recoding_checks import TOWNS, fewest, fewest_values, kept, tables

METHODS = {
    "local_recode": LocalRecode,
    "in blocks": lambda **given: LocalRecode(block=4, **given),
    "k_member": KMember,
    "mondrian": Mondrian,
    "relaxed": lambda **given: Mondrian(strict=False, **given),
}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
few = settings(max_examples=max(10, settings.default.max_examples // 4))


@every_method
@few
@given(release=tables(), k=st.integers(2, 6), labels=st.sampled_from(["intervals", "hierarchy", "sets"]))
def test_every_class_has_k_records_and_every_label_covers_its_value(
    method, release, k, labels
):  # catalogue: D-07, D-01
    masked = method(models={"k_anonymity": k}, labels=labels).apply(release)
    assert fewest(masked.release) >= k
    kept(masked, release)
    assert all(0 <= part.value <= 1 for part in generalisation(masked, original=release))


@every_method
@few
@given(release=tables(), k=st.integers(1, 3))
def test_conjunctions_hold_by_an_independent_count(method, release, k):  # catalogue: D-03
    values = release.distinct("ill")
    masked = method(models=[KAnonymity(k=k), LDiversity(columns={"ill": min(2, values)})]).apply(release)
    assert fewest(masked.release) >= k
    assert fewest_values(masked.release, "ill") >= min(2, values)
    kept(masked, release)


@every_method
@few
@given(release=tables(missing=False), t=st.sampled_from([0.1, 0.3]))
def test_demands_that_larger_groups_may_lose_hold_too(method, release, t):  # catalogue: D-04
    masked = method(models=[TCloseness(t=t)]).apply(release)
    whole = release.to_native()["ill"].value_counts(normalize=True)
    shares = dict(whole.iter_rows())
    for _, rows in masked.release.to_native().group_by(*release.quasi):
        here = dict(rows["ill"].value_counts(normalize=True).iter_rows())
        assert sum(abs(here.get(value, 0) - share) for value, share in shares.items()) / 2 <= t + 1e-9


@every_method
@few
@given(release=tables(), seed=st.integers(0, 9))
def test_the_order_of_the_rows_does_not_matter(method, release, seed):
    order = np.random.default_rng(seed).permutation(release.size)
    models = {"k_anonymity": 3}
    plain, shuffled = method(models=models).apply(release), method(models=models).apply(release.take(order))
    keys = list(release.quasi)
    one, other = plain.to_native().select(keys)[order.tolist()], shuffled.to_native().select(keys)
    # two records with the same keys may change places where ties are split
    assert one.sort(keys).equals(other.sort(keys))


def worked() -> Release:
    """Twelve people; the best single level for all of them costs more than labels by group."""
    ages = [20, 21, 22, 50, 51, 52, 20, 23, 24, 60, 61, 62]
    towns = ["Lund"] * 3 + ["Umeå"] * 3 + ["Malmö", "Lund", "Växjö", "Luleå", "Umeå", "Umeå"]
    return Release(
        pl.DataFrame({"age": ages, "town": towns}),
        quasi=["age", "town"],
        kinds={"age": "continuous"},
        hierarchies={"town": {"table": TOWNS}, "age": {"intervals": [5, 10, 20]}},
    )


def lost(masked, original) -> float:
    return float(np.mean([part.value for part in generalisation(masked, original=original)]))


@every_method
def test_it_loses_less_than_the_best_levels_for_all(method):
    release = worked()
    best = np.inf
    for age in range(5):
        for town in range(4):
            masked = release.protect(Generalise(levels={"age": age, "town": town}))
            if fewest(masked.release) >= 3:
                best = min(best, lost(masked, release))
    assert lost(release.protect(method(models={"k_anonymity": 3})), release) < best


def test_the_total_is_no_worse_than_cuts_from_the_top_on_real_data(reference_data):  # ARX: facts, 0.932 and 0.966
    adult = adult_sample(reference_data, 3000)
    models = {"k_anonymity": 5}
    assert lost(adult.protect(LocalRecode(models=models)), adult) < lost(adult.protect(Mondrian(models=models)), adult)


def adult_sample(folder, size: int) -> Release:
    frame = pl.read_csv(folder / "adult" / "adult.csv", separator=";").sample(size, seed=1)
    files = {column: folder / "adult" / f"adult_hierarchy_{column}.csv" for column in frame.columns}
    return Release(frame, quasi=frame.columns, hierarchies=files)


def test_a_column_that_needs_no_label_stays_as_it_is():
    release = Release(
        pl.DataFrame({"age": [1, 2, 1, 2], "year": [1999] * 4}),
        quasi=["age", "year"],
        kinds={"age": "continuous", "year": "continuous"},
    )
    masked = release.protect(LocalRecode(models={"k_anonymity": 2}))
    assert masked.release.mixed == ()
    assert masked.to_native().equals(release.to_native())
    coarser = release.protect(LocalRecode(models={"k_anonymity": 3}))
    assert coarser.release.mixed == ("age",)
    assert coarser.to_native()["age"].to_list() == ["[1, 2]"] * 4
    assert coarser.to_native()["year"].dtype == pl.Int64


def test_missing_keys_stay_apart_or_cost_blanks():
    people = pl.DataFrame({"age": [20, 21, 30, 31, None, None], "sex": list("ffffff")})
    release = Release(people, quasi=["age", "sex"], kinds={"age": "continuous"}, missing="own")
    pairs = release.protect(LocalRecode(models={"k_anonymity": 2}))
    assert pairs.to_native()["age"].to_list() == ["[20, 21]", "[20, 21]", "[30, 31]", "[30, 31]", None, None]
    assert pairs.release.suppressed == {}
    # two missing ones are no three: a known age is given up
    three = release.protect(LocalRecode(models={"k_anonymity": 3}))
    assert three.to_native()["age"].null_count() == 3
    assert three.release.suppressed == {"age": 1}
    assert three.trace[0].outcome["blanked"].value == {"age": 1}
    assert fewest(three.release) >= 3


def test_progress_is_told_and_may_cancel():
    told = []
    release = worked()
    release.protect(LocalRecode(models={"k_anonymity": 2}, block=4), progress=lambda step, share: told.append(share))
    assert told == sorted(told)
    with pytest.raises(TacitError, match="cancelled"):
        release.protect(LocalRecode(models={"k_anonymity": 2}), progress=lambda *_: False)


@every_method
def test_mistakes_are_answered(method):
    release = worked()
    with pytest.raises(TacitError, match="all 12 records in one class reach 12"):
        release.protect(method(models={"k_anonymity": 13}))
    with pytest.raises(TacitError, match="labels='interval' is unknown") as caught:
        method(models={"k_anonymity": 2}, labels="interval")
    assert "intervals" in caught.value.fix
    with pytest.raises(TacitError, match="no model to meet"):
        method(models=[])
    with pytest.raises(TacitError, match="was generalised already"):
        release.protect(Generalise(levels={"age": 1})).then(method(models={"k_anonymity": 2}))
    with pytest.raises(TacitError, match="was generalised already"):
        release.protect(method(models={"k_anonymity": 2})).then(method(models={"k_anonymity": 3}))
    few = Release(pl.DataFrame({"x": [1, 2, 3]}), quasi="x")
    with pytest.raises(TacitError, match="an amount or a code"):
        few.protect(method(models={"k_anonymity": 2}))
    unknown = Release(pl.DataFrame({"town": ["Lund", "Oslo"]}), quasi="town", hierarchies={"town": {"table": TOWNS}})
    with pytest.raises(TacitError, match="lacks"):
        unknown.protect(method(models={"k_anonymity": 2}))
    commas = Release(pl.DataFrame({"town": ["a, b", "c"]}), quasi="town")
    with pytest.raises(TacitError, match="braces or commas"):
        commas.protect(method(models={"k_anonymity": 2}, labels="sets"))
    twice = {"table": {"a": ["b", "*"], "b": ["c", "*"], "c": ["c", "*"]}}
    with pytest.raises(TacitError, match="same text at two levels"):
        Release(pl.DataFrame({"x": list("abc")}), quasi="x", hierarchies={"x": twice}).protect(
            method(models={"k_anonymity": 2})
        )


def test_blocks_are_whole_numbers():
    with pytest.raises(TacitError, match="block=1"):
        LocalRecode(models={"k_anonymity": 2}, block=1)
    with pytest.raises(TacitError, match="neither True nor False"):
        Mondrian(models={"k_anonymity": 2}, strict="yes")


def test_a_model_about_a_population_is_refused():
    from tacit.models import KMap

    with pytest.raises(TacitError, match="population"):
        worked().protect(LocalRecode(models=[KMap(k=2)]))
