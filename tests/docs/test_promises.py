"""Every sentence that promises protection is listed with a check and an attacker that exist."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"(?:<!--|#|\{#-?) promise: ([a-z0-9-]+)")
SUFFIXES = {".py", ".md", ".html", ".toml", ".txt"}
LISTED = [
    (page.stem, promise)
    for page in sorted((ROOT / "docs" / "promises").glob("*.toml"))
    for promise in tomllib.loads(page.read_text())["promise"]
]
AREAS = {"households", "multiparty", "networks", "numbers", "plan", "query", "roles", "runs", "synthetic", "tables"}


def marks() -> dict[str, list[str]]:
    """Id → the files that carry its mark; generated pages and the list itself are left out."""
    found: dict[str, list[str]] = {}
    places = [ROOT / "README.md", *(ROOT / "src").rglob("*"), *(ROOT / "docs").rglob("*")]
    for path in places:
        inside = path.relative_to(ROOT).as_posix()
        if path.suffix in SUFFIXES and path.is_file() and not inside.startswith(("docs/promises", "docs/reference")):
            for name in MARK.findall(path.read_text(encoding="utf-8")):
                found.setdefault(name, []).append(inside)
    return found


def test_every_marked_sentence_is_listed_and_every_listed_one_is_marked():
    marked, listed = set(marks()), {promise["id"] for _, promise in LISTED}
    assert marked - listed == set(), "a promise without a check"
    assert listed - marked == set(), "a check of a promise that nobody makes"


def test_every_area_makes_its_promises():
    assert {area for area, _ in LISTED} == AREAS


def test_no_promise_is_listed_twice():
    ids = [promise["id"] for _, promise in LISTED]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("area, promise", LISTED, ids=[promise["id"] for _, promise in LISTED])
def test_the_check_and_the_attacker_exist(area, promise):
    assert set(promise) <= {"id", "sentence", "check", "attack", "not_covered"}
    assert promise["id"].startswith(f"{area}-") and promise["sentence"].endswith(".")
    for address in (promise["check"], promise["attack"]):
        file, _, name = address.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        functions = {
            node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        name = name.split("::")[-1].split("[")[0]
        assert file.startswith(("tests/", "src/")) and (not name or name in functions), address
        assert name or any(one.startswith("test_") for one in functions), f"{address} tests nothing"


def test_a_mark_is_found_wherever_sentences_stand():
    """The collector itself: a mark in a page, in code and in a template."""
    assert MARK.findall("Safe. <!-- promise: a-b -->\nx = 1  # promise: c-d\n{# promise: e-f #}") == [
        "a-b",
        "c-d",
        "e-f",
    ]
