"""Forms of requirements: what is required comes back from the browser, nothing is required by itself, and mistakes are told."""

from __future__ import annotations

import pytest

from tacit import TacitError
from tacit.app.forms import FormErrors, parsed_requirement, requirement_fields
from tacit.models import MODELS
from tacit.plan.attack_run import ABOUT
from tacit.plan.require import Requirements
from tacit.risk import MEASURES

from .filled_forms import CLINIC, SAY, rendered

REQUIRED = [
    ("k_anonymity", 5),
    ("k_anonymity", {"k": 3, "combinations": 2}),
    ("l_diversity", {"columns": {"diagnosis": 2}}),
    ("t_closeness", 0.4),
    ("reidentification", 0.05),
    ("membership", 0.6),
    ("sample_uniques", 10),
    ("unicity", {"at_least": 0.1, "known": 2}),
    ("interval_disclosure", {"at_most": 0.3, "percent": 10}),
    *((name, {**entry.example}) for name, entry in MODELS.items()),
    *((name, {"at_most": 0.5, **entry.example}) for name, entry in MEASURES.items() if name not in MODELS),
]


@pytest.mark.parametrize(("name", "content"), REQUIRED)
def test_a_requirement_comes_back_from_the_browser(name, content):
    page = rendered(requirement_fields(name, content, columns=CLINIC, say=SAY))
    found = parsed_requirement(name, page.submitted(), columns=CLINIC)
    assert Requirements.of({name: found}) == Requirements.of({name: content})
    assert isinstance(content, dict) or found == content


@pytest.mark.parametrize("name", [*MODELS, *ABOUT, *MEASURES])
def test_no_requirement_is_set_by_itself(name):
    fields = requirement_fields(name, columns=CLINIC, say=SAY)
    assert all(not one.value for one in fields if one.control not in ("choice", "flag"))
    with pytest.raises(FormErrors, match="fix:"):
        parsed_requirement(name, rendered(fields).submitted(), columns=CLINIC)


@pytest.mark.parametrize(
    ("name", "form", "told"),
    [
        ("reidentification", {"at_most": ["2"]}, "re-identification: reidentification = 2 is not a share"),
        ("membership", {"at_most": ["0.3"]}, "membership: membership = 0.3 can never hold"),
        ("k_anonymity", {"k": ["0"]}, "k-anonymity: k=0 is not a whole number"),
        (
            "sample_uniques",
            {"at_most": ["1"], "at_least": ["1"]},
            "sample uniques: sample_uniques = a dict is no bound",
        ),
    ],
)
def test_a_requirement_that_cannot_be_is_refused(name, form, told):
    with pytest.raises(FormErrors) as caught:
        parsed_requirement(name, form, columns=CLINIC)
    assert str(caught.value).startswith(told)


def test_an_unknown_requirement_is_answered_with_the_nearest():
    with pytest.raises(TacitError, match="did you mean 'k_anonymity'"):
        requirement_fields("k_anonymty", columns=CLINIC, say=SAY)
