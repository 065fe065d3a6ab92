"""Attackers of a released file, who have its public folder and what anybody may know of people, and nothing else.

They were written from the documentation alone and share no code with the package. Each attack has a power test: on a file with a
planted leak it must find it. The verdict under attack is that of ``tacit release``: a job that is ``met`` must not be broken beyond
its own bound, and a file that an attacker breaks must not be ``met``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

PEOPLE = 600
BOUND = 0.1
SAFE = f"""
[require]
k_anonymity = 10
reidentification = {BOUND}
l_diversity = 2
"""


def register(seed: int = 1) -> pl.DataFrame:
    """A register: who lives where, how old, what is wrong with them; nothing of it comes from the package."""
    rng = np.random.default_rng(seed)
    ages = rng.integers(0, 90, PEOPLE)
    return pl.DataFrame(
        {
            "person": [f"p{i:04}" for i in rng.permutation(PEOPLE)],
            "area": [f"A{i}" for i in rng.integers(0, 4, PEOPLE)],
            "age": ages,
            "sex": rng.choice(["f", "m"], PEOPLE).tolist(),
            "illness": rng.choice(["flu", "acne", "asthma", "none"], PEOPLE).tolist(),
        }
    )


def release(
    folder: Path, frame: pl.DataFrame, *, roles: str, steps: str = "", require: str = SAFE, extra: str = ""
) -> tuple[dict, Path]:
    """``tacit release`` in a process of its own: what it printed, and the public folder."""
    frame.write_csv(folder / "people.csv")
    plan = f'[data]\npath = "people.csv"\nmissing = "own"\n{extra}\n[roles]\n{roles}\n[kinds]\nage = "continuous"\n'
    plan += f'[hierarchies]\nage = {{ intervals = [15, 30, 90] }}\n{require}\n{steps}\n[output]\ndirectory = "out"\n'
    (folder / "plan.toml").write_text(plan)
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "release", str(folder / "plan.toml"), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout), folder / "out" / "public"


def data_of(public: Path) -> pl.DataFrame:
    return pl.read_csv(public / "people.csv", infer_schema=False)


ROLES = 'identifier = ["person"]\nquasi = ["area", "age", "sex"]\nconfidential = ["illness"]'
COARSE = '[[protect]]\nmethod = "generalise"\nlevels = { age = 2 }\n[[protect]]\nmethod = "suppress_cells"\nk = 10\n'


def matching(known: dict[str, object], public: pl.DataFrame) -> np.ndarray:
    """The rows that may be a person of whom area, age and sex are known: intervals are read as printed, blanks match."""
    fits = np.ones(len(public), dtype=bool)
    for column, value in known.items():
        cells = public[column].to_list()
        fits &= np.array([cell is None or cell == "" or _may_be(cell, value) for cell in cells])
    return np.flatnonzero(fits)


def _may_be(cell: str, value: object) -> bool:
    if cell == "*" or cell == str(value):
        return True
    if cell[:1] in "[(" and "," in cell and isinstance(value, int | np.integer):
        low, high = (float(part.strip(" [()]")) for part in cell.split(","))
        return low <= value < high or (cell.endswith("]") and value == high)
    return False


def linked_share(frame: pl.DataFrame, public: pl.DataFrame, keys: list[str]) -> float:
    """What an intruder who knows the keys of everybody finds by drawing among the rows that fit: Σ 1/candidates."""
    found = 0.0
    for row in frame.iter_rows(named=True):
        candidates = matching({key: row[key] for key in keys}, public)
        found += 1 / len(candidates) if len(candidates) else 0.0
    return found / len(frame)


def certain_values(frame: pl.DataFrame, public: pl.DataFrame, keys: list[str], column: str) -> float:
    """The share of the people whose value follows, because all rows that fit have the same."""
    sure = 0
    for row in frame.iter_rows(named=True):
        values = {public[column][int(at)] for at in matching({key: row[key] for key in keys}, public)}
        sure += values == {row[column]}
    return sure / len(frame)


@pytest.fixture(scope="module")
def safe(tmp_path_factory) -> tuple[pl.DataFrame, dict, Path]:
    frame = register()
    told, public = release(tmp_path_factory.mktemp("safe"), frame, roles=ROLES, steps=COARSE)
    assert told["state"] == "met", [gap["text"] for gap in told["gaps"]] + [str(v) for v in told["requirements"]]
    return frame, told, public


def test_whoever_knows_the_keys_links_no_more_than_the_bound(safe):
    frame, _, public = safe
    assert linked_share(frame, data_of(public), ["area", "age", "sex"]) <= BOUND


def test_no_value_is_certain_in_a_file_that_is_met(safe):
    frame, _, public = safe
    assert certain_values(frame, data_of(public), ["area", "age", "sex"], "illness") == 0


def test_power_both_attacks_break_the_file_as_it_is(tmp_path):
    frame = register()
    raw = frame.drop("person").cast(pl.String)
    assert linked_share(frame, raw, ["area", "age", "sex"]) > 0.6
    assert certain_values(frame, raw, ["area", "age", "sex"], "illness") > 0.5


def adjacent_order(frame: pl.DataFrame, public: pl.DataFrame) -> float:
    """Linking by the order of the rows: the share of rows whose illness, area and sex equal those of the row at the same place."""
    same = [(a == b) for a, b in zip(frame["illness"].to_list(), public["illness"].to_list(), strict=False)]
    return float(np.mean(same))


def test_the_order_of_the_rows_tells_nothing(safe):
    frame, _, public = safe
    rows = data_of(public)
    by_chance = sum(
        frame["illness"].to_list().count(value) * rows["illness"].to_list().count(value)
        for value in rows["illness"].unique()
    ) / (len(frame) * len(rows))
    assert adjacent_order(frame, rows) < by_chance + 8 * 0.5 / np.sqrt(len(rows))


def test_power_rows_in_their_order_are_found():
    frame = register()
    assert adjacent_order(frame, frame) == 1


def test_the_identifier_is_not_in_any_public_file(safe):
    frame, _, public = safe
    for file in public.rglob("*"):
        text = file.read_text(encoding="utf-8", errors="ignore")
        assert not any(person in text for person in frame["person"])


def test_public_pages_hold_no_seed_lineage_or_path(safe):
    _, _, public = safe
    inside = public.parent / "internal"
    seed = (inside / "seed.txt").read_text().strip()
    for file in public.rglob("*"):
        text = file.read_text(encoding="utf-8", errors="ignore")
        assert seed not in text and str(public.parent) not in text


def homogeneous(seed: int = 2) -> pl.DataFrame:
    """Everybody of one area and sex has one illness: k-anonymous, and certain."""
    frame = register(seed)
    ill = pl.when((pl.col("area") == "A1") & (pl.col("sex") == "f")).then(pl.lit("hiv")).otherwise(pl.col("illness"))
    return frame.with_columns(illness=ill)


def test_homogeneous_classes_are_never_met(tmp_path):
    frame = homogeneous()
    told, public = release(tmp_path, frame, roles=ROLES, steps=COARSE, require="[require]\nk_anonymity = 10\n")
    assert told["state"] == "not_covered"
    assert "attribute_not_required" in [gap["code"] for gap in told["gaps"]]
    assert certain_values(frame, data_of(public), ["area", "age", "sex"], "illness") > 0.05, "the planted leak is there"
    told, _ = release(tmp_path, frame, roles=ROLES, steps=COARSE)
    assert told["state"] == "not_met"


@pytest.mark.parametrize("kind", ["genotypes", "weights", "dates", "missing", "rounding"])
def test_columns_that_single_out_together_are_never_met(tmp_path, kind):
    """Each column alone is harmless; together, or by its gaps or its decimals, they name people."""
    rng, frame = np.random.default_rng(3), register(3)
    more = {
        "genotypes": {f"g{i}": rng.integers(0, 3, PEOPLE) for i in range(8)},
        "weights": {"w": rng.uniform(1, 2, PEOPLE).round(4)},
        "dates": {
            "seen": [f"2024-{1 + i % 12:02}-{1 + (i * 7) % 28:02}" for i in range(PEOPLE)],
            "hour": rng.integers(0, 24, PEOPLE),
        },
        "missing": {f"m{i}": [None if hit else 1 for hit in rng.random(PEOPLE) < 0.5] for i in range(11)},
        "rounding": {
            "pay": [float(v) if i % 50 else v + 0.01 * i for i, v in enumerate(rng.integers(10, 20, PEOPLE) * 100)]
        },
    }[kind]
    wide = frame.with_columns(**{name: pl.Series(values) for name, values in more.items()})
    told, public = release(tmp_path, wide, roles=ROLES, steps=COARSE)
    assert told["state"] != "met"
    undecided = [gap for gap in told["gaps"] if gap["code"] == "undecided_columns"]
    assert undecided and set(undecided[0]["columns"]) == set(more)
    if told["state"] == "not_covered":
        rows = data_of(public)
        alone = (
            rows.group_by([column for column in rows.columns if column not in ("illness",)])
            .len()
            .filter(pl.col("len") == 1)
        )
        assert abs(len(alone) / PEOPLE - undecided[0]["share"]) < 0.01, "the gap says what an independent count finds"


def test_several_rows_of_a_person_are_never_met(tmp_path):
    """Ten visits of one person make an equivalence class of ten rows and one person."""
    rng = np.random.default_rng(4)
    people = register(4).head(60)
    visits = pl.concat(
        [people.with_columns(illness=pl.Series(rng.choice(["flu", "acne", "asthma"], 60))) for _ in range(10)]
    )
    told, public = release(tmp_path, visits, roles=ROLES, steps="")
    assert told["state"] != "met"
    assert "rows_not_people" in [gap["code"] for gap in told["gaps"]]


def households(seed: int = 5) -> pl.DataFrame:
    """Three or four who live together; ages make a household as good as unique."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(160):
        area = f"A{rng.integers(0, 4)}"
        for _ in range(int(rng.integers(3, 5))):
            rows.append(
                (
                    f"h{number:03}",
                    area,
                    int(rng.integers(0, 90)),
                    rng.choice(["f", "m"]),
                    rng.choice(["flu", "acne", "none"]),
                )
            )
    return pl.DataFrame(rows, schema=["home", "area", "age", "sex", "illness"], orient="row")


def households_found(frame: pl.DataFrame, public: pl.DataFrame) -> float:
    """The share of people in households that fit one released household only, when the number goes out."""
    if "home" not in public.columns:
        return 0.0
    from itertools import permutations

    keys = ["area", "age", "sex"]
    groups = {home: part for (home,), part in public.group_by("home")}
    found = 0
    for _, mine in frame.group_by("home"):
        rows = mine.select(keys).to_dicts()
        fits = 0
        for theirs in groups.values():
            if len(theirs) != len(rows):
                continue
            can = [[bool(len(matching(row, theirs[at]))) for at in range(len(theirs))] for row in rows]
            fits += any(all(can[i][j] for i, j in enumerate(order)) for order in permutations(range(len(rows))))
        found += len(rows) * (fits == 1)
    return found / len(frame)


HOME = 'quasi = ["area", "age", "sex"]\nconfidential = ["illness"]\nhousehold = "home"'


def test_households_are_not_found_in_what_is_met(tmp_path):
    frame = households()
    told, public = release(tmp_path, frame, roles=HOME, steps=COARSE)
    rows = data_of(public) if told["holds"] else None
    if told["state"] == "met":
        assert households_found(frame, rows) <= BOUND
    assert rows is None or "home" not in rows.columns, "the number is dropped unless the plan keeps it"


def test_a_household_number_that_is_kept_and_finds_people_is_never_met(tmp_path):
    frame = households()
    told, public = release(tmp_path, frame, roles=HOME + "\nkeep_household = true", steps=COARSE)
    if told["holds"]:
        assert households_found(frame, data_of(public)) <= BOUND
    else:
        assert told["state"] == "not_met"


def test_power_households_are_found_by_their_number():
    frame = households()
    coarse = frame.with_columns(
        age=(pl.col("age") // 30 * 30).map_elements(lambda a: f"[{a}, {a + 30})", return_dtype=pl.String)
    )
    assert households_found(frame, coarse.cast(pl.String)) > 0.3


def differenced(first: pl.DataFrame, second: pl.DataFrame) -> dict[str, int]:
    """Which illness is once more in the first of two releases about the same people, but for one."""
    counts = [dict(one.group_by("illness").len().iter_rows()) for one in (first, second)]
    return {
        value: count - counts[1].get(value, 0) for value, count in counts[0].items() if count != counts[1].get(value, 0)
    }


def test_two_releases_that_differ_by_one_person_are_told_apart_and_the_pages_do_not_claim_otherwise(tmp_path):
    """Masking that keeps totals cannot stop differencing: no public page may say or suggest that it does."""
    frame = register(6)
    (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
    _, all_of_them = release(tmp_path / "one", frame, roles=ROLES, steps=COARSE)
    _, without = release(tmp_path / "two", frame.slice(1), roles=ROLES, steps=COARSE)
    lost = differenced(data_of(all_of_them), data_of(without))
    assert lost == {frame["illness"][0]: 1}, "the attack has power"
    for public in (all_of_them, without):
        page = (public / "report.html").read_text()
        assert "may go out" not in page and "anonymous" not in page.lower().replace("k-anonym", "")
