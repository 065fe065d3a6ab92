"""The commit of a job: all of it appears at once, or nothing does."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.plan.commit import Moves, prepare, sweep_output
from tacit.plan.outcome import Outcome
from tacit.plan.register import list_attempts
from tacit.release import Masked, Trace
from tacit.report import publish, write_page

Stage = Callable[[Outcome], Outcome]


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_release_that_holds_is_published_as_a_whole(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    outcome, out = staged(held), tmp_path / "out"
    assert outcome.staged is not None
    assert outcome.masked is not None
    data = outcome.staged.files[0].read_bytes()
    assert publish(outcome, out) == out
    assert names(out) == {
        "public/clinic.csv",
        "public/report.html",
        "public/trace.json",
        "internal/report.html",
        "internal/result.json",
        "internal/lineage.parquet",
        "internal/seed.txt",
        "internal/plan.toml",
        "internal/missing_codes.json",
        "internal/attempt.json",
        "register.jsonl",
    }
    assert (out / "public/clinic.csv").read_bytes() == data
    assert (out / "internal/seed.txt").read_text().strip() == "0x" + bytes(range(16)).hex()
    assert (out / "internal/plan.toml").read_text() == outcome.plan_text
    assert json.loads((out / "internal/missing_codes.json").read_text()) == {"income": [-9, "refused"]}
    lineage = pl.read_parquet(out / "internal/lineage.parquet")["row"].to_numpy()
    assert (lineage == outcome.masked.lineage).all()
    assert not outcome.staged.folder.exists()
    assert {path.name for path in out.iterdir()} == {"public", "internal", "register.jsonl"}


def test_the_published_trace_has_no_hidden_finding(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    publish(staged(held), tmp_path / "out")
    trace = json.loads((tmp_path / "out/public/trace.json").read_text())
    assert trace[-1] == {"method": "recode", "parameters": {"column": "visits"}, "outcome": {"seen": "all may see"}}
    result = json.loads((tmp_path / "out/internal/result.json").read_text())
    assert result["holds"] is True
    assert "seed" not in result


@pytest.mark.skipif(os.name != "posix", reason="there are no POSIX modes")
def test_internal_files_are_for_their_owner_alone(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    publish(staged(held), tmp_path / "out")
    internal = tmp_path / "out/internal"
    assert stat.S_IMODE(internal.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in internal.iterdir()} == {0o600}
    public = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out/public").iterdir()}
    assert len(public) == 1


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names(folder)}


def test_a_refused_release_leaves_the_approved_one_as_it_is(
    held: Outcome, failing: Outcome, staged: Stage, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    publish(staged(held), out)
    approved = {part: contents(out / part) for part in ("public", "internal")}
    outcome = staged(failing)
    publish(outcome, out)
    assert {part: contents(out / part) for part in ("public", "internal")} == approved
    assert "refused/0002/internal/report.html" in names(out)
    assert not any(name.endswith(".csv") for name in names(out / "refused"))
    assert not outcome.staged.folder.exists()  # type: ignore[union-attr]
    assert [(one.number, one.state) for one in list_attempts(out)] == [(1, held.state), (2, "not_met")]


def test_an_approved_release_moves_the_one_before_aside_whole(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(staged(held), out)
    (out / "internal/key.bin").write_text("the user's own")
    first = {part: contents(out / part) for part in ("public", "internal")}
    publish(staged(replace(held, seed=bytes(16))), out)
    del first["internal"]["key.bin"]
    assert {part: contents(out / "earlier/0001" / part) for part in ("public", "internal")} == first
    assert (out / "internal/key.bin").read_text() == "the user's own"
    assert (out / "internal/seed.txt").read_text().strip() == "0x" + bytes(16).hex()
    publish(staged(held), out)
    assert {path.name for path in (out / "earlier").iterdir()} == {"0001", "0002"}
    assert [one.number for one in list_attempts(out)] == [1, 2, 3]


def test_a_release_of_a_version_without_a_register_is_kept_too(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("public/report.html", "internal/report.html", "internal/seed.txt"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(name)
    publish(staged(held), out)
    kept = {"public/report.html", "internal/report.html", "internal/seed.txt"}
    assert {name: text.decode() for name, text in contents(out / "earlier/0001").items()} == {one: one for one in kept}
    assert [one.number for one in list_attempts(out)] == [2]


@pytest.mark.skipif(os.name != "posix", reason="there are no POSIX modes")
def test_earlier_and_refused_attempts_are_for_their_owner_alone(
    held: Outcome, failing: Outcome, staged: Stage, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for outcome in (held, held, failing):
        publish(staged(outcome), out)
    for path in (out / "earlier", out / "refused", out / "register.jsonl", out / "refused/0003/internal/report.html"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_rejected_file_is_kept_inside_when_asked(failing: Outcome, staged: Stage, tmp_path: Path) -> None:
    publish(staged(failing), tmp_path / "out", keep_rejected=True)
    assert "refused/0001/internal/rejected/clinic.csv" in names(tmp_path / "out")
    assert not (tmp_path / "out/public").exists()


def test_the_next_run_replaces_our_files_and_keeps_others(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "internal").mkdir(parents=True)
    (out / "internal/key.bin").write_text("the user's own")
    publish(staged(held), out)
    assert (out / "internal/key.bin").read_text() == "the user's own"
    assert "public/clinic.csv" in names(out)


def test_when_it_breaks_the_folders_are_as_before(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("public/report.html", "internal/report.html"):
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("earlier")
    assert held.masked is not None
    broken = Masked(held.masked.release, (Trace("recode", {"column": object()}),), held.masked.lineage)
    with pytest.raises(TypeError):
        publish(staged(replace(held, masked=broken)), out)
    assert names(out) == {"public/report.html", "internal/report.html"}
    assert (out / "internal/report.html").read_text() == "earlier"
    assert {path.name for path in out.iterdir()} == {"public", "internal"}


def test_moves_are_undone_in_reverse(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
    with pytest.raises(FileNotFoundError), Moves(tmp_path) as moves:
        moves.make_folder(tmp_path / "new")
        moves.move(tmp_path / "a", tmp_path / "new" / "c")
        moves.move(tmp_path / "b", tmp_path / "a")
        moves.move(tmp_path / "missing", tmp_path / "d")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a", "b": "b"}


def test_moves_of_a_killed_process_are_undone_at_the_next_start(tmp_path: Path) -> None:
    """Nothing runs after kill -9: what is on the disk must say what was moved."""
    target, dead = tmp_path / "out", tmp_path / "out" / ".tacit-999999999-00"
    for name in ("out/public/report.html", "out/.tacit-999999999-00/public/report.html"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    (dead / ".alive").touch()
    moves = Moves(dead)
    moves.move(target / "public", moves.make_folder(moves.make_folder(target / "earlier") / "0001") / "public")
    moves.move(dead / "public", target / "public")
    sweep_output(target)
    assert contents(target) == {"public/report.html": b"out/public/report.html"}
    assert {path.name for path in target.iterdir()} == {"public"}


def test_an_outcome_is_published_once(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    outcome = staged(held)
    publish(outcome, tmp_path / "out")
    with pytest.raises(TacitError, match="staged data file is gone"):
        publish(outcome, tmp_path / "out")
    with pytest.raises(TacitError, match="no staged data file"):
        publish(held, tmp_path / "out")
    assert "public/clinic.csv" in names(tmp_path / "out")


def test_an_audit_releases_nothing(audit: Outcome, tmp_path: Path) -> None:
    publish(replace(audit, verdicts=()), tmp_path / "out")
    kept = {f"audits/0001/internal/{name}" for name in ("report.html", "result.json", "attempt.json")}
    assert names(tmp_path / "out") == {*kept, "register.jsonl"}


def test_prepare_leaves_the_release_of_an_earlier_run(held: Outcome, staged: Stage, tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(staged(held), out)
    kept = names(out)
    prepare(out, [tmp_path / "patients.csv"])
    assert names(out) == kept
    assert prepare(tmp_path / "new" / "out") == tmp_path / "new" / "out"
    assert not (tmp_path / "new").exists()


def test_nothing_internal_is_put_into_a_public_folder(tmp_path: Path) -> None:
    for place in (tmp_path / "web" / "public", tmp_path / "web" / "public" / "deeper"):
        with pytest.raises(TacitError, match="called public"):
            prepare(place)


def test_prepare_does_not_empty_what_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "public").mkdir()
    (tmp_path / "public/index.html").write_text("a website")
    with pytest.raises(TacitError, match="no earlier run wrote"):
        prepare(tmp_path)
    assert (tmp_path / "public/index.html").exists()


@pytest.mark.parametrize("place", ["public/patients.csv", "internal/sub/patients.csv"])
def test_prepare_refuses_an_input_where_the_result_goes(tmp_path: Path, place: str) -> None:
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text("zip\n1\n")
    with pytest.raises(TacitError, match="where the result goes"):
        prepare(tmp_path, [file])
    assert file.exists()


def test_prepare_refuses_files_links_and_places_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "patients.csv"
    file.write_text("zip\n1\n")
    with pytest.raises(TacitError, match="is the input itself"):
        prepare(file, [file])
    with pytest.raises(TacitError, match="is a file"):
        prepare(file)
    with pytest.raises(TacitError, match="cannot be written"):
        prepare(file / "out", [file])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/public").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TacitError, match="not a folder of its own"):
        prepare(tmp_path / "out", [file])
    assert file.read_text() == "zip\n1\n"


def test_a_page_alone(audit: Outcome, tmp_path: Path) -> None:
    file = write_page(audit, tmp_path / "audit.html")
    assert file.read_text().startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["audit.html"]
    with pytest.raises(TacitError, match="is not an HTML file"):
        write_page(audit, tmp_path)
