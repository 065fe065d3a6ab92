"""The house rules that a linter cannot see: exact public names, lazy imports, nothing heavy at the door."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import tacit
from tacit.cli.methods import registry_entries

HEAVY = ("numpy", "polars", "duckdb", "scipy", "numba", "sklearn", "pydantic", "pandas", "altair", "jinja2", "pyspark")
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(tacit.__path__, "tacit.") if module.name != "tacit.__main__"
)
SOURCE = Path(tacit.__file__).parent


@pytest.mark.parametrize("code", ["import tacit", "import tacit.cli, tacit.cli.app"])
def test_nothing_heavy_is_imported_at_the_door(code):
    probe = f"{code}; import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_first_process_of_the_studio_computes_nothing():
    """It answers the page: what computes is loaded by its workers."""
    probe = "import tacit.app.run, tacit.app.server.studio, sys; print([m for m in ('numba', 'sklearn', 'duckdb') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_neither_numpy_nor_pydantic():
    probe = "import sys; sys.argv = ['tacit', '--help']\nfrom tacit.cli import main\ntry:\n    main()\nexcept SystemExit as end:\n"
    probe += f"    print(end.code, [m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("0 []")


def test_packages_list_their_public_names_and_modules_list_none():
    """A module's public names are those without an underscore; only a package says which names it offers."""
    for name in MODULES:
        module = importlib.import_module(name)
        listed = getattr(module, "__all__", ())
        assert not listed or hasattr(module, "__path__"), f"{name} lists names and is no package"
        assert all(hasattr(module, key) for key in listed), name


def test_every_public_name_of_the_root_is_there():
    assert sorted(tacit.__all__) == list(tacit.__all__)
    for name in tacit.__all__:
        assert getattr(tacit, name) is not None
    with pytest.raises(AttributeError):
        tacit.no_such_name  # noqa: B018


def test_every_method_of_a_room_is_public_and_has_its_plan_name():
    for room in ("risk", "models", "protect", "attack", "loss"):
        module = importlib.import_module(f"tacit.{room}")
        for name, entry in registry_entries(room).items():
            assert entry.call.__name__ in module.__all__, (room, name)
            assert entry.summary, (room, name)


def test_the_data_of_the_reference_folder_are_not_needed():
    for path in SOURCE.rglob("*.py"):
        assert "shared/" not in path.read_text(), path


def test_inside_the_package_nobody_imports_the_root():
    """Inside, a name comes from the module that defines it: the lazy root would hide who depends on whom."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            root = isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "tacit"
            assert not root, path
            assert "tacit" not in names, path


def test_the_list_of_slow_tests_names_tests_that_are_there():
    """One that was renamed would be fast again, or never run by anybody who looks for it."""
    root = Path(__file__).parents[2]
    listed = [line for line in (root / "tests/slow.txt").read_text().splitlines() if not line.startswith("#")]
    for line in listed:
        file, _, name = line.partition("::")
        assert (root / file).is_file(), line
        function, _, case = name.rstrip("]").partition("[")
        assert not name or f"def {function}(" in (root / file).read_text(), line
        assert not case.endswith(".md") or (root / case).is_file(), line
    assert len(set(listed)) == len(listed)


def test_nobody_asks_for_the_name_of_an_engine():
    """What an engine can do is declared by it: a comparison of its name would have to be found by whoever adds another."""
    engines = {"polars", "duckdb", "spark"}
    private = {"polars", "duckdb", "spark", "parquet"}
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE).as_posix()
        if inside.startswith(("release/engines/", "release/files/")) or inside == "release/read.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            asked = [node] if isinstance(node, ast.Compare) else node.keys if isinstance(node, ast.Dict) else []
            words = {one.value for part in asked if part for one in ast.walk(part) if isinstance(one, ast.Constant)}
            assert not words & engines, f"{inside}:{getattr(node, 'lineno', 0)} compares the name of an engine"
            module = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else [""]
            assert module[-2:-1] != ["engines"] or "query" in inside or module[-1] not in private, inside
