"""All words of the pages lie in one folder: no template holds any, and none is missing."""

from __future__ import annotations

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

import tacit.app
from tacit.app.edits import ALL as EDITS
from tacit.app.pages import ALL as PAGES
from tacit.app.panels import ALL as PANELS
from tacit.app.texts import Texts, texts

APP = Path(tacit.app.__file__).parent
TEMPLATES = sorted((APP / "templates").rglob("*.html"))
NAMES, CODE = {"Tacit"}, ("pre", "code")
SPOKEN = ("aria-label", "title", "alt", "placeholder")
"""Attributes whose value a person reads."""
ATTRIBUTE, FLAGS = re.compile(r'[\w-]+="[^"]*"'), {"required", "checked", "selected", "disabled"}
"""Parts of tags that a macro writes: they look like text where the tag is put together elsewhere."""


class Words(HTMLParser):
    """The words that stand in HTML itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._code = 0

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in CODE

    def handle_data(self, data: str) -> None:
        if self._code:
            return
        words = re.findall(r"[A-Za-z]{2,}", ATTRIBUTE.sub(" ", data))
        self.found += [word for word in words if word not in FLAGS]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in CODE
        for name, value in attrs:
            if name in SPOKEN and value:
                self.found += re.findall(r"[A-Za-z]{3,}", re.sub(r"\S+\.csv|NA|\bout\b", "", value))


def plain(text: str) -> str:
    """A template without what Jinja puts in."""
    without = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    return re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", without, flags=re.DOTALL)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(APP / "templates")))
def test_a_template_holds_no_words(template: Path) -> None:
    words = Words()
    words.feed(plain(template.read_text(encoding="utf-8")))
    assert set(words.found) - NAMES == set()


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(APP / "templates")))
def test_every_text_that_a_template_asks_for_is_there(template: Path) -> None:
    tree = Environment(autoescape=True).parse(template.read_text(encoding="utf-8"))
    for path in {found for node in tree.find_all(nodes.Getattr) if (found := asked(node)) is not None}:
        place: Texts | str = texts()
        for key in path:
            place = getattr(place, key)


COMPUTED = {"clicks", "everyday", "forms", "onward", "pages", "panels", "remedies"}
"""Sections whose texts are looked up by the name of what they are about."""


@pytest.mark.parametrize("section", sorted({file.stem for file in (APP / "texts/en").glob("*.toml")} - COMPUTED))
def test_nobody_translates_what_nobody_reads(section: str) -> None:
    every = [file.read_text(encoding="utf-8") for file in (*TEMPLATES, *APP.rglob("*.py"))]
    every = [re.sub(r"\bwords\.", "say.hierarchies.", text) for text in every]  # as the templates of that page call it
    here = "\n".join(text for text in every if re.search(rf"(say|texts\(\))\.{section}\b", text))
    keys = tomllib.loads((APP / "texts/en" / f"{section}.toml").read_text(encoding="utf-8"))
    asked_for = rf"(?:(?:say|texts\(\))\.{section}|say)\.(\w+)|[\"'](\w+)[\"']"
    assert set(keys) - {word for found in re.findall(asked_for, here) for word in found} == set()


def asked(node: nodes.Node) -> tuple[str, ...] | None:
    """The keys behind ``say.data.title``; of a computed one those before it."""
    keys: list[str] = []
    while isinstance(node, nodes.Getattr):
        keys.insert(0, node.attr)
        node = node.node
    if not (isinstance(node, nodes.Name) and node.name == "say"):
        return None
    return tuple(key for key in keys if key not in ("get", "mapping"))


def test_pages_and_panels_have_names_and_templates() -> None:
    for page in PAGES:
        assert texts().pages.get(page), page
        assert (APP / "templates" / "pages" / f"{page}.html").is_file()
    for panel in PANELS:
        assert texts().panels.get(panel), panel
        assert (APP / "templates" / "panels" / f"{panel}.html").is_file()


def test_every_form_of_a_template_leads_somewhere() -> None:
    for template in TEMPLATES:
        text = template.read_text(encoding="utf-8")
        assert set(re.findall(r'data-edit="(\w+)"', text)) <= set(EDITS), template
        assert set(re.findall(r'data-ask="(\w+)"', text)) <= set(PANELS), template


def test_scripts_hold_no_words_that_are_shown() -> None:
    for script in (APP / "assets").glob("*.js"):
        code = re.sub(r"//.*", "", script.read_text(encoding="utf-8"))
        assert not re.findall(r"textContent = [\"'`][A-Za-z]{3,}", code), script
