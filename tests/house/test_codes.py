"""Every code of an error or a note is listed with its meaning, and every listed code is used."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import tacit
from tacit.multiparty.faults import FAULTS
from tacit.query.refusal import Code

ROOT = Path(tacit.__file__).parent
CODES = tomllib.loads((ROOT / "codes.toml").read_text(encoding="utf-8"))
TREES = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(ROOT.rglob("*.py"))]


def calls(*names: str) -> Iterator[ast.expr]:
    """What is given as code to calls of these names."""
    for tree in TREES:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield from (keyword.value for keyword in node.keywords if keyword.arg == "code")


def constants(given: ast.expr) -> set[str]:
    return {str(node.value) for node in ast.walk(given) if isinstance(node, ast.Constant) and node.value != "polars"}


def test_every_code_is_listed() -> None:
    for section, names in (("errors", ("TacitError", "refuse_rows", "FormErrors")), ("notes", ("Note",))):
        used = {code for given in calls(*names) for code in constants(given)}
        assert not used - set(CODES[section]), f"say in codes.toml under [{section}] what these mean"


def test_every_listed_code_is_used() -> None:
    texts = {node.value for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert not {*CODES["errors"], *CODES["notes"]} - texts, "nobody raises these"


def test_refusals_and_faults_are_listed() -> None:
    assert set(CODES["refusals"]) == set(get_args(Code))
    assert set(CODES["faults"]) == {word.replace(" ", "_") for word in FAULTS}


def test_meanings_are_sentences() -> None:
    for section in CODES.values():
        assert list(section) == sorted(section)
        assert all(meaning[0].isupper() and meaning.endswith(".") for meaning in section.values())
