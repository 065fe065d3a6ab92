"""Every attempt to release is counted, whatever came of it (A7)."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tacit import TacitError
from tacit.errors import Cancelled
from tacit.plan.commit import open_output
from tacit.plan.register import (
    EarlierAttempts,
    Fingerprint,
    attempts_before,
    fingerprint_of,
    list_attempts,
    lock_register,
    record_attempt,
)

SAME = Fingerprint(data="a", steps="b", requirements="c")
OTHER_STEPS = Fingerprint(data="a", steps="x", requirements="c")
OTHER_DATA = Fingerprint(data="x", steps="b", requirements="c")


def test_attempts_are_counted_by_data_and_requirements_and_luck_by_steps(tmp_path: Path) -> None:
    tried = [(SAME, "not_met"), (OTHER_STEPS, "not_met"), (SAME, "interrupted"), (OTHER_DATA, "not_met"), (SAME, "met")]
    for number, (fingerprint, state) in enumerate(tried, start=1):
        record_attempt(tmp_path, number=number, state=state, fingerprint=fingerprint)  # type: ignore[arg-type]
    found = attempts_before(tmp_path, SAME)
    assert found == EarlierAttempts(total=4, not_met=2, interrupted=1, same_steps_not_met=1)
    assert str(found) == (
        "attempt 5 on the same data and requirements; 2 earlier attempts were not met; 1 earlier attempt was interrupted"
    )
    assert [gap.code for gap in found.gaps] == ["repeated_attempts"] and "1 earlier" in str(found.gaps[0])
    assert attempts_before(tmp_path, OTHER_DATA).gaps
    assert not attempts_before(tmp_path, Fingerprint(data="a", steps="new", requirements="c")).gaps


def test_a_register_holds_no_hash_that_can_be_compared_with_another_folder(tmp_path: Path) -> None:
    lines = []
    for name in "ab":
        (tmp_path / name).mkdir()
        record_attempt(tmp_path / name, number=1, state="met", fingerprint=SAME, intruders=["distance"])
        lines.append([json.loads(line) for line in (tmp_path / name / "register.jsonl").read_text().splitlines()])
        assert stat.S_IMODE((tmp_path / name / "register.jsonl").stat().st_mode) == 0o600
    assert lines[0][1]["data"] != lines[1][1]["data"]
    assert list(lines[0][1]) == [
        "number", "time", "state", "version", "data", "steps", "requirements", "intruders",
    ]  # fmt: skip


def test_the_content_of_the_files_counts_and_not_their_names(tmp_path: Path) -> None:
    for name, text in (("a.csv", "zip\n1\n"), ("b.csv", "zip\n1\n"), ("c.csv", "zip\n2\n")):
        (tmp_path / name).write_text(text)
    one, same, other = (fingerprint_of([tmp_path / f"{n}.csv"], steps=[], requirements={}) for n in "abc")
    assert one == same and one.data != other.data


def test_a_damaged_register_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "register.jsonl").write_text('{"salt": "00"}\nnonsense\n')
    with pytest.raises(TacitError, match="register of releases .* cannot be read"):
        list_attempts(tmp_path)
    assert "nonsense" in (tmp_path / "register.jsonl").read_text()


@pytest.mark.parametrize(
    ("problem", "states"),
    [
        (Cancelled("stop", fix="go"), ["interrupted"]),
        (KeyboardInterrupt(), ["interrupted"]),
        (TacitError("no", code="invalid_plan", fix="y"), []),
    ],
)
def test_an_interruption_is_counted_and_a_mistake_leaves_nothing(
    tmp_path: Path, problem: BaseException, states: list[str]
) -> None:
    out = tmp_path / "new" / "out"
    with pytest.raises(type(problem)), open_output(out, fingerprint=SAME):
        raise problem
    assert [one.state for one in list_attempts(out)] == states
    assert out.exists() == bool(states) and not list(tmp_path.rglob(".tacit-*"))


KILLED = """
import os, signal, sys
from pathlib import Path
from tacit.plan.register import Fingerprint
from tacit.plan.staging import staging_folder
from tacit.plan.commit import open_output

out = Path(sys.argv[1])
with open_output(out, fingerprint=Fingerprint(data="a", steps="b", requirements="c")), staging_folder(out) as folder:
    (folder / "masked.csv").write_text("zip\\n1\\n")
    print("ready", flush=True)
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_what_a_killed_run_left_is_swept_at_the_next_start_and_counted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    killed = subprocess.run([sys.executable, "-c", KILLED, out, "die"], capture_output=True, text=True, check=False)
    assert killed.returncode == -9 and len(list(out.glob(".tacit-*"))) == 2, "the test would pass without anything left"
    with open_output(out, fingerprint=SAME) as earlier:
        assert len(list(out.glob(".tacit-*"))) == 1, "its own, and nothing of the dead run"
    assert earlier == EarlierAttempts(total=1, interrupted=1)
    assert not list(out.glob(".tacit-*")) and [one.state for one in list_attempts(out)] == ["interrupted"]


def test_a_second_run_into_the_same_folder_is_told_and_the_first_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = subprocess.Popen(
        [sys.executable, "-c", KILLED, out, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "ready\n"
    with pytest.raises(TacitError, match="another run is writing into the folder"), open_output(out, fingerprint=SAME):
        pass
    assert len(list(out.glob(".tacit-*"))) == 2, "nothing of the first run was touched"
    first.communicate(timeout=60)
    assert first.returncode == 0
    with open_output(out, fingerprint=SAME), lock_register(out):
        pass


def test_a_full_disk_at_the_beginning_of_a_run_is_an_error_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_write(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fail_to_write)
    with (
        pytest.raises(TacitError, match="cannot be written to .*No space left"),
        open_output(tmp_path / "out", fingerprint=SAME),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
