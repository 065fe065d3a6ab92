"""Terms of people (E-16): every list is that of k people, and every term stands for k people."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Masked, Release, TacitError
from tacit.examples import clinic
from tacit.protect import Generalise, MaskTerms
from tacit.risk import unicity, user_k

EDGES = {
    "flu": "ill",
    "cold": "ill",
    "ill": "all",
    "bus": "ride",
    "tram": "ride",
    "ride": "go",
    "walk": "go",
    "go": "all",
}
LEAVES = ["flu", "cold", "bus", "tram", "walk"]
FORMS = ["multiset", "set", "sequence"]


def log_of(events, inner=False):
    frame = pl.DataFrame(
        {
            "who": [who for who, _ in events],
            "term": [term for _, term in events],
            "time": [f"{place:03}" for place in range(len(events))],
            "row": range(len(events)),
        },
        schema={"who": pl.Int64, "term": pl.String, "time": pl.String, "row": pl.Int64},
    )
    return Release(frame, hierarchies={"term": {"edges": EDGES, "inner": inner}})


def masked_by(release, k, form, seed=1):
    order = "time" if form == "sequence" else None
    return release.protect(MaskTerms(person="who", column="term", k=k, form=form, order=order), seed=seed)


def lists(masked: Masked, form: str) -> dict[int, tuple[str, ...]]:
    """Everybody's list, written down by hand: the independent check."""
    found = defaultdict(list)
    frame = masked.release.to_native()
    for who, term, at in zip(frame["who"], frame["term"], frame["time"], strict=True):
        found[who].append((at, term))
    if form == "sequence":
        assert all([at for at, _ in sorted(events)] == list(range(1, len(events) + 1)) for events in found.values())
        return {who: tuple(term for _, term in sorted(events)) for who, events in found.items()}
    listed = {who: tuple(sorted(term for _, term in events)) for who, events in found.items()}
    return {who: tuple(sorted(set(terms))) for who, terms in listed.items()} if form == "set" else listed


def under(label: str) -> set[str]:
    """The label itself and all terms below it."""
    if label == "*":
        return {*EDGES}
    return {label}.union(*(under(child) for child, parent in EDGES.items() if parent == label))


some_events = st.lists(st.tuples(st.integers(0, 12), st.sampled_from([*LEAVES, "go", None])), min_size=1, max_size=60)


@given(some_events, st.integers(2, 4), st.sampled_from(FORMS), st.integers(0, 99))
def test_k_people_share_every_list_and_every_term(events, k, form, seed):  # catalogue: E-16
    release = log_of(events, inner=True)
    people = {who for who, term in events if term is not None}
    if len(people) < k:
        with pytest.raises(TacitError):
            masked_by(release, k, form, seed)
        return
    masked = masked_by(release, k, form, seed)
    found = lists(masked, form)
    assert set(found) == people
    assert min(Counter(found.values()).values()) >= k
    for label in {term for terms in found.values() for term in terms}:
        assert len({who for who, term in events if term in under(label)}) >= k
    if form == "set":
        frame = masked.release.to_native()
        assert frame.select("who", "term").is_unique().all()


@given(some_events, st.sampled_from(FORMS))
def test_rows_come_from_their_own_person(events, form):
    release = log_of(events, inner=True)
    if len({who for who, term in events if term is not None}) < 2:
        return
    masked = masked_by(release, 2, form)
    frame, rows = masked.release.to_native(), masked.rows()
    kept = rows >= 0
    assert (frame["row"].to_numpy()[kept] == rows[kept]).all()
    assert len(set(rows[kept])) == kept.sum()
    assert all(events[row][0] == who for row, who in zip(frame["row"], frame["who"], strict=True))
    outcome = masked.trace[0].outcome
    assert outcome["events_lost"].value == release.size - kept.sum()
    assert outcome["events_copied"].value == (~kept).sum()


def test_a_list_is_as_long_as_the_members_have_on_average():
    events = [(who, "flu") for who in range(4) for _ in range(1 + 2 * who)]
    masked = masked_by(log_of(events), 4, "multiset")
    assert {len(terms) for terms in lists(masked, "multiset").values()} == {4}


def test_terms_come_in_proportion():
    """Six people with the same mixture keep it: every branch has its share to within one place."""
    events = [(who, term) for who in range(6) for term in ["flu"] * 5 + ["cold"] * 3 + ["bus"] * 2]
    for terms in lists(masked_by(log_of(events), 3, "multiset"), "multiset").values():
        assert Counter(terms) == {"flu": 5, "cold": 3, "bus": 2}


def test_a_sequence_keeps_its_order():
    events = [(who, term) for who in range(6) for term in ["flu", "bus", "cold", "walk"]]
    masked = masked_by(log_of(events), 3, "sequence")
    assert set(lists(masked, "sequence").values()) == {("flu", "bus", "cold", "walk")}
    assert masked.release.types["time"] == "integer"


def test_rare_terms_are_lifted_and_remembered():
    events = [(who, term) for who in range(4) for term in ("flu", "bus" if who % 2 else "walk")]
    masked = masked_by(log_of(events), 3, "multiset")
    assert {term for terms in lists(masked, "multiset").values() for term in terms} == {"flu", "go"}
    assert masked.release.mixed == ("term",)
    assert masked.trace[0].outcome["lifted"].value
    with pytest.raises(TacitError, match="generalised already"):
        masked.then(MaskTerms(person="who", column="term", k=2), seed=1)


def test_terms_that_only_the_root_covers_are_left_out():
    events = [*((who, "flu") for who in range(4)), (0, "walk"), (1, "bus")]
    assert set(lists(masked_by(log_of(events), 3, "multiset"), "multiset").values()) == {("flu", "flu")}
    apart = [(0, "flu"), (1, "walk")]
    assert set(lists(masked_by(log_of(apart), 2, "multiset"), "multiset").values()) == {("*",)}


def test_nothing_is_lifted_where_terms_are_frequent_and_the_type_stays():
    frame = pl.DataFrame({"who": [w for w in range(9) for _ in range(3)], "term": [1, 2, 3] * 9})
    table = {"table": {1: ["a"], 2: ["a"], 3: ["b"]}}
    masked = Release(frame, hierarchies={"term": table}).protect(MaskTerms(person="who", column="term", k=3), seed=1)
    assert masked.release.to_native().schema == frame.schema
    assert masked.release.mixed == ()
    assert masked.release.to_native()["term"].sort().to_list() == frame["term"].sort().to_list()


def big_log(people=600, seed=3) -> Release:
    """People with two chapters of diagnoses each: likes to be found, and nearly everybody unique."""
    example, rng = clinic(10), np.random.default_rng(seed)
    values = np.array(list(example.hierarchies["diagnosis"]["table"]))
    chapter = np.array([value[0] for value in values])
    who, term = [], []
    for person in range(people):
        mine = np.flatnonzero(np.isin(chapter, rng.choice(np.unique(chapter), 2)))
        count = int(rng.poisson(6)) + 1
        who += [person] * count
        term += values[rng.choice(mine, count)].tolist()
    return Release(pl.DataFrame({"who": who, "term": term}), hierarchies={"term": example.hierarchies["diagnosis"]})


def test_an_unmasked_log_singles_people_out_and_a_masked_one_does_not():
    log = big_log()
    before = user_k(log, person="who", column="term")
    assert before.value == 1
    assert before.facts["unique people"] > 0.9 * before.facts["people"]
    masked = log.protect(MaskTerms(person="who", column="term", k=5), seed=1)
    after = user_k(masked, person="who", column="term")
    assert after.value >= 5
    assert after.facts["unique people"] == 0
    known = [unicity(one, known=3, person="who", points="term", seed=1).value for one in (log, masked)]
    assert known[0] > 0.3
    assert known[1] == 0


def test_people_are_grouped_by_meaning():
    """The mean distance between a term and what stands for it is well below that of groups without meaning."""
    log = big_log()
    flat = {"table": {row[0]: ["*"] for row in log.hierarchies["term"].rows}}
    blind = Release(log.to_native(), hierarchies={"term": flat})
    method = MaskTerms(person="who", column="term", k=5)
    near = log.protect(method, seed=1)
    far = blind.protect(method, seed=1)
    ladder = {row[0]: row for row in log.hierarchies["term"].rows}

    def chapters(masked):
        old, new = log.to_native()["term"].gather(masked.rows()[masked.rows() >= 0]), masked.release.to_native()["term"]
        new = new.filter(pl.Series(masked.rows() >= 0))
        return np.mean(
            [ladder[a][-2] == ladder[b][-2] if b in ladder else a[0] == b[0] for a, b in zip(old, new, strict=True)]
        )

    assert chapters(near) > chapters(far) + 0.05


def test_user_k_by_hand():
    release = log_of([(1, "flu"), (1, "flu"), (2, "flu"), (3, "bus"), (3, "flu"), (4, "flu"), (4, "bus"), (5, None)])
    values = {form: user_k(release, person="who", column="term", form=form).value for form in ("multiset", "set")}
    assert values == {"multiset": 1, "set": 1}
    sizes = {form: user_k(release, person="who", column="term", form=form).per_record.values() for form in values}
    assert sizes["multiset"].tolist() == [1, 1, 1, 2, 2, 2, 2, 1]
    assert sizes["set"].tolist() == [2, 2, 2, 2, 2, 2, 2, 1]
    ordered = user_k(release, person="who", column="term", form="sequence", order="time")
    assert ordered.per_record.values().tolist() == [1, 1, 1, 1, 1, 1, 1, 1]


@given(some_events, st.sampled_from(["multiset", "set"]), st.randoms(use_true_random=False))
def test_user_k_is_blind_to_row_order_and_never_falls_when_terms_are_merged(events, form, random):
    release = log_of(events, inner=True)
    found = user_k(release, person="who", column="term", form=form)
    order = list(range(len(events)))
    random.shuffle(order)
    again = user_k(release.take(np.array(order)), person="who", column="term", form=form)
    assert again.value == found.value
    assert (again.per_record.values() == found.per_record.values()[order]).all()
    coarse = release.protect(Generalise(levels={"term": 1}))
    assert user_k(coarse, person="who", column="term", form=form).value >= found.value


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"k": 1}, "k=1"),
        ({"k": 2, "form": "list"}, "'list'"),
        ({"k": 2, "form": "sequence"}, "order='time'"),
        ({"k": 2, "order": "time"}, "order='time'"),
        ({"k": 2, "person": "term"}, "named twice"),
        ({"k": 2, "person": 3}, "no column name"),
    ],
)
def test_parameters_are_checked(options, text):
    with pytest.raises(TacitError, match=text):
        MaskTerms(**{"person": "who", "column": "term", **options})


def test_mistakes_are_answered_without_a_cell():
    release = log_of([(1, "flu"), (2, "SECRETCELL"), (None, "bus")])
    with pytest.raises(TacitError, match="1 cells that its hierarchy lacks, the first of them in row 2") as caught:
        masked_by(release, 2, "set")
    assert "SECRETCELL" not in str(caught.value)
    lost = log_of([(1, "flu"), (2, "cold"), (None, "bus")])
    for call in (lambda: masked_by(lost, 2, "set"), lambda: user_k(lost, person="who", column="term")):
        with pytest.raises(TacitError, match="missing in"):
            call()
    with pytest.raises(TacitError, match="k=3 is above the 2 people"):
        masked_by(log_of([(1, "flu"), (2, "cold")]), 3, "set")
    with pytest.raises(TacitError, match="has no term"):
        masked_by(log_of([(1, None)]), 2, "set")
    with pytest.raises(TacitError, match="'who'"):
        user_k(release, person="whom", column="term")
    with pytest.raises(TacitError, match="order='time'"):
        user_k(release, person="who", column="term", form="sequence")
    with pytest.raises(TacitError, match="'list'"):
        user_k(release, person="who", column="term", form="list")


def test_it_draws_nothing_without_a_seed():
    """Whoever knows the seed can repeat the grouping of people, so there is no seed that everybody knows."""
    log = log_of([(who, term) for who in range(4) for term in ("flu", "bus")])
    with pytest.raises(TacitError, match="mask_terms draws at random and got no seed"):
        log.protect(MaskTerms(person="who", column="term", k=2))
