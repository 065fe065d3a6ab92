"""Transparency against itself: pipelines, traces that nobody can read, and how claims are ordered. catalogue: M-03, M-05."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from tests.published import published_step

from tacit import Release, TacitError
from tacit.attack import Transparency, reidentify
from tacit.claims import LinkClaims, Scenario
from tacit.protect import (
    AddNoise,
    DataSwap,
    Generalise,
    KMember,
    Mdav,
    Microaggregate,
    MultiplyNoise,
    Pipeline,
    Pram,
    RankSwap,
    Recode,
    Resample,
    Rotate,
    Round,
    Sample,
    ShiftDates,
    Shuffle,
    SuppressCells,
    SuppressRecords,
    TopBottomCode,
)
from tacit.release.masked import Masked
from tacit.release.step_effects import adds_records, blanks_cells, drops_records
from tacit.release.trace import Trace

COLUMNS = ("pay", "age", "born", "town", "sex")


def people(rng: np.random.Generator, size: int) -> Release:
    """Ties, gaps, whole numbers, dates and text."""
    born = np.datetime64("1960-01-01") + rng.integers(0, 15_000, size).astype("timedelta64[D]")
    frame = pl.DataFrame(
        {
            "pay": np.round(rng.lognormal(8, 0.7, size), 1),
            "age": rng.integers(18, 80, size),
            "born": born,
            "town": rng.choice(["N1", "N2", "M1", "M2"], size),
            "sex": rng.choice(["f", "m"], size),
        }
    )
    gone = pl.Series(rng.random(size) < 0.1)
    frame = frame.with_columns(pl.when(gone).then(None).otherwise(pl.col("pay")).alias("pay"))
    return Release(
        frame,
        quasi=COLUMNS,
        kinds={"pay": "continuous", "age": "continuous"},
        hierarchies={"born": {"dates": ["month", "year", "decade"]}, "town": {"prefix": [2, 1]}},
        missing="own",
    )


STEPS = [
    AddNoise(columns=["pay", "age"], variance=0.01, form="uncorrelated", distribution="uniform"),
    DataSwap(columns=["town"], share=0.3),
    Generalise(levels={"born": 1}),
    KMember(models={"k_anonymity": 2}),
    Mdav(columns=["pay", "age"], k=3),
    Microaggregate(columns=["pay", "age"], k=3, groups="each"),
    MultiplyNoise(columns=["pay"], distribution="bounded", least=0.01, most=0.1),
    Pram(columns=["sex", "town"], stay=0.8, strata="age"),
    RankSwap(columns=["pay", "age", "born"], percent=8),
    RankSwap(columns=["pay"], percent=20, strata="sex"),
    Recode(column="age", breaks=[30, 50]),
    Recode(column="town", rare=3),
    Resample(columns=["pay"], draws=2),
    Rotate(columns=["pay", "age"], strength=0.3),
    Round(columns=["pay"], base=100, form="random"),
    Sample(fraction=0.7),
    ShiftDates(columns=["born"], days=30),
    SuppressCells(k=2),
    SuppressRecords(k=2),
    TopBottomCode(column="born", top="1990-01-01"),
    TopBottomCode(column="pay", top=4000),
]


def masked_by_chance(rng: np.random.Generator, original: Release) -> Masked:
    made = Masked(original, ())
    for place in rng.permutation(len(STEPS))[: int(rng.integers(2, 5))]:
        try:
            made = made.then(STEPS[place], seed=int(rng.integers(1 << 30)))
        except TacitError:  # a step that does not fit what the others left
            continue
    return made.then(Shuffle(), seed=int(rng.integers(1 << 30)))


def read_back(step: Trace) -> Trace:
    return Trace.from_json(json.loads(json.dumps(step.as_json(public=True), default=str)))


def tellings(masked: Masked) -> Iterator[tuple[Trace, ...]]:
    """As it is, as the public reads it, without what the run found, and the names of the methods alone."""
    yield masked.trace
    yield tuple(map(read_back, masked.trace))
    yield tuple(published_step(step.method, step.parameters) for step in masked.trace)
    yield tuple(published_step(step.method, {}) for step in masked.trace)


def sure_links(claims: LinkClaims) -> list[tuple[int, int]]:
    """Person and released row."""
    row_of = {int(group): row for row, group in enumerate(claims.group_of)}
    sure = claims.sure[claims.claim_of]
    return [
        (int(one), row_of[int(claims.candidates[claims.start[claims.claim_of[one]]])]) for one in np.flatnonzero(sure)
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(25))
def test_after_any_steps_every_sure_link_is_right(seed):
    rng = np.random.default_rng(seed)
    original = people(rng, int(rng.choice([4, 15, 40])))
    masked = masked_by_chance(rng, original)
    rows = masked.rows()
    for told in tellings(masked):
        for inside, covers in ((True, True), (False, True)):
            scenario = Scenario(file=original, knows=COLUMNS, told=told, inside=inside, covers=covers)
            claims = Transparency().claims(masked.release, scenario)
            assert all(rows[row] == person for person, row in sure_links(claims))
            assert not any("contradicts" in note or "no link is sure" in note for note in claims.notes)


def test_labels_of_coded_dates_are_not_those_of_the_dates():
    """Born in 2005, coded to 2000 and published as 2000: that label is not the person's of 2000."""
    born = pl.Series(["1995-05-05", "2005-05-05", "2000-01-01"]).str.to_date()
    original = Release(pl.DataFrame({"born": born}), quasi="born", hierarchies={"born": {"dates": ["month", "year"]}})
    steps = [TopBottomCode(column="born", top="2000-01-01"), Generalise(levels={"born": 2}), Shuffle()]
    masked = original.protect(Pipeline(steps=steps), seed=1)
    claims = Transparency().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    assert not claims.sure.any()
    assert "top_bottom_code, generalise" in claims.notes[0] and not any("contradicts" in one for one in claims.notes)


def test_ranks_of_blanked_columns_reach_as_far_as_before(monkeypatch):
    """10 % of 100 values are 10 ranks, also when 40 values were made missing afterwards and no reach is told."""
    values = pl.DataFrame({"pay": np.arange(100.0), "age": (np.arange(100) * 37 % 100).astype(float)})
    original = Release(values, quasi=["pay", "age"], kinds={"pay": "continuous", "age": "continuous"}, missing="own")
    masked = original.protect(RankSwap(columns=["pay", "age"], percent=10), seed=4)
    ages = [None if age < 50 and age % 5 < 4 else age for age in masked.release.series("age")]
    blank = masked.release.with_columns({"age": pl.Series(ages)})
    told = (published_step("rank_swap", masked.trace[0].parameters), published_step("suppress_cells", {"k": 2}))
    claims = Transparency().claims(blank, Scenario.worst_case(original, told=told))
    assert all(row == person for person, row in sure_links(claims)) and claims.notes == ()
    # Of the values that are left 10 % are 6 ranks, which would make wrong links sure.
    monkeypatch.setattr(import_module("tacit.attack.masking_models.rank_swap"), "blanks_cells", lambda told: False)
    wrong = Transparency().claims(blank, Scenario.worst_case(original, told=told))
    assert any(row != person for person, row in sure_links(wrong))


def test_nobody_knows_what_an_unknown_method_does():
    told = (published_step("secret_sauce", {"columns": ["pay"]}),)
    assert drops_records(told) and adds_records(told) and blanks_cells(told)
    original = people(np.random.default_rng(1), 20)
    fewer = original.take(np.arange(19))
    claims = Transparency().claims(fewer, Scenario.worst_case(original, told=told))
    assert not claims.sure.any()


JUNK = [
    None,
    -1,
    0,
    1e308,
    float("nan"),
    "x",
    [],
    {},
    ["x"],
    [[None]],
    {"pay": -2},
    {"town": [{"nope": 1}]},
    True,
    10**30,
]


def garbled(rng: np.random.Generator, step: Trace) -> Trace:
    said = step.as_json(public=True)
    for part in (said["parameters"], said["outcome"]):
        for name in list(part):
            if rng.random() < 0.25:
                part[name] = JUNK[rng.integers(len(JUNK))]
            elif rng.random() < 0.1:
                del part[name]
    return Trace.from_json(said)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(12))
def test_a_trace_that_cannot_be_read_is_said_to_be_so(seed):
    rng = np.random.default_rng(seed)
    original = people(rng, 15)
    masked = masked_by_chance(rng, original)
    for _ in range(8):
        told = tuple(garbled(rng, step) for step in masked.trace)
        scenario = Scenario(file=original, knows=COLUMNS, told=told, inside=bool(rng.random() < 0.5), covers=True)
        assert Transparency().claims(masked.release, scenario).intruder_size == 15
    broken = (published_step("round", {"columns": ["pay"], "base": "fortnight"}),)
    claims = Transparency().claims(original, Scenario.worst_case(original, told=broken))
    assert (
        "column 'pay' was changed by round, of which the trace says too little, or what cannot be read"
        in claims.notes[0]
    )


@pytest.mark.parametrize("seed", range(6))
def test_neither_order_matters_after_several_steps(seed):
    rng = np.random.default_rng(seed)
    original = people(rng, 30)
    masked = masked_by_chance(rng, original)

    def named(released: np.ndarray, known: np.ndarray) -> dict[int, tuple]:
        scenario = Scenario.worst_case(original.take(known), told=masked.trace)
        claims = Transparency().claims(masked.release.take(released), scenario)
        found = {}
        for person, claim in enumerate(claims.claim_of):
            groups = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
            rows = released[np.isin(claims.group_of, groups)]
            found[int(known[person])] = (
                frozenset(rows.tolist()),
                bool(claims.sure[claim]),
                round(claims.scores[claim], 9),
            )
        return found

    size = masked.release.size
    assert named(np.arange(size), np.arange(30)) == named(rng.permutation(size), rng.permutation(30))


def test_whoever_has_fewer_candidates_is_believed_more():
    town = ["a"] * 4 + ["b"] * 2 + ["c"]
    original = Release(pl.DataFrame({"town": town}), quasi="town")
    masked = original.protect(Shuffle(), seed=3)
    claims = Transparency().claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    scores = claims.scores[claims.claim_of]
    assert scores[0] < scores[4] < scores[6] and claims.sure[claims.claim_of].tolist() == [False] * 6 + [True]


def test_the_surest_tenth_is_as_right_as_that_of_distance():
    """On labels both know the same; before, costs (all 0) ordered the claims, and the surest were anybody."""
    original = people(np.random.default_rng(3), 600)
    steps = [Generalise(levels={"born": 2, "town": 1}), Shuffle()]
    masked = original.protect(Pipeline(steps=steps), seed=3)
    knows = ("born", "town", "sex")
    right = {
        name: reidentify(masked, original=original, knows=knows, attack=name).facts["surest tenth right"]
        for name in ("transparency", "distance")
    }
    assert right["transparency"] >= right["distance"]
