import polars as pl
import pytest

from tacit import Release, TacitError, examples
from tacit.protect.load import from_json
from tacit.study import explore
from tacit.study.microdata.record_study import record_strategies


def clinic(rows=300):
    made = examples.clinic(rows)
    return Release(made.frame, **made.roles, kinds=made.kinds, hierarchies=made.hierarchies, missing=made.missing)


def test_amounts_alone_get_what_masks_amounts(release):  # catalogue: F-06
    names = [strategy.name for strategy in record_strategies(release, {})]
    assert names == ["microaggregation", "rank swapping", "noise"]
    assert record_strategies(release, {})[0].steps[0]["columns"] == ("age", "rent", "pay")


def test_keys_get_classes_and_confidential_amounts_a_mask_after_them():
    found = record_strategies(clinic(), {"k_anonymity": 5, "l_diversity": 2, "reidentification": 0.05})
    assert {"Mondrian", "PRAM + noise", "blanks", "local recoding + rank swapping"} <= {one.name for one in found}
    mondrian = next(one for one in found if one.name == "Mondrian")
    assert mondrian.steps[0]["models"]["l_diversity"] == 2
    for strategy in found:
        middle = {path: given.value_at(0.5) for path, given in strategy.open_parameters.items()}
        assert all(from_json(step) for step in strategy.fill_steps(middle)), strategy.name


def test_every_usual_strategy_can_be_made():
    found = explore(
        clinic(), candidates=16, search="grid", workers=1, loss={"generalisation": 1}, require={"k_anonymity": 2}
    )
    assert [point.evaluation.why for point in found.points if point.evaluation.state == "failed"] == []
    assert found.chosen is not None


def test_without_roles_there_is_nothing_to_try():
    with pytest.raises(TacitError, match="no quasi-identifier to protect"):
        record_strategies(Release(pl.DataFrame({"x": ["a", "b"]})), {})
