"""What Tacit shows where the toy distribution is installed, as JSON: a script, with the path of a plan."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from tacit.app.forms import Columns, fields_of, requirement_fields
from tacit.app.texts import texts
from tacit.attack import ATTACKS
from tacit.cli import main
from tacit.plan.load import load
from tacit.protect import METHODS

ROOT = Path(__file__).parents[2]


def look(plan: str) -> dict[str, Any]:
    """Each place where the entries of a registry appear, and what it shows."""
    sys.path[:0] = [str(ROOT), str(ROOT / "docs")]
    loaded = load(plan)
    shown = {"columns": Columns(), "say": texts().forms.mapping}
    forms = {
        "office_bands": fields_of(METHODS["office_bands"].call, **shown),
        "office_clerk": fields_of(ATTACKS["office_clerk"].call, **shown),
        "office_size": requirement_fields("office_size", **shown),
        "office_singles": requirement_fields("office_singles", **shown),
    }
    return {
        "list": said("methods"),
        "rows": json.loads(said("methods", "--json")),
        "one": {
            name: said("methods", name) for name in ("office_bands", "office_clerk", "office_size", "office_lines")
        },
        "plan": [repr(loaded.steps), repr(loaded.attacks), repr(loaded.requirements)],
        "forms": {name: [field.name for field in fields] for name, fields in forms.items()},
        "reference": import_module("generate")._methods(),
        "battery": sorted(name for module in ("methods", "attacks", "measures") for name in battery(module)),
    }


def said(*words: str) -> str:
    """What a command prints."""
    sys.argv, printed = ["tacit", *words], StringIO()
    with redirect_stdout(printed):
        try:
            main()
        except SystemExit as end:
            assert not end.code, words
    return printed.getvalue()


def battery(module: str) -> Iterator[str]:
    """What the tests of a module of the battery are run with."""
    for test in vars(import_module(f"tests.battery.test_{module}")).values():
        for mark in getattr(test, "pytestmark", ()):
            yield from map(str, mark.args[1])


if __name__ == "__main__":
    print(json.dumps(look(sys.argv[1])))
