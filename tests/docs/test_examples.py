"""Every example on a page runs: Python as doctests, commands in-process, plans through the loader.

A page is one story: its blocks share one folder and one namespace. ``pycon`` blocks are doctests; in ``console`` blocks
every ``$ tacit …`` is run, must end with the exit code that its comment names (``# exit 1``; 0 without one), and must
print what is shown, ``…`` standing for anything; a block with ``file=NAME`` is written to that file; every other
``toml`` block must be a part of a plan that loads.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tacit.cli import main
from tacit.plan.graph import graph_plan
from tacit.plan.load import with_models
from tacit.plan.require import Requirements
from tacit.plan.schema import Plan
from tacit.plan.table.methods import WAYS
from tacit.plan.table.schema import TablePlan
from tacit.protect import from_json
from tacit.release import hierarchy
from tacit.tables.rules.serialise import from_json as rule_from_json

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "reference"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    language: str
    file: str | None
    text: str
    where: str


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        named = re.search(r"\bfile=(\S+)", found[2])
        line = text[: found.start()].count("\n") + 2
        yield Block(found[1], named[1] if named else None, found[3], f"{page.relative_to(ROOT)}:{line}")


def title(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if GENERATED not in page.parents], ids=title)
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_KEY", "")  # so that what a page sets is taken back
    monkeypatch.delenv("TACIT_KEY")
    monkeypatch.setattr("tacit.seed.secrets.token_bytes", Random(title(page)).randbytes)  # no page fails by chance
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "pycon":
            run_python(block, namespace)
        elif block.language == "console":
            run_commands(block, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_the_plans_of_a_page_load(page):
    """A fragment is completed with the least that a plan needs."""
    for block in blocks(page):
        if block.language == "toml" and block.file is None:
            given = tomllib.loads(block.text)
            if {"table", "rule", "mark"} & set(given):
                about_tables(given)
                continue
            if "graph" in given:
                graph_plan(block.text)
                continue
            whole = {"data": {"path": "a.csv"}, "roles": {}, "require": {"k_anonymity": 2}} | given
            plan = Plan.model_validate(whole)
            requirements = Requirements.of(plan.require)
            for step in plan.protect:
                from_json(with_models(step, requirements))
            for given in plan.hierarchies.values():
                in_a_file = "file" in given or isinstance(given.get("edges"), str)
                assert in_a_file or hierarchy(given).height, block.where


def about_tables(given: dict[str, Any]) -> None:
    plan = TablePlan.model_validate({"data": {"path": "a.csv"}, "table": {"by": ["a"]}} | given)
    for rule in plan.rule:
        rule_from_json(rule)
    WAYS[plan.protect.get("method", "suppress")].model_validate(plan.protect)


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, namespace, block.where, block.where, 0)
    assert test.examples, f"{block.where}: nothing to run"
    report = StringIO()
    test.globs = namespace
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=report.write, clear_globs=False)
    assert not report.getvalue(), report.getvalue()


def run_commands(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"{block.where}: a console block begins with a command"
    for command, shown in zip(parts[1::2], parts[2::2], strict=True):
        words = shlex.split(command.replace("\\\n", " "), comments=True)
        if words[0] != "tacit":
            continue
        exit_code = re.search(r"# exit (\d+)", command)
        ended, printed = run(words, monkeypatch)
        assert ended == (int(exit_code[1]) if exit_code else 0), f"{block.where}: {command}\n{printed}"
        if shown.strip():
            assert alike(shown, printed), f"{block.where}: {command}\nshown:\n{shown}\nprinted:\n{printed}"


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code of a command and all that it prints."""
    monkeypatch.setattr(sys, "argv", words)
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0), printed.getvalue()


def alike(shown: str, printed: str) -> bool:
    wanted, got = ("\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (shown, printed))
    pattern = ".*".join(re.escape(part) for part in wanted.split("…"))
    return re.fullmatch(pattern, got, re.DOTALL) is not None


def test_an_example_that_is_wrong_is_noticed(monkeypatch):
    """The checks above could fail: a wrong number, a wrong exit code, a wrong line of output."""
    with pytest.raises(AssertionError):
        run_python(Block("pycon", None, ">>> 1 + 1\n3\n", "here"), {})
    with pytest.raises(AssertionError):
        run_commands(Block("console", None, "$ tacit --version  # exit 1\n", "here"), monkeypatch)
    with pytest.raises(AssertionError):
        run_commands(Block("console", None, "$ tacit --version\ntacit 0 …\n", "here"), monkeypatch)
