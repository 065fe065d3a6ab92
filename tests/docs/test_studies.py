"""Pages that a study wrote: stale when their scripts, their data or their text changed since."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("study_linkage", "study-linkage"),
        ("study_learned", "study-learned"),
        ("study_composition", "study-composition"),
        ("study_disclosure", "study-disclosure"),
        ("study_methods", "study"),
    ],
)
def test_a_study_is_what_its_command_writes(reference_data, monkeypatch, script, command):
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "bench")])
    spec = importlib.util.spec_from_file_location(script, ROOT / "bench" / f"{script}.py")
    study = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, script, study)  # dataclasses look their module up
    spec.loader.exec_module(study)
    page = study.PAGE.read_text(encoding="utf-8")
    body = page.split("\n", 1)[1]
    assert study.stamped(body) == page, f"run: make {command}"
