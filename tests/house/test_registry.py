"""One list of names for each package, entries that are imported when they are used, and entries of other distributions."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from tacit import TacitError
from tacit.protect import METHODS
from tacit.registry import MethodEffects, Registry, find_plugins, plan_name
from tacit.release.trace import Trace

CLASSES = "tests.house.plugin:"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def with_plugins(monkeypatch, *points: tuple[str, str]) -> Registry:
    """The registry of masking methods in a world where other distributions offer these entry points."""
    found = [EntryPoint(name=name, value=value, group="tacit.methods") for name, value in points]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found if group == "tacit.methods" else [])
    return Registry("tacit.protect", "METHODS", group="tacit.methods")


def test_there_are_at_least_51_masking_methods():
    assert len(METHODS) >= 51
    assert all(entry.effects is not None and entry.family != "other" for entry in METHODS.values())


def test_a_method_loads_only_what_it_needs():
    loaded = run(
        "import sys, tacit.protect as p; print([m for m in sys.modules if m.startswith('tacit.protect.')]); p.Shuffle;"
        "print(sorted(m for m in sys.modules if m.startswith('tacit.protect.')))"
    )
    before, after = loaded.splitlines()
    assert before == "[]"
    assert after == "['tacit.protect.parameters', 'tacit.protect.shuffle']"


def test_importing_the_package_is_cheap():
    used = run("import time; t = time.process_time(); import tacit.protect; print(time.process_time() - t)")
    assert float(used) <= 0.6


def test_a_function_keeps_its_name_when_the_module_of_that_name_is_imported_first():
    shown = run("from tacit.protect.anonymise import Anonymise; import tacit.protect as p; print(p.anonymise.__name__)")
    assert shown == "anonymise"


def test_names_are_known_without_importing_entries_or_reading_entry_points():
    shown = run(
        "import sys; from tacit.protect import METHODS; print('rank_swap' in METHODS, 'numpy' in sys.modules,"
        "'importlib.metadata' in sys.modules)"
    )
    assert shown == "True False False"


def test_a_method_of_another_distribution_is_an_entry(monkeypatch):
    methods = with_plugins(monkeypatch, ("office_rule", f"{CLASSES}OfficeRule"))
    assert "office_rule" in methods and list(methods)[-1] == "office_rule" and len(methods) == len(METHODS) + 1
    entry = methods["office_rule"]
    assert entry.effects == MethodEffects("changes", ("columns",))
    assert Trace.of(entry.call(columns="pay")).effects == entry.effects


def test_a_name_that_is_built_in_is_refused(monkeypatch):
    methods = with_plugins(monkeypatch, ("rank_swap", f"{CLASSES}OfficeRule"))
    with pytest.raises(TacitError, match="'rank_swap' to tacit.methods, which Tacit has already"):
        list(methods)


def test_a_name_that_two_distributions_add_is_refused(monkeypatch):
    with_plugins(monkeypatch, ("office_rule", f"{CLASSES}OfficeRule"), ("office_rule", "elsewhere:OfficeRule"))
    with pytest.raises(TacitError, match="both add 'office_rule'"):
        find_plugins("tacit.methods")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("tests.house.no_such_module:OfficeRule", "cannot be imported"),
        (f"{CLASSES}Undescribed", "not described"),
        (f"{CLASSES}OfficeRule", "another name"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(monkeypatch, value, said):
    methods = with_plugins(monkeypatch, ("undescribed", value))
    with pytest.raises(TacitError, match=said):
        methods["undescribed"]


@pytest.mark.parametrize("entry", METHODS.values(), ids=list(METHODS))
def test_effects_survive_json(entry):
    assert MethodEffects.from_json(entry.effects.as_json()) == entry.effects


@pytest.mark.parametrize(
    "given",
    [None, "changes", {}, {"kind": "magic"}, {"kind": "changes", "columns": "pay"}, {"kind": "nothing", "x": 1}],
)
def test_effects_that_cannot_be_read_are_unknown(given):
    assert MethodEffects.from_json(given) is None
    assert Trace.from_json({"method": "rank_swap", "effects": given}).effects is None


def test_plan_names():
    assert [plan_name(name) for name in ("DpIdentity", "VMdav", "user_k")] == ["dp_identity", "v_mdav", "user_k"]
