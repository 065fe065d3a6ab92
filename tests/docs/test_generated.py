"""The generated pages are what the script writes today, and the reference leaves no public name out."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import pkgutil
import re
import sys
import tomllib
from pathlib import Path

import pytest

import tacit
from tacit.plan.example_files import write_example

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INSIDE = {"tacit.cli", "tacit.frozen", "tacit.kernels"}
"""Rooms without names for users: the command line has a page of its own, kernels are arrays only."""
ROOMS = [f"tacit.{found.name}" for found in pkgutil.iter_modules(tacit.__path__) if found.name != "__main__"]


def public_names(module):
    """What a package lists, or what a module defines without an underscore."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return getattr(module, "__all__", [name for name in own if not name.startswith("_")])


@pytest.fixture(scope="module")
def made():
    sys.path.insert(0, str(DOCS))
    try:
        spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        return script.pages()
    finally:
        sys.path.remove(str(DOCS))


def test_no_generated_page_is_stale(made):
    stale = [
        str(path.relative_to(ROOT)) for path, text in made.items() if not path.exists() or path.read_text() != text
    ]
    assert not stale, f"run make docs: {', '.join(stale)}"


def test_no_page_of_the_reference_is_left_over(made):
    assert {path for path in (DOCS / "reference").rglob("*") if path.is_file()} <= set(made)


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in INSIDE])
def test_the_reference_has_every_public_name(room):
    """Found from the package itself, not from the list that the script keeps."""
    pages = "\n".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    headings = set(re.findall(r"^### (\S+)$", pages, re.MULTILINE))
    missing = [name for name in public_names(importlib.import_module(room)) if name not in headings]
    assert not missing


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in INSIDE])
def test_every_public_function_and_class_says_what_it_is(room):
    module = importlib.import_module(room)
    named = [getattr(module, name) for name in public_names(module)]
    silent = [one.__name__ for one in named if (inspect.isfunction(one) or inspect.isclass(one)) and not one.__doc__]
    assert not silent


def test_the_schema_accepts_the_plan_of_the_example_and_refuses_a_wrong_key(tmp_path):
    import jsonschema

    write_example("clinic", tmp_path, rows=10, seed=0)
    plan = tomllib.loads((tmp_path / "plan.toml").read_text())
    schema = json.loads((DOCS / "plan.schema.json").read_text())
    jsonschema.validate(plan, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**plan, "requires": {}}, schema)
