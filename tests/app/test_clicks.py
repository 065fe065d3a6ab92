"""Errors in the words of the page, and the next step at the end of every page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.app.edits import ALL as EDITS
from tacit.app.page_error import PageError, in_clicks
from tacit.app.plain_language import to_plain_language
from tacit.app.server.pages import find_next_step
from tacit.app.texts import texts
from tacit.errors import TacitError
from tacit.models import MODELS, KAnonymity
from tacit.protect import FullDomain, Generalise
from tacit.risk import MEASURES

ROOT = Path(tacit.__file__).parent
TEMPLATES = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "app" / "templates").rglob("*.html")))
SAY: Any = texts().clicks


def told(
    code: str, *, where: str | None = None, what: str = "is odd", fix: str = "", column: str | None = None
) -> PageError:
    """How the page tells an error."""
    return in_clicks(TacitError(what, code=code, fix=fix, column=column, where=where))


@pytest.mark.parametrize("name", SAY.sections)
def test_the_link_of_an_entry_leads_somewhere(name: str) -> None:
    entry = getattr(SAY, name)
    assert bool(entry.get("href")) == bool(entry.get("link"))
    assert not re.search(r"\w='|\w=\[|--\w", entry.fix + entry.get("what")), "no Python and no command line"
    page, _, place = entry.get("href").replace("?column={column}", "").partition("#")
    assert page in ("", "/data", "/hierarchies", "/protect", "/map", "/release", "/tables")
    assert not place or f'id="{place}"' in TEMPLATES or place in ("open-another", "shape-missing", "shape-response")
    assert bool(entry.get("edit")) == bool(entry.get("press")) and entry.get("edit", "open") in EDITS


def test_an_error_loses_its_place_in_files_and_names_its_column() -> None:
    found = told("missing_undefined", where="plan.toml, line 7, data.missing", column="birth date")
    assert found.what == "birth date has missing values, and nobody has said yet what they mean"
    assert found.href == "/data#missing-values" and "=" not in found.fix
    assert told("other", where="/home/me/p/../x.csv", what="line 3 has 4 cells").what == "x.csv: line 3 has 4 cells"
    found = told("no_weights", where="/home/me/x.csv", what="it needs weights", fix="weight='w'")
    assert found.what == "x.csv: it needs weights", "also where an entry tells it as the library does"
    assert told("other", fix="say so, e.g. a column (--age a)").fix == "say so, e.g. a column"


QUASI = {"data": {"path": "x.csv"}, "roles": {"quasi": ["zip"]}}
REQUIRED = {**QUASI, "require": {"k_anonymity": 5}}
STEPPED = {**REQUIRED, "protect": [{"method": "generalise"}]}
FAILS, HOLDS = ({"asks": None, "lights": [{"name": "k_anonymity", "state": state}]} for state in ("fails", "holds"))
BY_ATTACK = {"asks": None, "lights": [*HOLDS["lights"], {"name": "reidentification", "state": "attack"}]}


@pytest.mark.parametrize(
    ("page", "raw", "status", "key"),
    [
        ("data", {}, None, None),
        ("risk", {"data": {"path": "x.csv"}}, None, "roles"),
        ("data", QUASI, {"asks": {"column": "zip"}, "lights": []}, "missing"),
        ("data", QUASI, None, "risk"),
        ("risk", QUASI, None, "require"),
        ("release", QUASI, None, None),
        ("release", REQUIRED, FAILS, "protect"),
        ("protect", REQUIRED, FAILS, "first"),
        ("protect", STEPPED, FAILS, "more"),
        ("protect", REQUIRED, HOLDS, "release"),
        ("release", REQUIRED, HOLDS, None),
        ("tables", REQUIRED, HOLDS, None),
    ],
)
def test_every_page_says_what_is_next(page: str, raw: dict[str, Any], status: dict[str, Any], key: str | None) -> None:
    found = find_next_step(page, raw, status)
    assert (found and found.key) == key
    if found:
        say: Any = texts().onward
        assert say.get(found.key) and say.why.get(found.key)


@pytest.mark.parametrize(
    ("state", "key"), [(None, "attack"), ("holds", "release"), ("fails", "first"), ("unknown", "first")]
)
def test_nothing_is_ready_for_release_before_the_attacks_that_decide_on_it_were_made(
    state: str | None, key: str
) -> None:
    attacks = {"verdicts": [{"name": "reidentification", "state": state}]} if state else None
    found = find_next_step("protect", REQUIRED, BY_ATTACK, attacks)
    assert found is not None and found.key == key


def test_where_nothing_can_be_checked_no_step_is_said_to_help() -> None:
    assert find_next_step("protect", STEPPED, None, broken=True) is None


def test_a_file_that_cannot_be_read_leads_to_another() -> None:
    for page in ("data", "risk", "tables"):
        found = find_next_step(page, QUASI, None, unread=True)
        assert found is not None and found.href == "/data#open-another"


def test_what_is_filled_in_on_a_page_is_told_without_the_line_of_the_plan() -> None:
    assert told("other", where="plan.toml, line 18, protect").what == "is odd"
    assert told("other", where="table.toml, line 9, table").what == "is odd"
    assert told("other", where="plan.toml, line 3, data").what == "plan.toml, line 3, data: is odd"


def test_a_step_that_is_fixed_to_levels_leads_back_to_the_search() -> None:
    frame = pl.DataFrame({"zip": ["a1", "a2", "b1", "b2"]})
    release = tacit.Release(frame, quasi="zip", hierarchies={"zip": {"prefix": [1]}})
    for fixed, code in (({"lowest": {"zip": 0}, "highest": {"zip": 0}}, "levels_fixed"), ({}, "cannot_be_met")):
        with pytest.raises(TacitError) as caught:
            release.protect(FullDomain(models=[KAnonymity(k=9)], **fixed))
        assert caught.value.code == code
    found = told("levels_fixed", where="plan.toml, line 9, protect", what="it cannot be met")
    assert found.href == "/map" and found.what == "it cannot be met" and "=" not in found.fix


def test_values_that_are_in_no_group_lead_to_the_groups_of_their_column() -> None:
    frame = pl.DataFrame({"wed & lock": ["yes", "no", "new"]})
    groups = {"wed & lock": {"groups": {"any": ["yes"], "none": ["no"]}}}
    release = tacit.Release(frame, quasi="wed & lock", hierarchies=groups)
    with pytest.raises(TacitError) as caught:
        release.protect(Generalise(levels={"wed & lock": 1}))
    found = in_clicks(caught.value.with_location("plan.toml, line 9, protect"))
    assert found.href == "/hierarchies?column=wed%20%26%20lock" and found.link == "Groups of wed & lock"


def test_a_file_that_was_moved_is_not_taken_for_that_of_another_year(tmp_path: Path) -> None:
    (tmp_path / "register2026.csv").write_text("a\n1\n")
    (tmp_path / "studio").mkdir()
    with pytest.raises(TacitError) as caught:
        tacit.read(tmp_path / "studio" / ".." / "register2025.csv")
    assert ".." not in str(caught.value)
    found = in_clicks(caught.value)
    assert found.what == "register2025.csv: there is no such file" and "2026" not in found.fix
    other = told("file_missing", where="plan.toml, line 9, intruder.control")
    assert "intruder.control" in other.what and not other.href


def test_a_rule_for_sums_on_counts_is_told_without_a_word_of_a_plan() -> None:
    found = told("rule_needs_sums", where="table.toml, line 9, rule", what="the p%-rule judges sums of a response")
    assert found.what.startswith("the p%-rule judges sums") and found.href == "/tables#shape-response"
    assert "_" not in found.fix


@pytest.mark.parametrize("name", sorted({*MODELS, *MEASURES}))
def test_what_may_be_required_is_said_in_everyday_words(name: str) -> None:
    said = to_plain_language((MODELS.get(name) or MEASURES[name]).summary)
    assert not re.search(r"quasi|\bclass|confidential|hierarch", said), said
