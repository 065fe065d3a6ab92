"""Links between pages lead somewhere, the commands of the README exist, and no page names a machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """As GitHub makes them: small letters, blanks as hyphens, signs left out, twins numbered."""
    found: dict[str, int] = {}
    made = set()
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        made.add(plain if plain not in found else f"{plain}-{found[plain]}")
        found[plain] = found.get(plain, 0) + 1
    return made


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target in LINK.findall(prose(page)):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_every_page_is_linked_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text()
    linked = {(ROOT / "docs" / target.partition("#")[0]).resolve() for target in LINK.findall(index)}
    assert {page.resolve() for page in (ROOT / "docs").rglob("*.md")} - {
        (ROOT / "docs" / "index.md").resolve()
    } <= linked


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    wanted = set(re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert {"demo", "test"} <= wanted <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_machine(page):
    assert not re.search(r"/(?:home|work|root|tmp|Users)/", page.read_text())
