"""The interactive page about the definition is what its script writes, and what it shows is what the package computes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def story():
    spec = importlib.util.spec_from_file_location("dp_story", ROOT / "docs" / "dp_story.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_the_page_is_not_stale(story):
    assert story.PAGE.read_text(encoding="utf-8") == story.page(), "run: python docs/dp_story.py"


def test_a_change_of_any_part_is_noticed(story, tmp_path, monkeypatch):
    for part in ("page.html", "page.css", "page.js"):
        for other in story.PARTS.iterdir():
            (tmp_path / other.name).write_text(other.read_text() + ("\n" if other.name == part else ""))
        with monkeypatch.context() as patched:
            patched.setattr(story, "PARTS", tmp_path)
            assert story.page() != story.PAGE.read_text(encoding="utf-8")


def test_the_page_takes_nothing_from_outside(story):
    text = story.page()
    assert not re.search(r"https?:|url\(|@import|<link|<img|\ssrc=", text)
    assert "default-src 'none'" in text
    assert not re.search(r"\sstyle=|\son\w+=", text)  # the policy would not let them work


def test_the_table_has_the_published_errors(story):  # catalogue: H-05, H-08
    rows = dict(re.findall(r"<th scope=row>([^<]+)<td>(.*?)<td>", story.page()))
    assert rows["0.1"] == "47.5 %"
    assert rows["1"] == "26.9 %"
    assert rows["100000"] == "3.56·10<sup>−43430</sup>"
