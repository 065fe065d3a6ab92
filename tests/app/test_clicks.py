"""Errors in the words of the page, and the next step at the end of every page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.app.edits import ALL as EDITS
from tacit.app.page_error import in_clicks
from tacit.app.plain_language import to_plain_language
from tacit.app.server.pages import find_next_step
from tacit.app.texts import texts
from tacit.models import MODELS
from tacit.protect import Generalise
from tacit.risk import MEASURES

ROOT = Path(tacit.__file__).parent
SOURCE = "\n".join(
    file.read_text(encoding="utf-8") for file in sorted(ROOT.rglob("*.py")) if "app" not in file.relative_to(ROOT).parts
)
TEMPLATES = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "app" / "templates").rglob("*.html")))
SAY: Any = texts().clicks
MISSING = "is a quasi-identifier with missing values, and nobody said what they mean"


@pytest.mark.parametrize("name", SAY.known)
def test_what_an_entry_knows_is_what_the_library_says_and_its_link_leads_somewhere(name: str) -> None:
    entry = getattr(SAY, name)
    assert entry.says in SOURCE, "the library says it otherwise now"
    assert bool(entry.get("href")) == bool(entry.get("link"))
    assert not re.search(r"\w='|\w=\[|--\w", entry.fix + entry.get("what")), "no Python and no command line"
    page, _, place = entry.get("href").replace("?column={column}", "").partition("#")
    assert page in ("", "/data", "/hierarchies", "/protect", "/map", "/release", "/tables")
    assert not place or f'id="{place}"' in TEMPLATES or place in ("open-another", "shape-missing", "shape-response")
    assert bool(entry.get("edit")) == bool(entry.get("press")) and entry.get("edit", "open") in EDITS


def test_an_error_loses_its_place_in_files_and_names_its_column() -> None:
    told = in_clicks(f"plan.toml, line 7, data.missing: column 'birth date' {MISSING}", "say missing='own'")
    assert told.what == "birth date has missing values, and nobody has said yet what they mean"
    assert told.href == "/data#missing-values" and "=" not in told.fix
    assert in_clicks("/home/me/p/../x.csv: line 3 has 4 cells", "mend it").what == "x.csv: line 3 has 4 cells"
    told = in_clicks(f"/home/me/x.csv: it {SAY.no_weights.says}", "weight='w'")
    assert told.what == f"x.csv: it {SAY.no_weights.says}", "also where an entry tells it as the library does"
    assert in_clicks("column 'age' is odd", "say so, e.g. a column (--age a)").fix == "say so, e.g. a column"


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
    assert in_clicks("plan.toml, line 18, protect: k = 9 cannot be met", "").what == "k = 9 cannot be met"
    assert in_clicks("table.toml, line 9, table: a cell is odd", "").what == "a cell is odd"
    assert in_clicks("plan.toml, line 3, data: an odd key", "").what == "plan.toml, line 3, data: an odd key"


def test_a_step_that_is_fixed_to_levels_leads_back_to_the_search() -> None:
    told = in_clicks(
        "plan.toml, line 9, protect: k-anonymity cannot be met: 10 is asked, and at the fixed levels it is 4", ""
    )
    assert (
        told.href == "/map" and told.what == "k-anonymity cannot be met: 10 is asked, and at the fixed levels it is 4"
    )
    assert "=" not in told.fix


def test_values_that_are_in_no_group_lead_to_the_groups_of_their_column() -> None:
    frame = pl.DataFrame({"wed & lock": ["yes", "no", "new"]})
    groups = {"wed & lock": {"groups": {"any": ["yes"], "none": ["no"]}}}
    release = tacit.Release(frame, quasi="wed & lock", hierarchies=groups)
    with pytest.raises(tacit.TacitError, match="has 1 value that its hierarchy lacks, the first in row 3") as caught:
        release.protect(Generalise(levels={"wed & lock": 1}))
    told = in_clicks(f"plan.toml, line 9, protect: {caught.value.message}", caught.value.fix)
    assert told.href == "/hierarchies?column=wed%20%26%20lock" and told.link == "Groups of wed & lock"


def test_a_file_that_was_moved_is_not_taken_for_that_of_another_year(tmp_path: Path) -> None:
    (tmp_path / "register2026.csv").write_text("a\n1\n")
    (tmp_path / "studio").mkdir()
    with pytest.raises(tacit.TacitError) as caught:
        tacit.read(tmp_path / "studio" / ".." / "register2025.csv")
    assert ".." not in str(caught.value)
    told = in_clicks(caught.value.message, caught.value.fix)
    assert told.what == "register2025.csv: there is no such file" and "2026" not in told.fix
    other = in_clicks("plan.toml, line 9, intruder.control: there is no such file", "check it")
    assert "intruder.control" in other.what and not other.href


def test_a_rule_for_sums_on_counts_is_told_without_a_word_of_a_plan() -> None:
    told = in_clicks(
        "table.toml, line 9, rule: the p%-rule judges sums of a response, and the table holds counts", "use it"
    )
    assert told.what.startswith("the p%-rule judges sums") and told.href == "/tables#shape-response"
    assert "_" not in told.fix


def test_what_no_protection_can_reach_is_said_in_the_words_of_the_library() -> None:
    assert texts().remedies.impossible.says in SOURCE


@pytest.mark.parametrize("name", sorted({*MODELS, *MEASURES}))
def test_what_may_be_required_is_said_in_everyday_words(name: str) -> None:
    said = to_plain_language((MODELS.get(name) or MEASURES[name]).summary)
    assert not re.search(r"quasi|\bclass|confidential|hierarch", said), said
