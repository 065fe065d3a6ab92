import pytest

from tacit import TacitError
from tacit.study import Strategy, hypervolume
from tacit.study.loop import Grid, Optimiser, Random

OPEN = {"from": 0.5, "to": 40.0, "scale": "log"}
SWAP = Strategy.of("swap", [{"method": "rank_swap", "columns": [c], "percent": OPEN} for c in "ab"])
GROUP = Strategy.of("group", [{"method": "mdav", "columns": ["a"], "k": {"from": 2, "to": 9}}])
FORM = Strategy.of(
    "form", [{"method": "rank_swap", "columns": ["a"], "percent": OPEN, "form": {"any_of": ["uniform", "normal"]}}]
)


def everything(search, count, batch=8):
    found = []
    while len(found) < count:
        asked = search.ask(min(batch, count - len(found)))
        if not asked:
            break
        search.tell([place(one) for one in asked])
        found += asked
    return found


def place(candidate):
    """A made-up map: one column matters for risk more than the other, and less for loss."""
    values = list(candidate.values.values())
    if candidate.strategy == "group":
        return 1 / values[0], 0.2 + 0.05 * values[0]
    one, other = values[0] / 40, (values[1] if isinstance(values[1], float) else 20) / 40
    return max(0.0, 1 - 0.7 * one**0.4 - 0.3 * other**0.3), 0.5 * one**0.8 + 0.5 * other**1.5


def test_a_grid_has_every_combination_of_its_levels_and_no_more_than_asked():  # catalogue: F-06
    found = everything(Grid([SWAP, GROUP, FORM], most=30, seed=1), 99)
    by = {name: [one for one in found if one.strategy == name] for name in ("swap", "group", "form")}
    assert {name: len(one) for name, one in by.items()} == {"swap": 9, "group": 8, "form": 10}
    assert len({tuple(one.values.values()) for one in by["swap"]}) == 9
    assert [one.values["k"] for one in sorted(by["group"], key=lambda one: one.values["k"])] == list(range(2, 10))
    assert {one.strategy for one in found[:3]} == {"swap", "group", "form"}, "a search cut short has seen some of all"


def test_choices_that_are_too_many_for_a_grid():
    many = Strategy.of("many", [{"method": "mdav", "columns": ["a"], "k": {"any_of": [2, 3, 4, 5]}}])
    with pytest.raises(TacitError, match="'many' alone make 4 candidates, and it may have 3"):
        Grid([many], most=3, seed=1)


@pytest.mark.parametrize("make", [Grid, Random, Optimiser])
def test_the_same_seed_asks_for_the_same_in_the_same_order(make):
    def asked(seed):
        made = make([SWAP, GROUP], seed=seed, **({"most": 40} if make is Grid else {}))
        return [one.key for one in everything(made, 30)]

    assert asked(5) == asked(5)
    assert asked(5) != asked(6)


@pytest.mark.parametrize("make", [Random, Optimiser])
def test_a_small_space_is_tried_once_and_then_ends(make):
    found = everything(make([GROUP], seed=3), 50)
    assert sorted(one.values["k"] for one in found) == list(range(2, 10))


def test_a_failed_candidate_does_not_stop_the_optimiser():
    search = Optimiser([SWAP, GROUP], seed=3)
    for _ in range(4):
        asked = search.ask(8)
        search.tell([None if one.strategy == "swap" else place(one) for one in asked])
    assert search.ask(8)


def test_the_optimiser_takes_more_of_a_made_up_map_than_chance():  # catalogue: F-06
    def reached(make):
        return sum(hypervolume(map(place, everything(make(seed), 60))) for seed in range(3)) / 3

    assert reached(lambda seed: Optimiser([SWAP, FORM], seed=seed)) > reached(
        lambda seed: Random([SWAP, FORM], seed=seed)
    )


def test_the_optimiser_begins_with_the_middle_and_the_ends_of_every_strategy():
    first = Optimiser([SWAP, GROUP, FORM], seed=3).ask(9)
    assert [one.strategy for one in first[:3]] == ["swap", "group", "form"]
    assert {one.values["k"] for one in first if one.strategy == "group"} == {2, 6, 9}
    assert {tuple(one.values.values()) for one in first if one.strategy == "form"} >= {
        (40.0, "normal"),
        (0.5, "uniform"),
    }


def test_the_optimiser_stays_inside_a_range_of_many_digits():
    fine = {"from": 0.1234561, "to": 0.1234564}
    search = Optimiser([Strategy.of("fine", [{"method": "pram", "columns": ["a"], "stay": fine}])], seed=3)
    asked = search.ask(4)
    assert asked
    assert all(0.1234561 <= one.values["stay"] <= 0.1234564 for one in asked)
