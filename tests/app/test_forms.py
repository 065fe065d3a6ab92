"""Forms made from parameters: what stands in a field comes back from the browser as it was, for everything in an ALL."""

from __future__ import annotations

from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

import tacit.app.forms
from tacit.app.forms import (
    Columns,
    FormErrors,
    fields_of,
    parse_form,
)
from tacit.app.forms.parameter import parameters_of
from tacit.attack import ATTACKS
from tacit.loss import LOSSES
from tacit.models import MODELS
from tacit.models.load import build_model
from tacit.plan.table.methods import WAYS
from tacit.protect import METHODS
from tacit.protect.load import from_json
from tacit.registry import build_from_params
from tacit.release.trace import to_plain_data
from tacit.risk import MEASURES
from tacit.tables.intruders.registry import ALL as INTRUDERS
from tacit.tables.rules.registry import ALL as RULES
from tacit.tables.rules.serialise import from_json as rule_from_json

from .browser import Page
from .filled_forms import CLINIC, FIELD, SAY, rendered, through

FAMILIES = {
    "protect": (METHODS, lambda name, said: from_json({"method": name, **said})),
    "models": (MODELS, build_model),
    "attack": (ATTACKS, lambda name, said: build_from_params(name, ATTACKS[name].call, said)),
    "rules": (RULES, lambda name, said: rule_from_json({"method": name, **said})),
    "intruders": (INTRUDERS, lambda name, said: build_from_params(name, INTRUDERS[name].call, said)),
}
ENTRIES = [(family, name) for family, (every, _) in FAMILIES.items() for name in every]
CALLS = {f"{family} {name}": FAMILIES[family][0][name].call for family, name in ENTRIES} | {
    f"table {name}": way for name, way in WAYS.items()
}
TABLE_WAYS = {
    "suppress": {"search": "exact", "cost": {"wages": 0.5}, "nodes": 1000, "seconds": 2.5},
    "round_controlled": {"base": 5},
    "round_random": {"base": 3},
    "adjust": {},
    "cell_key": {"largest": 3, "variance": 1.5, "forbidden": 2},
}
SAMPLES: dict[str, list[Any]] = {
    "column": ["income", "zip"],
    "columns": [["rent", "income", "zip"]],
    "places": [["sex", "zip"]],
    "levels": [{"zip": 0, "birth": 4}],
    "numbers": [{"income": 0.25, "diagnosis": 3}],
    "wholes": [{"income": 3}],
    "number": [0.1, 7, 1e-9, -2.5],
    "whole": [12, 0],
    "text": ['she said "no" & <left>', "zwölf"],
    "loose": ["word", 3, 0.5, "12", "true", [["income", "rent"]], {"a b": 1}],
    "toml": [5, {"income": 0.5}, [["F", "M"]], {"sex": ["F", 'a "b"']}],
    "models": [{"k_anonymity": 3, "t_closeness": {"columns": {"income": 0.4}}}],
}
"""Values for each control; every parameter of every entry takes each of them to the browser and back."""


@pytest.mark.parametrize(("family", "name"), ENTRIES)
def test_the_example_of_every_entry_comes_back_from_the_browser(family, name):
    """A-04, A-05: models, methods and attacks of every kind, whatever their parameters."""
    every, build = FAMILIES[family]
    example = to_plain_data(every[name].example)
    found = through(every[name].call, every[name].example)
    assert build(name, found) == build(name, example)
    assert set(found) <= set(example)
    defaults = {one.name: one.default for one in parameters_of(every[name].call) if one.control in ("choice", "flag")}
    for parameter, value in example.items():
        if defaults.get(parameter) == value and parameter in defaults:
            assert parameter not in found
        elif name != "pipeline":
            assert found[parameter] == value


@pytest.mark.parametrize("name", WAYS)
def test_every_way_to_protect_a_table_comes_back_from_the_browser(name):
    """G-04 to G-06."""
    found = through(WAYS[name], TABLE_WAYS[name])
    assert found == TABLE_WAYS[name]
    assert WAYS[name].model_validate({"method": name, **found})


@pytest.mark.parametrize("name", CALLS)
def test_every_parameter_is_reachable(name):
    for one in parameters_of(CALLS[name]):
        needed = {two.name: SAMPLES[two.control][0] for two in parameters_of(CALLS[name]) if two.required}
        values = one.literals if one.control == "choice" else SAMPLES.get(one.control, [True, False])
        for value in values:
            found = through(CALLS[name], {**needed, one.name: value})
            as_without = one.control in ("choice", "flag") and value == one.default
            assert found == {**needed, **({} if as_without else {one.name: value})}, one


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_chosen_for_the_user_where_protection_is_decided(name):
    fields = fields_of(CALLS[name], columns=CLINIC, say=SAY)
    required = [one for one in fields if one.required]
    assert all(not one.value and not one.default for one in required)
    page = rendered(fields)
    if required:
        with pytest.raises(FormErrors) as caught:
            parse_form(CALLS[name], page.submitted(), columns=CLINIC)
        assert list(caught.value.problems) == [one.name for one in required]
    else:
        assert parse_form(CALLS[name], page.submitted(), columns=CLINIC) == {}


@pytest.mark.parametrize("name", CALLS)
def test_every_control_has_a_label_and_every_reference_a_target(name):
    fields = fields_of(CALLS[name], columns=CLINIC, say=SAY, example={"k": 5})
    page = Page("".join(str(FIELD(one, prefix)) for prefix in ("one", "two") for one in fields))
    assert len(page.ids) == len(set(page.ids))
    assert set(page.labelled) | set(page.described) <= set(page.ids)
    seen = [one for one in page.controls if one.get("type") != "hidden"]
    assert {one["id"] for one in seen} <= set(page.labelled)


def test_the_parameters_are_those_of_the_entries():
    for every in (METHODS, MODELS, ATTACKS, MEASURES, LOSSES, RULES, INTRUDERS):
        for entry in every.values():
            found = parameters_of(entry.call)
            assert tuple(one.name for one in found) == entry.parameters
            if not is_dataclass(entry.call):
                assert tuple(one.name for one in found if one.required) == entry.required


def control(call, name: str) -> str:
    return next(one.control for one in parameters_of(call) if one.name == name)


def test_controls_follow_the_types_of_the_parameters():
    method = {name: entry.call for name, entry in METHODS.items()}
    assert control(method["rank_swap"], "percent") == "toml"
    assert control(method["rank_swap"], "strata") == "columns"
    assert control(method["full_domain"], "target") == "column"
    assert control(method["data_swap"], "target") == "choice"
    assert control(method["full_domain"], "lowest") == "levels"
    assert control(method["record_swap"], "geography") == "places"
    assert control(method["top_bottom_code"], "top") == "loose"
    assert control(method["anonymise"], "methods") == "toml"
    assert control(MODELS["p_sensitivity"].call, "columns") == "wholes"
    assert control(MODELS["t_closeness"].call, "columns") == "numbers"
    assert control(ATTACKS["probabilistic"].call, "block") == "columns"
    assert control(ATTACKS["singling_out"].call, "columns") == "whole"


def test_types_that_are_imported_for_the_checker_alone_are_known():
    effort = next(one for one in parameters_of(METHODS["microaggregate"].call) if one.name == "effort")
    assert (effort.control, effort.literals) == ("choice", ("normal", "high"))


@pytest.mark.parametrize(
    ("name", "entry"), [(name, entry) for table in (METHODS, MODELS, RULES) for name, entry in table.items()]
)
def test_a_field_named_by_a_letter_says_what_it_is(name, entry):
    bare = [one.name for one in parameters_of(entry.call) if len(one.name) <= 2 and not one.help]
    assert bare == [], f"the docstring of {name} has no plain sentence with ``{bare}``"


def test_help_is_a_plain_sentence_of_the_method_itself():
    fields = {one.name: one for one in fields_of(METHODS["rank_swap"].call, columns=CLINIC, say=SAY)}
    assert fields["percent"].help == "percent is one number, or one for each column by name."
    assert fields["strata"].label == "strata"
    for name, call in CALLS.items():
        for one in parameters_of(call):
            assert not set("`\\\n") & set(one.help), (name, one.name)
            assert not one.help or (one.name in one.help or name.startswith("table")), (name, one.name)


def test_hints_show_the_example_or_what_holds_without():
    entry = METHODS["full_domain"]
    fields = {one.name: one for one in fields_of(entry.call, columns=CLINIC, say=SAY, example=entry.example)}
    assert fields["suppression"].hint == "0.0 if left empty"
    assert (fields["models"].control, fields["models"].hint) == ("models", "those of the requirements")
    (k,) = fields_of(METHODS["suppress_records"].call, columns=CLINIC, say=SAY, example={"k": 5})
    assert (k.hint, k.value) == ("required · e.g. 5", "")


def test_columns_are_offered_with_kind_and_role_and_a_lost_one_stays_in_sight():
    fields = {one.name: one for one in fields_of(METHODS["rank_swap"].call, columns=CLINIC, say=SAY)}
    assert dict(fields["columns"].choices)["zip"] == "zip (geographic, could identify)"
    said = {"columns": ["gone", "rent"], "percent": 5}
    with pytest.raises(FormErrors, match="columns: column 'gone' is not in the table"):
        through(METHODS["rank_swap"].call, said)


def test_levels_are_offered_up_to_the_height_of_the_hierarchy():
    (levels,) = fields_of(METHODS["generalise"].call, columns=CLINIC, say=SAY)
    assert [name for name, _ in levels.choices] == [name for name in CLINIC.names if name in CLINIC.heights]
    inputs = {one["name"]: one for one in rendered([levels]).controls}
    assert inputs["levels:zip"]["placeholder"] == "0–3"
    assert "levels:rent" not in inputs
    (without,) = fields_of(METHODS["generalise"].call, columns=Columns(every=CLINIC.every), say=SAY)
    assert (without.choices, without.hint) == ((), "no column has a hierarchy")


def test_a_box_that_was_not_on_the_page_is_as_without_it():
    call = ATTACKS["distance"].call
    assert parse_form(call, {}, columns=CLINIC) == {}
    assert parse_form(call, {"standardise": ["false"]}, columns=CLINIC) == {"standardise": False}
    assert parse_form(call, {"standardise": ["false", "true"]}, columns=CLINIC) == {}


SWAP = {"columns": ["income"], "percent": ["5"]}
WRONG = [
    ("suppress_records", {"k": ["many"]}, "k: 'many' is not a whole number"),
    ("suppress_records", {"k": ["2.5"]}, "k: '2.5' is not a whole number"),
    ("suppress_records", {"k": ["9" * 5000]}, "k: a str is not a whole number"),
    ("suppress_records", {"k": [" "]}, "k: nothing is given"),
    (
        "data_swap",
        {"columns": ["sex"], "share": ["1,500"]},
        "share: '1,500' can be read in two ways\n  fix: write 1.500 for one with decimals, or 1500 without",
    ),
    (
        "data_swap",
        {"columns": ["sex"], "share": ["1,500,000"]},
        "share: '1,500,000' is not a number\n  fix: write 1500000",
    ),
    ("data_swap", {"columns": ["sex"], "share": ["1.500,5"]}, "share: '1.500,5' is not a number"),
    ("suppress_records", {"k": ["1,500"]}, "k: '1,500' is not a whole number\n  fix: write digits alone: 1500"),
    ("suppress_records", {"k": ["1.000"]}, "k: '1.000' is not a whole number\n  fix: write digits alone: 1000"),
    ("rank_swap", SWAP | {"percent": ["1,500"]}, "percent: '1,500' can be read in two ways"),
    ("data_swap", {"columns": ["sex"], "share": ["nan"]}, "share: 'nan' is not a number"),
    ("data_swap", {"columns": ["sex"], "share": ["1e999"]}, "share: '1e999' is not a number"),
    ("data_swap", {"columns": ["sex"], "share": ["٣"]}, "share: '٣' is not a number"),
    (
        "rank_swap",
        SWAP | {"columns": ["incom"]},
        "columns: column 'incom' is not in the table\n  fix: did you mean 'income'",
    ),
    ("rank_swap", SWAP | {"columns": ["income", "income"]}, "columns: column 'income' is named twice"),
    ("rank_swap", SWAP | {"percent": ["{ income = }"]}, "percent: '{ income = }' cannot be read as a value of a plan"),
    ("rank_swap", SWAP | {"percent": ["5\nform = 3"]}, "percent: '5\\nform = 3' cannot be read"),
    (
        "rank_swap",
        SWAP | {"form": ["unifrom"]},
        "form: 'unifrom' is none of the choices\n  fix: did you mean 'uniform'",
    ),
    ("rank_swap", SWAP | {"totals": ["[" * 100_000]}, "totals: a str cannot be read"),
    ("top_bottom_code", {"column": ["income"], "top": ["[1, 2"]}, "top: '[1, 2' cannot be read"),
    ("mask_terms", {"person": ["x"], "column": ["sex"], "k": ["3"]}, "person: column 'x' is not in the table"),
    ("mdav", {"columns": ["rent"], "k": ["3"], "standardise": ["maybe"]}, "standardise: 'maybe' is neither true"),
    ("generalise", {"levels:zip": ["4"]}, "levels: column 'zip' has no level 4\n  fix: give a level from 0 to 3"),
    ("generalise", {"levels:zip": ["-1"]}, "levels: column 'zip' has no level -1"),
    ("generalise", {"levels:rent": ["1"]}, "levels: column 'rent' has no hierarchy"),
    ("generalise", {"levels:town": ["1"]}, "levels: column 'town' is not in the table"),
    ("generalise", {"levels:zip": ["high"]}, "levels: column 'zip' has a wrong number: 'high' is not a whole number"),
    ("synth_trees", {"leaf": ["5"], "order:sex": ["1"], "order:zip": ["1"]}, "order: column 'zip' has the place 1, as"),
    ("synth_trees", {"leaf": ["5"], "order:sex": ["0"]}, "order: column 'sex' has the place 0"),
]


@pytest.mark.parametrize(("name", "form", "told"), WRONG)
def test_a_wrong_text_is_answered_with_the_parameter_and_the_remedy(name, form, told):
    with pytest.raises(FormErrors) as caught:
        parse_form(METHODS[name].call, form, columns=CLINIC)
    assert str(caught.value).startswith(told)
    assert "fix: " in str(caught.value)
    assert list(caught.value.problems) == [told.partition(":")[0]]


@pytest.mark.parametrize(
    ("name", "form", "found"),
    [
        ("data_swap", {"columns": ["sex"], "share": ["0,05"]}, {"share": 0.05}),
        ("data_swap", {"columns": ["sex"], "share": ["0,125"]}, {"share": 0.125}),
        ("rank_swap", {"columns": ["income"], "percent": ["7,5"]}, {"percent": 7.5}),
        ("top_bottom_code", {"column": ["income"], "top": ["99,5"]}, {"top": 99.5}),
    ],
)
def test_a_decimal_comma_is_one_before_decimals(name, form, found):
    """A browser that reads numbers itself makes 75 of 7,5 without a word: the server reads them."""
    assert found.items() <= parse_form(METHODS[name].call, form, columns=CLINIC).items()


def test_no_number_is_left_to_the_browser_to_read():
    for file in sorted((Path(tacit.app.forms.__file__).parents[1] / "templates").rglob("*.html")):
        assert 'type="number"' not in file.read_text(encoding="utf-8"), file.name


def test_all_mistakes_are_told_at_once():
    call = METHODS["rank_swap"].call
    form = {"columns": ["zip"], "percent": ["five"], "form": ["buckets"], "totals": ["{"], "strata": ["sexe"]}
    with pytest.raises(FormErrors) as caught:
        parse_form(call, form, columns=CLINIC)
    assert list(caught.value.problems) == ["percent", "strata", "totals"]
    assert "percent: 'five'" in str(caught.value)
    assert "totals: '{'" in str(caught.value)
