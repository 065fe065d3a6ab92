"""The whole job in a real browser, and the same by command line (A-01, D-01, C-03): the clinic example is released."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.app.studio import Studio

from tacit.app.project.opening import rebase_paths
from tacit.examples import clinic
from tacit.release.hierarchy import hierarchy

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect


def plan_of(studio: Studio) -> dict[str, Any]:
    return tomllib.loads((studio.folder / "plan.toml").read_text())


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", level=1, name=name).wait_for()


def done(page: Page, said: str) -> Locator:
    """The present entry of the list of what was done."""
    present = page.locator(".history [aria-current]", has_text=said)
    present.wait_for()
    return present


def describe(page: Page) -> None:
    """The suggested roles, corrected where they are not those of the example."""
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("button", name="Take the suggestions").click()
    done(page, "took the suggested roles")
    for column in ("education", "visits", "rent"):
        page.get_by_label(f"Role of {column}").select_option("other")
        done(page, f"{column}: Undecided: choose")
    page.get_by_label("A missing value").select_option("own")
    done(page, "missing values: a value of its own")


def group(page: Page, column: str, groups: dict[str, list[str]]) -> None:
    """Put the values of a column into groups, one group after the other."""
    go(page, "Groups")
    page.get_by_role("link", name=f"{column} no groups yet").click()
    for name, members in groups.items():
        for member in members:
            page.locator(f'#by-hand input[name=member][value="{member}"]').check()
        page.get_by_label("Group", exact=True).fill(name)
        page.get_by_role("button", name="Put into group").click()
        done(page, f"{column}: put {len(members)} into “{name}”")


def require(page: Page, name: str, label: str, bound: str) -> None:
    page.evaluate("document.getElementById('offered').open = true")  # in one go: the page may be made anew at any time
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_label(label, exact=True).fill(bound)
    page.get_by_role("button", name="Require it", exact=True).click()
    done(page, f"required {name}: {bound}")


def protect(page: Page, method: str, numbers: dict[str, str]) -> None:
    page.goto(re.sub(r"/\w+(\?.*)?(#.*)?$", f"/protect?method={method}", page.url))
    for label, number in numbers.items():
        page.locator(f"#add-{method}").get_by_label(re.compile(rf"^\s*{label}\b")).fill(number)
    page.get_by_role("button", name=f"Add: {method.replace('_', ' ')}").click()
    page.get_by_role("heading", name=re.compile(rf"Step \d: {method.replace('_', ' ')}", re.IGNORECASE)).wait_for()


def test_from_the_clinic_example_to_a_release_that_the_command_line_repeats(
    start: Callable[..., Studio], page: Page
) -> None:
    studio = start()
    page.goto(studio.address)
    describe(page)
    roles, wanted = plan_of(studio)["roles"], clinic(10).roles
    assert {role: set(roles[role]) for role in ("identifier", "quasi", "confidential")} == {
        role: set(wanted[role]) for role in ("identifier", "quasi", "confidential")
    }
    assert (roles["weight"], roles["household"]) == (wanted["weight"], wanted["household"])
    assert plan_of(studio)["hierarchies"]["zip"] == clinic(10).hierarchies["zip"]

    groups: dict[str, list[str]] = {}
    there = set(pl.read_csv(studio.folder / "data/example/clinic.csv")["occupation"])
    for title, labels in clinic(10).hierarchies["occupation"]["table"].items():
        if title in there:
            groups.setdefault(labels[1], []).append(title)
    group(page, "occupation", groups)
    made = hierarchy(plan_of(studio)["hierarchies"]["occupation"], folder=studio.folder)
    assert {(value, label) for value, label, _ in made.rows} == {(one, name) for name in groups for one in groups[name]}

    go(page, "Release")
    assert page.get_by_role("button", name="Release", exact=True).is_disabled()
    require(page, "k-anonymity", "k", "5")
    require(page, "re-identification", "at most", "0.05")
    light = page.locator(".requirements li", has_text="k-anonymity")
    light.get_by_text("does not hold").wait_for()
    light.get_by_text("What would fix it").wait_for()

    protect(page, "generalise", {"zip": "2", "birth": "3", "occupation": "1"})
    page.reload()  # in the middle of the work: nothing is lost
    protect(page, "suppress_cells", {"k": "10"})
    assert plan_of(studio)["require"] == {"k_anonymity": 5, "reidentification": 0.05}
    assert plan_of(studio)["protect"] == [
        {"method": "generalise", "levels": {"zip": 2, "birth": 3, "occupation": 1}},
        {"method": "suppress_cells", "k": 10},
    ]

    go(page, "Release")
    page.get_by_text("Make it repeatable").click()
    page.get_by_label("Seed").fill("7")
    expect(page.locator(".seed-used")).to_be_visible()
    page.locator("#go").click()  # the large button, too, uses a seed that was typed
    verdict = page.locator("[data-panel=release] .verdict .sentence")
    expect(verdict).to_contain_text("Both requirements you set are met", timeout=120_000)
    expect(verdict).to_contain_text("Not for publication: whoever learns the seed of this repeatable run")
    expect(page.locator("[data-panel=release] pre.command")).to_have_text(
        "tacit release tacit-studio/plan.toml --seed 7"
    )
    for kind, name in (
        ("Save clinic.csv", "clinic.csv"),
        ("Save trace.json", "trace.json"),
        ("Save plan.toml", "plan.toml"),
    ):
        with page.expect_download() as saved:
            page.get_by_role("link", name=kind).click()
        here = saved.value.path().read_text()
        if name == "plan.toml":
            assert here == rebase_paths((studio.folder / "out/internal/plan.toml").read_text(), studio.folder, None)
        else:
            assert here == (studio.folder / "out/public" / name).read_text()

    same = studio.folder.parent / "same"
    run = [
        sys.executable,
        "-m",
        "tacit",
        "release",
        str(studio.folder / "plan.toml"),
        "--seed",
        "7",
        "--out",
        str(same),
    ]
    assert subprocess.run(run, capture_output=True, check=False).returncode == 0
    ours, theirs = (json.loads((out / "internal/result.json").read_text()) for out in (studio.folder / "out", same))
    assert ours["requirements"] == theirs["requirements"] and ours["holds"] and len(ours["requirements"]) == 2
    assert (studio.folder / "out/public/clinic.csv").read_bytes() == (same / "public/clinic.csv").read_bytes()
