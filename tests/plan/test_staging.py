"""An unfinished result leaves nothing behind, whatever stops the work and whenever (A-03)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tacit import TacitError
from tacit.plan.staging import staging_folder
from tacit.release.scratch import PREFIX


def test_a_folder_is_private_named_after_its_process_and_stays_when_all_went_well(tmp_path: Path) -> None:
    with staging_folder(tmp_path / "new" / "place") as folder:
        (folder / "data.csv").write_text("zip\n")
    assert folder.parent == tmp_path / "new" / "place" and folder.name.startswith(f"{PREFIX}{os.getpid()}-")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and (folder / "data.csv").exists()


@pytest.mark.parametrize(
    "problem", [TacitError("no", code="invalid_plan", fix="yes"), KeyboardInterrupt(), OSError(28, "full")]
)
def test_what_fails_inside_takes_the_folder_with_it(tmp_path: Path, problem: BaseException) -> None:
    with pytest.raises(type(problem)), staging_folder(tmp_path) as folder:
        (folder / "data.csv").write_text("zip\n")
        raise problem
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_right_after_the_folder_was_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal is heard between any two instructions; that gap once left an empty folder behind."""
    made, seen = Path.mkdir, []

    def interrupted(self: Path, *args: object, **more: object) -> None:
        made(self, *args, **more)  # type: ignore[arg-type]
        if self.name.startswith(".tacit-"):
            seen.append(self.exists())
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt), staging_folder(tmp_path):
        pass
    assert seen == [True] and list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TacitError, match="cannot be written.*\n.*--out"), staging_folder(tmp_path / "file"):
        pass
