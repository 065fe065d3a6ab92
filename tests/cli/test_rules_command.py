"""``tacit rules``: transactions as a user types them. catalogue: D-08"""

from __future__ import annotations

import json

import polars as pl
import pytest

from tacit.protect.rules import Baskets, frequent, read_baskets, write_baskets

from .commands import tacit

ROWS = (
    [["bread", "milk"]] * 8 + [["bread", "beer"]] * 5 + [["milk", "tea"]] * 6 + [["beer", "crisps"]] * 7 + [["tea"], []]
)


@pytest.fixture
def shop(tmp_path):
    write_baskets(Baskets.of(ROWS), tmp_path / "shop.basket")
    return tmp_path / "shop.basket"


def test_sets_and_rules_are_listed(shop, tmp_path):
    done = tacit("rules", "mine", shop, "--minsup", 0.25)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "28 transactions of 5 items, 1 of them empty"
    assert "       8  bread, milk" in done.stdout and done.stdout.splitlines()[-1] == "7 sets"
    found = tacit("rules", "mine", shop, "--minsup", 7, "--minconf", 0.6, "--json", "--out", tmp_path / "r.csv")
    listed = json.loads(found.stdout)["patterns"]
    assert [one["rule"] for one in listed] == ["crisps -> beer", "bread -> milk"]
    assert pl.read_csv(tmp_path / "r.csv").height == len(listed)
    again = tacit("rules", "mine", shop, "--minsup", 7, "--out", tmp_path / "r.csv")
    assert again.returncode == 2 and "exists already" in again.stderr


def test_records_are_mined_with_cuts(tmp_path):
    pl.DataFrame({"age": [20, 40, 41], "sex": ["F", "M", "M"]}).write_csv(tmp_path / "a.csv")
    done = tacit("rules", "mine", tmp_path / "a.csv", "--form", "table", "--cut", "age=[30]", "--minsup", 2)
    assert "       2  age=[30..), sex=M" in done.stdout


@pytest.mark.parametrize("method", ["exact", "border", "sliding_window", "min_fia", "max_fia"])
def test_hidden_sets_are_gone_from_what_is_published(shop, tmp_path, method):
    given = ("--minsup", 5, "--sensitive", "bread, milk", "--sensitive", "beer, crisps", "--method", method)
    done = tacit("rules", "hide", shop, *given, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    public, internal = tmp_path / "out" / "public", tmp_path / "out" / "internal"
    assert {one.name for one in public.iterdir()} == {"shop.basket", "report.html", "trace.json"}
    assert {one.name for one in internal.iterdir()} == {
        "report.html", "result.json", "lineage.parquet", "seed.txt", "attempt.json",
    }  # fmt: skip
    assert internal.stat().st_mode & 0o077 == 0
    found = read_baskets(public / "shop.basket")
    assert found.size == 28 and max(found.support(["bread", "milk"]), found.support(["beer", "crisps"])) < 5
    assert list(frequent(found, minsup=5)) and not any(
        "bread" in (public / name).read_text() for name in ("trace.json", "report.html")
    )
    order = pl.read_parquet(internal / "lineage.parquet")["transaction"].to_list()
    assert sorted(order) == list(range(1, 29)) != order
    for row, old in zip(found.item_lists(), order, strict=True):
        assert set(row) <= set(ROWS[old - 1])
    result = json.loads((internal / "result.json").read_text())
    assert result["holds"] and result["details"]["sensitive"][0] == {"pattern": "bread, milk", "before": 8, "after": 4}
    again = tacit("rules", "hide", shop, *given, "--out", tmp_path / "out")
    assert again.returncode == 0, again.stderr


def test_a_requirement_that_fails_publishes_nothing(shop, tmp_path):
    given = ("rules", "hide", shop, "--minsup", 5, "--sensitive", "bread, milk", "--out", tmp_path / "out")
    failed = tacit(*given, "--require", "dissimilarity=0.01")
    assert failed.returncode == 1 and "fails: dissimilarity" in failed.stdout and failed.stdout.split()[-1] == "nothing"
    assert not (tmp_path / "out" / "public").exists() and (tmp_path / "out/refused/0001/internal/result.json").exists()
    half = tacit(*given, "--psi", 0.9)
    assert half.returncode == 1 and "fails: hiding_failure" in half.stdout


def test_rules_marks_margins_and_a_file_of_patterns(shop, tmp_path):
    (tmp_path / "secret.txt").write_text("bread -> milk\n\ntea, crisps\n")
    done = tacit(
        "rules", "hide", shop, "--minsup", 3, "--minconf", 0.5, "--sensitive-file", tmp_path / "secret.txt", "--block",
        "--spread", 0.3, "--seed", 7, "--method", "sliding_window", "--set", "window=10", "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["details"]["absent"] == ["crisps, tea"] and told["holds"]
    found = read_baskets(tmp_path / "out" / "public" / "shop.basket")
    assert len(found.unknown) and found.interval(["bread", "milk"])[0] < found.interval(["bread", "milk"])[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--minsup", 5, "--out", "out"), "no sensitive pattern"),
        (("--minsup", 5, "--sensitive", "bred, milk", "--out", "out"), "did you mean 'bread'"),
        (("--minsup", 5, "--sensitive", "bread -> milk", "--out", "out"), "minconf"),
        (("--minsup", "lots", "--sensitive", "bread", "--out", "out"), "--minsup"),
        (("--minsup", 500, "--sensitive", "bread", "--out", "out"), "minsup=500"),
        (("--minsup", 5, "--sensitive", "bread", "--method", "borders", "--out", "out"), "did you mean 'border'"),
        (("--minsup", 5, "--sensitive", "bread", "--set", "keeps=all", "--out", "out"), "did you mean 'keep'"),
        (("--minsup", 5, "--sensitive", "bread", "--require", "losst=1", "--out", "out"), "did you mean 'lost'"),
        (("--minsup", 5, "--sensitive", "bread", "--psi", 2, "--out", "out"), "psi"),
    ],
)
def test_mistakes_are_answered_and_leave_nothing(shop, tmp_path, words, said):
    done = tacit("rules", "hide", shop, *words, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr
    assert {one.name for one in tmp_path.iterdir()} == {"shop.basket"}


def test_the_original_is_never_overwritten(shop):
    place = shop.parent / "public"
    place.mkdir()
    moved = shop.rename(place / "shop.basket")
    before = moved.read_bytes()
    done = tacit("rules", "hide", moved, "--minsup", 5, "--sensitive", "bread, milk", "--out", place.parent)
    assert done.returncode == 2 and moved.read_bytes() == before
