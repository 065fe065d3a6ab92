"""Full-domain generalisation (D-07): the search finds what an enumeration in plain Python finds, and what it says holds."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError, examples
from tacit.examples.worked_tables import patients
from tacit.models import BetaLikeness, KAnonymity, LDiversity, TCloseness
from tacit.protect import FullDomain, from_json, to_json
from tacit.protect.lattice.objectives import OBJECTIVES

LETTERS = "abcdef"


@st.composite
def tables(draw, rows=14):
    """A small table of two or three keys with random trees over them, now and then a missing key, and an illness."""
    size = draw(st.integers(2, rows))
    keys = [f"q{place}" for place in range(draw(st.integers(2, 3)))]
    data, trees = {}, {}
    for key in keys:
        values = LETTERS[: draw(st.integers(1, 5))]
        cells = st.sampled_from([*values] if draw(st.booleans()) else [*values, None])
        data[key] = pl.Series(key, draw(st.lists(cells, min_size=size, max_size=size)), dtype=pl.String)
        if draw(st.integers(0, 3)):
            levels = draw(st.integers(0, 2))
            labels = {value: (value,) for value in LETTERS}
            for level in range(levels):
                parent = {label[-1]: f"{level}{draw(st.integers(0, 1))}" for label in labels.values()}
                labels = {value: (*label, parent[label[-1]]) for value, label in labels.items()}
            trees[key] = {"table": {value: [*label[1:], "*"] for value, label in labels.items()}}
    data["ill"] = pl.Series("ill", draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size)))
    return Release(pl.DataFrame(data), quasi=keys, confidential="ill", hierarchies=trees, missing="own")


def ladders(release):
    """For each key and level: value → label; and what share of the values each label leaves open."""
    found = {}
    for key in release.quasi:
        present = sorted(set(release.series(key).drop_nulls()))
        if key in release.hierarchies:
            table = release.hierarchies[key].spec()["table"]
            steps = [{value: value for value in table}]
            steps += [
                {value: row[level] for value, row in table.items()} for level in range(len(next(iter(table.values()))))
            ]
        else:
            steps = [{value: value for value in present}, dict.fromkeys(present, "*")]
        shares = []
        for step in steps:
            leaves = Counter(step.values())
            shares.append({label: (count - 1) / max(1, len(step) - 1) for label, count in leaves.items()})
        found[key] = steps, shares
    return found


def keeps(models, ills, everybody):
    """Whether a class with these illnesses meets the models, by their definitions."""
    counts, whole = Counter(ills), Counter(everybody)
    p = {value: counts[value] / len(ills) for value in whole}
    q = {value: whole[value] / len(everybody) for value in whole}
    for model in models:
        if isinstance(model, KAnonymity):
            good = len(ills) >= model.k
        elif isinstance(model, TCloseness):
            good = sum(abs(p[value] - q[value]) for value in whole) / 2 <= model.t + 1e-9
        elif isinstance(model, BetaLikeness):
            good = max((p[value] - q[value]) / q[value] for value in whole) <= model.beta + 1e-9
        elif model.form == "entropy":
            good = -sum(share * math.log(share) for share in p.values() if share) >= math.log(model.l) - 1e-9
        elif model.form == "recursive":
            falling = sorted(counts.values(), reverse=True)
            good = len(falling) >= model.l and falling[0] < model.c * sum(falling[model.l - 1 :])
        else:
            good = len(counts) >= model.l
        if not good:
            return False
    return True


class Enumeration:
    """Every node of a small lattice, evaluated by the definitions."""

    def __init__(self, release, models, objective, weights=None):
        self.release, self.models, self.objective = release, models, objective
        self.ladders = ladders(release)
        self.weights = [(weights or {}).get(key, 1.0) for key in release.quasi]
        self.rows = list(zip(*(release.series(key) for key in release.quasi), strict=True))
        self.ill = list(release.series("ill"))

    def nodes(self):
        return product(*(range(len(self.ladders[key][0])) for key in self.release.quasi))

    def labels(self, levels):
        steps = [self.ladders[key][0][level] for key, level in zip(self.release.quasi, levels, strict=True)]
        return [tuple(step.get(value) for step, value in zip(steps, row, strict=True)) for row in self.rows]

    def classes(self, levels):
        classes = {}
        for row, label in enumerate(self.labels(levels)):
            classes.setdefault(label, []).append(row)
        return classes

    def failing(self, levels):
        return {
            label
            for label, rows in self.classes(levels).items()
            if not keeps(self.models, [self.ill[row] for row in rows], self.ill)
        }

    def holds_after(self, levels):
        """Whether what is left after the removal meets the models by its own distribution."""
        bad = self.failing(levels)
        left = [rows for label, rows in self.classes(levels).items() if label not in bad]
        everybody = [self.ill[row] for rows in left for row in rows]
        return all(keeps(self.models, [self.ill[row] for row in rows], everybody) for rows in left)

    def removed(self, levels):
        classes = self.classes(levels)
        return sum(len(classes[label]) for label in self.failing(levels))

    def score(self, levels):
        classes, bad, size = self.classes(levels), self.failing(levels), len(self.rows)
        gone = self.removed(levels)
        kept = {label: rows for label, rows in classes.items() if label not in bad}
        if self.objective == "discernibility":
            return sum(len(rows) ** 2 for rows in kept.values()) + size * gone
        if self.objective == "class_size":
            return size / (len(kept) + (gone > 0))
        if self.objective == "accuracy":
            right = sum(max(Counter(self.ill[row] for row in rows).values()) for rows in kept.values())
            return (size - right) / size
        parts = [self._column(place, levels, kept, bad, classes) for place in range(len(levels))]
        if self.objective == "entropy":
            return sum(weight * part for weight, part in zip(self.weights, parts, strict=True))
        if self.objective == "loss_geometric":
            logs = sum(weight * math.log1p(part) for weight, part in zip(self.weights, parts, strict=True))
            return math.exp(logs / sum(self.weights)) - 1
        return sum(weight * part for weight, part in zip(self.weights, parts, strict=True)) / sum(self.weights)

    def _column(self, place, levels, kept, bad, classes):
        key, level, size = self.release.quasi[place], levels[place], len(self.rows)
        gone = sum(len(classes[label]) for label in bad)
        if self.objective == "entropy":
            labels = self.labels(levels)
            before, after = Counter(row[place] for row in self.rows), Counter(label[place] for label in labels)
            bits = -sum(
                math.log2(before[row[place]] / after[label[place]])
                for row, label in zip(self.rows, labels, strict=True)
            )
            among = Counter()
            for label in bad:
                among[label[place]] += len(classes[label])
            return bits - sum(count * math.log2(count / gone) for count in among.values())
        height = len(self.ladders[key][0]) - 1
        total = gone
        for label, rows in kept.items():
            if label[place] is not None:
                share = (
                    level / max(1, height)
                    if self.objective == "precision"
                    else self.ladders[key][1][level][label[place]]
                )
                total += share * len(rows)
        return total / size

    def best(self, limit):
        safe = [
            self.score(levels)
            for levels in self.nodes()
            if self.removed(levels) <= limit and self.removed(levels) < len(self.rows) and self.holds_after(levels)
        ]
        return min(safe, default=None)


MODELS = st.sampled_from(
    [
        [KAnonymity(k=2)],
        [KAnonymity(k=3)],
        [LDiversity(l=2)],
        [KAnonymity(k=2), LDiversity(l=2, form="entropy")],
        [LDiversity(l=2, form="recursive", c=2.0)],
        [KAnonymity(k=2), TCloseness(t=0.4, form="variational")],
        [BetaLikeness(beta=1.0)],
    ]
)


@given(tables(), MODELS, st.sampled_from(sorted(OBJECTIVES)), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_the_search_finds_what_an_enumeration_finds(release, models, objective, suppression):
    oracle = Enumeration(release, models, objective)
    best = oracle.best(math.floor(suppression * release.size + 1e-9))
    method = FullDomain(
        models=models, suppression=suppression, objective=objective, target="ill" if objective == "accuracy" else None
    )
    if best is None:
        with pytest.raises(TacitError):
            method.apply(release)
        return
    masked = method.apply(release)
    levels = tuple(masked.trace[0].outcome["levels"].value.values())
    assert masked.evidence["proven"]
    assert masked.evidence["score"] == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert oracle.score(levels) == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert masked.trace[0].outcome["removed"].value == oracle.removed(levels) == release.size - masked.release.size
    released(release, masked, oracle, levels)


def released(release, masked, oracle, levels):
    """The table is the labels of the records that stay, and each of its classes meets the models (counted anew)."""
    labels, rows = oracle.labels(levels), masked.rows()
    assert list(zip(*(masked.release.series(key) for key in release.quasi), strict=True)) == [
        labels[row] for row in rows
    ]
    left = [oracle.ill[row] for row in rows]
    classes = {}
    for row in rows:
        classes.setdefault(labels[row], []).append(oracle.ill[row])
    assert all(keeps(oracle.models, ills, left) for ills in classes.values())
    assert all(verdict.holds for verdict in masked.evidence["verdicts"])


@given(tables(), MODELS, st.sampled_from(["loss", "entropy", "class_size"]))
def test_the_exhaustive_space_has_every_node_as_it_is(release, models, objective):
    oracle = Enumeration(release, models, objective)
    try:
        masked = FullDomain(models=models, suppression=0.5, objective=objective, exhaustive=True).apply(release)
    except TacitError:
        return
    space = masked.evidence["space"]
    assert len(space) == len(list(oracle.nodes()))
    for node in space:
        levels = tuple(node.levels.values())
        assert node.suppressed == oracle.removed(levels)
        assert node.admissible == (node.suppressed <= release.size // 2)
        if node.suppressed < release.size:
            assert node.score == pytest.approx(oracle.score(levels), rel=1e-9, abs=1e-12)
    scores = [node.score for node in space.best(5)]
    assert scores == sorted(scores)
    assert space.frame().height == len(space)


@given(tables(), st.sampled_from(["loss", "loss_geometric", "precision", "entropy"]), st.floats(0.1, 3))
def test_weights_and_limits_of_levels_are_obeyed(release, objective, weight):
    key = release.quasi[0]
    height = len(ladders(release)[key][0]) - 1
    models, weights = [KAnonymity(k=2)], {key: weight}
    method = FullDomain(models=models, suppression=0.5, objective=objective, weights=weights, lowest={key: height})
    oracle = Enumeration(release, models, objective, weights)
    safe = [
        oracle.score(levels)
        for levels in oracle.nodes()
        if levels[0] == height and oracle.removed(levels) <= release.size // 2
    ]
    if not safe:
        with pytest.raises(TacitError):
            method.apply(release)
        return
    assert method.apply(release).evidence["score"] == pytest.approx(min(safe), rel=1e-9, abs=1e-12)


def clinic(rows=300, quasi=("zip", "birth", "sex", "occupation"), missing="own"):
    example = examples.clinic(rows, seed=1)
    roles = {**example.roles, "quasi": quasi}
    return Release(example.frame, **roles, kinds=example.kinds, hierarchies=example.hierarchies, missing=missing)


def test_hiding_the_birth_date_is_enough_for_andre_to_eric():
    """D-03: the source coarsens the ZIP codes too, which is needless."""
    example = patients()
    release = Release(example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies)
    masked = FullDomain(models={"k_anonymity": 2}).apply(release)
    assert masked.trace[0].outcome["levels"].value == {"birth": 3, "gender": 0, "zip": 0}
    assert masked.release.series("zip").to_list() == release.series("zip").to_list()
    assert masked.lineage is None


def test_what_matches_anything_holds_too():
    """Under missing="any" the search counts a missing key as a category of its own, and the output is checked by policy."""
    masked = FullDomain(models={"k_anonymity": 5}, suppression=0.1).apply(clinic(missing="any"))
    assert KAnonymity(k=5).holds(masked.release).holds


def test_rows_in_another_order_change_nothing():
    release = clinic()
    order = np.random.default_rng(3).permutation(release.size)
    method = FullDomain(models={"k_anonymity": 3, "l_diversity": {"columns": {"diagnosis": 2}}}, suppression=0.1)
    one, other = method.apply(release), method.apply(release.take(order))
    assert one.trace == other.trace
    assert one.evidence["score"] == other.evidence["score"]
    assert sorted(order[other.rows()]) == sorted(one.rows())


def test_a_column_generalised_before_stays_or_becomes_a_star():
    from tacit.protect import Generalise

    release = Generalise(levels={"birth": 3}).apply(clinic()).release
    masked = FullDomain(models={"k_anonymity": 20}, suppression=0.1).apply(release)
    assert masked.trace[0].outcome["levels"].value["birth"] in (0, 1)
    assert masked.release.levels["birth"] in (3, release.hierarchies["birth"].height)


def test_keys_of_more_than_one_word_give_the_same():
    """Nine columns of 400 values need more bits than a word has; a copy of a column adds no class and no cost rank."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 400, 600)
    names = [f"q{place}" for place in range(9)]
    frame = pl.DataFrame(dict.fromkeys(names, values))
    trees = {name: {"intervals": [20, 100]} for name in names}
    both = Release(frame, quasi=names, hierarchies=trees), Release(frame, quasi="q0", hierarchies=trees | {})
    one, many = (
        FullDomain(models={"k_anonymity": 3}, suppression=0.1, highest=dict.fromkeys(release.quasi, 2)).apply(release)
        for release in reversed(both)
    )
    assert many.evidence["score"] == pytest.approx(one.evidence["score"])
    assert len({*many.trace[0].outcome["levels"].value.values()}) <= 2
    assert many.release.classes().sizes.min() >= 3


FINE = {"zip": 0, "birth": 0, "sex": 0, "occupation": 0}


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"models": {}}, "no model"),
        ({"models": {"k_anonymity": 3}, "suppression": 2}, "suppression=2"),
        ({"models": {"k_anonymity": 3}, "objective": "los"}, "did you mean 'loss'"),
        ({"models": {"k_anonymity": 3}, "objective": "discernibility", "weights": {"zip": 2}}, "no weights"),
        ({"models": {"k_anonymity": 3}, "objective": "accuracy"}, "target='income'"),
        ({"models": {"k_anonymity": 3}, "target": "diagnosis"}, "classifies no column"),
        ({"models": {"k_anonymity": 3}, "lowest": 1}, "lowest=1"),
        ({"models": {"k_anonymity": 3}, "highest": {"zip": -1}}, "level of 'zip'"),
        ({"models": {"k_anonymity": 3}, "seconds": 0}, "seconds=0"),
        ({"models": {"k_anonymity": 3}, "highest": {"zpi": 1}}, "'zip'"),
        ({"models": {"k_anonymity": 3}, "weights": {"income": 1}}, "column 'income' is not in"),
        (
            {"models": {"k_anonymity": 3}, "weights": dict.fromkeys(("zip", "birth", "sex", "occupation"), 0)},
            "weight 0",
        ),
        ({"models": {"k_anonymity": 3}, "lowest": {"zip": 3}, "highest": {"zip": 1}}, "lowest= at most highest="),
        ({"models": {"k_anonymity": 301}, "suppression": 0.1}, "k-anonymity cannot be met: 301 is asked"),
        ({"models": {"t_closeness": {"t": 0.0, "columns": {"diagnosis": 0.01}}}}, "cannot be met"),
        ({"models": {"l_diversity": {"columns": {"zip": 2}}}}, "zip"),
        ({"models": {"k_map": 3}}, "population"),
    ],
)
def test_mistakes_are_answered_with_a_remedy(parameters, told):
    with pytest.raises(TacitError, match=told.replace("(", r"\(")) as caught:
        FullDomain(**parameters).apply(clinic())
    assert caught.value.fix


@pytest.mark.parametrize(
    ("lowest", "highest", "place"),
    [
        ({}, {}, "with every column at its highest level"),
        ({}, {"zip": 0}, "with every column at the highest level that is allowed"),
        (FINE, FINE, "at the fixed levels"),
    ],
)
def test_an_error_says_which_levels_do_not_suffice_and_asks_for_nothing_that_is_none(lowest, highest, place):
    with pytest.raises(TacitError) as caught:
        FullDomain(models={"k_anonymity": 50}, lowest=lowest, highest=highest).apply(clinic())
    assert f"50 is asked, and {place} it is" in caught.value.what
    assert "ask for 1," not in f"{caught.value.fix},"
    assert ("raise highest=" in caught.value.fix) == bool(highest)


def test_the_nearest_that_can_be_met_can_be_met():
    """The missing occupations are a class of their own at every level: no k above their number without suppression."""
    release = clinic()
    with pytest.raises(TacitError, match=r"ask for (\d+), or allow suppression=([\d.]+)") as caught:
        FullDomain(models={"k_anonymity": 50}).apply(release)
    nearest = int(caught.value.fix.split()[2].strip(",;"))
    FullDomain(models={"k_anonymity": nearest}).apply(release)
    with pytest.raises(TacitError):
        FullDomain(models={"k_anonymity": nearest + 1}).apply(release)
    share = float(caught.value.fix.split("suppression=")[1].split()[0])
    FullDomain(models={"k_anonymity": 50}, suppression=share).apply(release)


def test_models_that_contradict_each_other_are_named():
    table = pl.DataFrame({"q": list("aabbcc"), "ill": list("xyxzxx")})
    release = Release(table, quasi="q", confidential="ill")
    with pytest.raises(TacitError, match="beta-likeness|β-likeness"):
        FullDomain(models=[KAnonymity(k=2), BetaLikeness(beta=0.001)], highest={"q": 0}).apply(release)


def test_parameters_come_back_from_json():
    method = FullDomain(models={"k_anonymity": 5}, weights={"zip": 2.0}, lowest={"zip": 1}, seconds=9.5)
    again = from_json(json.loads(json.dumps(to_json(method))))
    assert again == method
    assert hash(again) == hash(method)


def test_the_optimum_of_adult_is_that_of_arx(reference_data):
    """ARX 3.9.2: 5-anonymity, 5 % suppression, loss with the geometric mean, 12,960 nodes."""
    import tacit

    folder = reference_data / "adult"
    columns = "sex age race marital-status education native-country workclass occupation salary-class".split()
    trees = {column: {"file": folder / f"adult_hierarchy_{column}.csv"} for column in columns}
    release = tacit.read(folder / "adult.csv", separator=";", quasi=columns, hierarchies=trees)
    method = FullDomain(models={"k_anonymity": 5}, suppression=0.05, objective="loss_geometric")
    masked = method.apply(release)
    assert [*masked.trace[0].outcome["levels"].value.values()] == [0, 3, 0, 0, 2, 1, 1, 2, 0]
    assert masked.trace[0].outcome["removed"].value == 1346
    assert masked.evidence["score"] == pytest.approx(0.241932, abs=5e-7)
    assert masked.evidence["proven"]
    assert masked.release.to_native().group_by(columns).len()["len"].min() >= 5
