"""What every measure, model, loss and attack must do: the checks run over each folder's ``ALL``."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest
from tests.published import published_step

from tacit import Masked, Release, Result, Results, TacitError, attack, loss, models, risk
from tacit.claims import Scenario, Truth, judge
from tacit.registry import Entry

from .conftest import SECRET, ordinary


def flat(found: Result | Results) -> list[Result]:
    return list(found) if isinstance(found, Results) else [found]


def sound(result: Result) -> None:
    assert math.isfinite(result.value)
    assert SECRET not in str(result)
    assert SECRET not in json.dumps(result.as_json(), default=str)
    assert result._repr_html_().startswith("<table")
    assert (
        copy.deepcopy(result.without_data()).facts
        == pickle.loads(pickle.dumps(result.without_data())).facts
        == result.facts
    )
    with pytest.raises(TypeError):
        result.facts["more"] = 1
    if result.interval:
        assert result.interval[0] <= result.value + 1e-12
        assert result.value <= result.interval[1] + 1e-12


def beside(entry: Entry, release: Release) -> dict[str, object]:
    """The other files that an entry needs: a population where everybody stands twice, an original of which this is a mask."""
    twice = np.repeat(np.arange(release.size), 2)
    population = {"population": release.take(twice)} if "population" in entry.needs else {}
    return {**population, **({"original": before(release)} if "original" in entry.needs else {})}


def before(release: Release) -> Release:
    """An original whose numbers are near those of the release; women have another diagnosis there. Blind to row order."""
    women = (release.series("sex") == "F").fill_null(value=False)
    changes = {"diagnosis": release.series("diagnosis").set(women, "I21.4")}
    for column in ("income", "rent", "visits"):
        if release.types[column] in ("integer", "number"):
            values = release.series(column)
            changes[column] = (values + (values % 7) * 0.1).to_numpy() if release.size else values
    return release.with_columns(changes)


def measure(name: str, release: Release) -> list[Result]:
    """A risk measure with its example's options, and the files that it needs."""
    entry = risk.MEASURES[name]
    return flat(entry.call(release, **entry.example, **beside(entry, release)))


def coarser(release: Release) -> Release:
    """Two categories of a key merged."""
    sexes = release.series("sex").to_list()
    return release.with_columns({"sex": np.array(["F" if value == "X" else value for value in sexes], dtype=object)})


@pytest.mark.parametrize("name", sorted(risk.MEASURES))
def test_measures_are_sound_and_blind_to_row_order(name):
    release = ordinary()
    order = np.random.default_rng(3).permutation(release.size)
    plain, shuffled = measure(name, release), measure(name, release.take(order))
    for one, other in zip(plain, shuffled, strict=True):
        sound(one)
        assert one.value == pytest.approx(other.value, abs=1e-12)
        if one.per_record is not None:
            assert np.allclose(one.per_record.values()[order], other.per_record.values())


@pytest.mark.parametrize(
    "name", [name for name in sorted(risk.MEASURES) if risk.MEASURES[name].tags.about == "identity"]
)
def test_merging_two_categories_never_adds_identity_risk(name):
    before, after = measure(name, ordinary())[0], measure(name, coarser(ordinary()))[0]
    assert after.value >= before.value if before.worse == "low" else after.value <= before.value


@pytest.mark.parametrize("name", sorted(risk.MEASURES))
def test_measures_on_odd_tables(name, odd):
    try:
        found = measure(name, odd)
    except TacitError as problem:
        assert problem.fix
        assert SECRET not in str(problem)
        return
    for result in found:
        sound(result)


MEASURED_BY = {"alpha_k": "alpha", "household_k_anonymity": "k_households"}
"""Models whose measure has another name."""
BESIDE = {
    "alpha_k": {"k": 1},
    "p_sensitivity": {"k": 1},
    "delta_disclosure": {"absent": "ignored"},
    "interval_disclosure": {"percent": 10},
}
"""What a model asks beside its first field, such that it holds."""
WITHOUT_POPULATION = [name for name in sorted(models.MODELS) if "population" not in models.MODELS[name].needs]


@pytest.mark.parametrize("name", WITHOUT_POPULATION)
def test_models_agree_with_their_measure(name):
    release = ordinary()
    files = beside(models.MODELS[name], release)
    options = BESIDE[name] if "original" in models.MODELS[name].needs else {}
    results = flat(risk.MEASURES[MEASURED_BY.get(name, name)].call(release, **options, **files))
    low = results[0].worse == "low"
    found = (min if low else max)(result.value for result in results)
    field = models.MODELS[name].parameters[0]

    def judged(bound):
        return models.MODELS[name].call(**{field: bound}, **BESIDE.get(name, {})).holds(release, **files)

    assert judged(found)
    verdict = judged(found + 1 if low else found / 2)
    assert not verdict
    assert verdict.failing_records > 0
    assert verdict.margin < 0


@pytest.mark.parametrize("name", sorted(loss.LOSSES))
def test_losses_are_zero_without_masking_and_blind_to_row_order(name):
    release = ordinary()
    for result in flat(loss.LOSSES[name].call(Masked(release, ()), original=release)):
        sound(result)
        assert result.value == pytest.approx(0, abs=1e-9), result.name
        assert result.about == "utility"
    order = np.random.default_rng(3).permutation(release.size)
    for result in flat(loss.LOSSES[name].call(Masked(release.take(order), (), lineage=order), original=release)):
        assert result.value == pytest.approx(0, abs=1e-9), result.name


@pytest.mark.parametrize("name", sorted(loss.LOSSES))
def test_losses_on_odd_tables(name, odd):
    try:
        found = flat(loss.LOSSES[name].call(Masked(odd, ()), original=odd))
    except TacitError as problem:
        assert problem.fix
        assert SECRET not in str(problem)
        return
    for result in found:
        sound(result)


@pytest.mark.parametrize("name", sorted(attack.ATTACKS))
def test_attacks_on_odd_tables(name, odd):
    made = attack.ATTACKS[name].call(**attack.ATTACKS[name].example)
    try:
        scenario = Scenario(file=odd, knows=odd.quasi, told=(published_step("shuffle", {}),))
        if made.applies(odd, scenario) is not None:
            return
        result = judge(made.claims(odd, scenario, seed=5), Truth.by_lineage(np.arange(odd.size), odd.size))
    except TacitError as problem:
        assert problem.fix
        assert SECRET not in str(problem)
        return
    sound(result)
    assert 0 <= result.value <= 1
