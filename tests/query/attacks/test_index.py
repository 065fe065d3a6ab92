"""No attack is missing: each has a test that shows it to work, one that shows it to fail, and a line in the README."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
PROPERTIES = {3, 6, 7, 18}
NAME = re.compile(r"test_attack_(\d\d)_(succeeds_)?\w+")


def numbered() -> dict[int, list[tuple[str, str, str]]]:
    """Number → file, name and source of every test that names it."""
    found: dict[int, list[tuple[str, str, str]]] = {number: [] for number in range(1, 25)}
    for path in sorted(FOLDER.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and (match := NAME.fullmatch(node.name)):
                whole = "\n".join(ast.unparse(one) for one in (*node.decorator_list, node))
                found[int(match[1])].append((path.name, node.name, whole))
    return found


@pytest.mark.parametrize("number", range(1, 25))
def test_every_attack_is_shown_to_work_and_to_fail(number):
    names = [name for _, name, _ in numbered()[number]]
    stubs = [name for name in names if "_succeeds_" in name]
    assert stubs and set(names) - set(stubs), number
    if number in PROPERTIES:
        assert any("given(" in source for _, name, source in numbered()[number] if name not in stubs)


def test_the_readme_names_the_file_of_every_attack():
    lines = re.findall(r"^\| (\d+)( ∀)? \|.*\| `(test_\w+\.py)` \| (.*) \|$", (FOLDER / "README.md").read_text(), re.M)
    assert [int(number) for number, *_ in lines] == list(range(1, 25))
    for number, every, file, parts in lines:
        assert {one for one, _, _ in numbered()[int(number)]} == {file}
        assert bool(every) == (int(number) in PROPERTIES)
        for part in re.findall(r"`(\w+\.py)`", parts):
            assert (FOLDER.parent / part).is_file(), part
