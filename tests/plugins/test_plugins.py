"""What another distribution adds is found wherever Tacit lists, runs, shows or checks its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tacit.examples import clinic

HERE = Path(__file__).parent
SUMMARIES = {
    "office_bands": "Replace each number by the lower end of its band.",
    "office_clerk": "Name the records that agree with a person in every quasi-identifier, where they are few.",
    "office_singles": "The share of records that nobody shares the quasi-identifiers with.",
    "office_size": "The release has at least so many records.",
    "office_mean": "How far the mean of all numbers moves, beside the mean before.",
    "office_lines": "Lines of JSON, read and written: .office",
}
POINTS = {
    "tacit.methods": {"office_bands": "office:OfficeBands"},
    "tacit.attacks": {"office_clerk": "office:OfficeClerk"},
    "tacit.measures": {"office_singles": "office:office_singles"},
    "tacit.models": {"office_size": "office:OfficeSize"},
    "tacit.losses": {"office_mean": "office:office_mean"},
    "tacit.formats": {"office_lines": "office:LINES"},
}
PLAN = """
[data]
path = "people.office"
missing = "own"

[roles]
quasi = ["sex", "occupation"]
confidential = ["income"]
unrestricted = ["visits"]

[require]
office_size = 10
office_singles = 0.5
reidentification = 0.9

[[protect]]
method = "office_bands"
columns = ["income"]
base = 5000

[[attack]]
method = "office_clerk"
most = 100
"""


def installed(folder: Path, points: Mapping[str, Mapping[str, str]]) -> Path:
    """A folder as pip leaves it: the module, and what the distribution office-rules declares."""
    info = folder / "office_rules-1.0.dist-info"
    info.mkdir(parents=True)
    groups = (
        f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in some.items()) for group, some in points.items()
    )
    files = {
        "METADATA": "Metadata-Version: 2.1\nName: office-rules\nVersion: 1.0\n",
        "RECORD": "office.py,,\n",
        "entry_points.txt": "\n".join(groups),
    }
    for name, text in files.items():
        (info / name).write_text(text, encoding="utf-8")
    shutil.copy(HERE / "office.py", folder)
    return folder


def run(site: Path, *words: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a program does where those entry points are known."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return installed(tmp_path_factory.mktemp("site"), POINTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("job")
    columns = ("sex", "occupation", "income", "visits")
    clinic(200, seed=1).frame.select(columns).write_ndjson(made / "people.office")
    (made / "plan.toml").write_text(PLAN, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def seen(site, folder):
    done = run(site, HERE / "look.py", folder / "plan.toml")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_list_has_them_with_their_summaries(seen):
    found = {row["name"]: row["summary"] for row in seen["rows"]}
    assert {name: found[name] for name in SUMMARIES} == SUMMARIES
    listed = " ".join(seen["list"].split())
    assert all(f"{name} {summary}" in listed for name, summary in SUMMARIES.items())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("office_bands", ("use it when", "avoid it when", "int = 100", 'method = "office_bands"', "base = 500")),
        ("office_clerk", ("int = 1000", 'method = "office_clerk"', "most = 500")),
        ("office_size", ("int, required", "office_size = 10")),
        ("office_lines", ('path = "data.office"',)),
    ],
)
def test_one_is_shown_with_what_a_plan_needs(seen, name, parts):
    assert [part for part in parts if part not in seen["one"][name]] == []


def test_a_plan_loads_them(seen):
    steps, attacks, requirements = seen["plan"]
    assert "OfficeBands" in steps and "office_clerk" in attacks
    assert "OfficeSize" in requirements and "office_singles" in requirements


def test_the_studio_has_their_fields(seen):
    assert seen["forms"]["office_bands"] == ["columns", "base"]
    assert seen["forms"]["office_clerk"] == ["most"]
    assert seen["forms"]["office_size"] == ["records"]
    assert "at_most" in seen["forms"]["office_singles"]


def test_the_reference_describes_them(seen):
    page = seen["reference"]
    assert [name for name in SUMMARIES if f": {name}\n" not in page] == []
    assert "`office.OfficeBands`" in page and "| `base` | `int` | `100` |" in page


def test_the_battery_takes_them(seen):
    assert set(SUMMARIES) - set(seen["battery"]) == {"office_lines"}, "which is no notion of risk or utility"


def test_a_release_is_made_and_reported_with_them(site, folder):
    done = run(site, "-m", "tacit", "release", "plan.toml", "--out", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads((folder / "out/internal/result.json").read_text(encoding="utf-8"))
    assert {one["id"] for one in result["requirements"]} >= {"office_size", "office_singles"}
    assert "office_clerk" in {one["name"] for one in result["attacks"]}
    assert "office_singles" in {one["id"] for one in result["measures"]}
    assert "office_bands" in {one["method"] for one in result["trace"]}
    rows = (folder / "out/public/people.office").read_text(encoding="utf-8").splitlines()
    assert {json.loads(row)["income"] % 5000 for row in rows if json.loads(row)["income"] is not None} == {0}
    for report in ("out/public/report.html", "out/internal/report.html"):
        text = (folder / report).read_text(encoding="utf-8")
        missing = [name for name in ("bands", "clerk", "singles", "size") if f"office {name}" not in text]
        assert missing == [], report


def test_they_pass_the_battery(site):
    names = "office_bands or office_clerk or office_singles or office_mean"
    root = HERE.parents[1]
    done = run(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/battery", "-k", names, folder=root)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("points", "code"),
    [
        ({"tacit.methods": {"rank_swap": "office:OfficeBands"}}, "plugin_name_taken"),
        ({"tacit.attacks": {"distance": "office:OfficeClerk"}}, "plugin_name_taken"),
        ({"tacit.formats": {"csv": "office:LINES"}}, "plugin_name_taken"),
        ({"tacit.methods": {"office_bands": "office.gone:OfficeBands"}}, "plugin_unusable"),
        ({"tacit.losses": {"office_mean": "office:gone"}}, "plugin_unusable"),
    ],
)
def test_a_name_that_is_taken_or_an_entry_that_cannot_be_imported_is_said_with_its_distribution(tmp_path, points, code):
    (group,) = points
    room = {"tacit.methods": "protect", "tacit.attacks": "attack", "tacit.losses": "loss", "tacit.formats": "formats"}
    done = run(installed(tmp_path, points), "-m", "tacit", "methods", room[group], "--json")
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (2, code)
    assert "'office-rules'" in str(error)
