"""What the page Protect shows and does, without a browser: the numbers of the library, the plan as clicked (A-01, C-02, D-01, E-03)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.app.stepped import COLUMNS, HEAD, STEPS, SWAP

from tacit.app.pages.protect import method_groups
from tacit.app.panels import ALL as PANELS
from tacit.app.panels.context import PanelContext, Store
from tacit.app.panels.step import plan_up_to_step
from tacit.errors import TacitError
from tacit.examples import clinic
from tacit.loss import summary
from tacit.plan.load import from_text
from tacit.plan.original import original_of
from tacit.plan.protection import protect_release
from tacit.protect import METHODS
from tacit.risk import k_anonymity, sample_uniques

SEED = b"0123456789abcdef"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("protect")
    clinic(300, seed=2).frame.select(COLUMNS).write_csv(found / "people.csv")
    return found


def seen(folder: Path, panel: str, plan: str, **question: str) -> Any:
    bench = PanelContext(Store(), folder=folder, documents={"plan": plan, "table": ""}, question=question, seed=SEED)
    return json.loads(json.dumps(PANELS[panel].call(bench), allow_nan=False))


def test_figures_after_a_step_are_those_of_the_plan_up_to_it(folder: Path) -> None:
    whole = HEAD + STEPS + SWAP
    for place, text in ((0, HEAD + STEPS.partition("\n\n")[0]), (1, HEAD + STEPS), (2, whole)):
        plan = from_text(text, folder=folder)
        original = original_of(plan)
        masked = protect_release(plan, original, SEED, None)
        found = seen(folder, "step", whole, after=str(place))["after"]
        assert found["k"] == k_anonymity(masked).value and found["records"] == masked.release.size
        assert found["alone"] == sample_uniques(masked).value
        parts = summary(masked, original=original)
        lost = {one["name"]: one["share"] for one in found["losses"]}
        assert lost["removed records"] == 0 and set(lost) == {one.name for one in parts}
        means = [part.value for part in parts if part.name == "generalisation" and part.column]
        assert lost["generalisation"] == pytest.approx(sum(means) / len(means))
    after, before = (seen(folder, "step", whole, after=one) for one in ("2", "1"))
    assert after["before"] == before["after"] and before["after"]["k"] >= 3 > before["before"]["k"]
    assert any("suppressed" in label for label, _ in before["did"])


def test_what_every_release_gets_stands_around_the_steps(folder: Path) -> None:
    first, last = (seen(folder, "step", HEAD + STEPS, after=one) for one in ("identifiers", "last"))
    assert first["did"] == [["dropped", "name"]]
    assert seen(folder, "step", HEAD + STEPS, after="original")["before"] is None
    told = seen(folder, "effect", HEAD + STEPS)
    assert told["after"] | {"losses": []} == last["after"] and told["before"]["k"] == first["after"]["k"] == 1


def test_a_step_that_chooses_its_method_says_which_and_why(folder: Path) -> None:
    told = seen(folder, "step", HEAD + '[[protect]]\nmethod = "anonymise"\n', after="0")["did"]
    assert told[0][0] == "taken" and {"full domain", "mondrian", "local recode"} <= {label for label, _ in told}
    assert any("models" in label and words == "k-anonymity (k 3)" for label, words in told)


def test_a_step_that_fails_says_so_at_its_place_and_leaves_the_others_theirs(folder: Path) -> None:
    plan = HEAD + STEPS + SWAP.replace('"income"', '"sex"') + SWAP
    good = seen(folder, "step", HEAD + STEPS, after="1")
    assert seen(folder, "step", plan, after="1") == good
    failed = seen(folder, "step", plan, after="2")
    assert failed["own"] and failed["failed"]["place"] == 2 and failed["failed"]["problem"]["code"] == "no_order"
    later = seen(folder, "step", plan, after="3")
    assert not later["own"] and later["failed"] == failed["failed"]
    assert seen(folder, "effect", plan)["after"]["k"] == good["after"]["k"]
    assert seen(folder, "column", plan, column="income", after="last")["how"] == "unreached"
    assert seen(folder, "variant", plan, variant="")["figures"] is None
    with pytest.raises(TacitError, match="there is no step"):
        seen(folder, "step", plan, after="9")


def test_a_later_step_does_not_make_an_earlier_one_wait() -> None:
    raw, more = (tomllib.loads(text) for text in (HEAD + STEPS, HEAD + STEPS + SWAP))
    assert (
        plan_up_to_step(raw, {"after": "1"})
        == plan_up_to_step(more, {"after": "1"})
        != plan_up_to_step(more, {"after": "2"})
    )
    other = {**raw, "require": {"k_anonymity": 9}}
    assert plan_up_to_step(raw, {"after": "1"}) == plan_up_to_step(other, {"after": "1"}), (
        "no step provides what is required"
    )
    asked = {**raw, "protect": [{"method": "anonymise"}]}
    assert plan_up_to_step(asked, {"after": "0"}) != plan_up_to_step(
        {**asked, "require": {"k_anonymity": 9}}, {"after": "0"}
    )


def test_a_column_before_and_after_has_two_charts_of_one_scale(folder: Path) -> None:
    found = seen(folder, "column", HEAD + STEPS + SWAP, column="income", after="last")
    assert [before for _, before, _ in found["rows"]] == [after for *_, after in found["rows"]], "swapping keeps them"
    assert sum(before for _, before, _ in found["rows"]) == 300 and found["before"].startswith("<svg role")
    assert found["numbers"][0][0] == "mean" and found["numbers"][0][1] == pytest.approx(found["numbers"][0][2])
    assert seen(folder, "column", HEAD + STEPS, column="zip", after="0")["how"] == "level"
    assert seen(folder, "column", HEAD + STEPS, column="name", after="last")["how"] == "dropped"


def test_a_variant_has_its_steps_figures_and_lights(folder: Path) -> None:
    found = seen(folder, "variant", HEAD + STEPS, variant="")
    assert found["steps"] == ["Generalise: levels zip 2, birth 3", "Suppress cells: k 3"]
    assert found["lights"][0]["state"] == "holds" and found["figures"]["k"] >= 3


def test_every_method_stands_in_one_group() -> None:
    shown = [one["name"] for _, listed in method_groups() for one in listed]
    assert sorted(shown) == sorted(METHODS)
    assert "other" not in dict(method_groups()), "a new method needs a family"
    unrepeatable = {one["name"] for _, listed in method_groups() for one in listed if not one["repeatable"]}
    assert unrepeatable == {name for name, entry in METHODS.items() if not entry.repeatable}
