"""The one atomic writer: a file appears whole or not at all, and never over one that should stay."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tacit import TacitError, files
from tacit.files import PREFIX, atomic_write, check_target_path, commit_draft, draft_beside, write_text


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_gets_its_name_at_the_end(tmp_path):
    with atomic_write(tmp_path / "table.csv") as draft:
        draft.write_text("a,b")
        assert draft.parent == tmp_path and draft.name.startswith(PREFIX) and draft.suffix == ".csv"
        assert [entry.name for entry in tmp_path.iterdir()] == [draft.name]
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "a,b"


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("replace", [False, True])
def test_whatever_stops_it_leaves_nothing(tmp_path, problem, replace):
    target = tmp_path / "table.csv"
    if replace:
        target.write_text("earlier")
    with pytest.raises(problem), atomic_write(target, replace=replace) as draft:
        draft.write_text("half")
        raise problem
    assert {entry.name: entry.read_text() for entry in tmp_path.iterdir()} == (
        {"table.csv": "earlier"} if replace else {}
    )


def test_an_interrupted_process_leaves_nothing(tmp_path):
    code = (
        "import signal, sys, time\nfrom tacit.files import atomic_write\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a runner in the background passes on that it is ignored
        "with atomic_write(sys.argv[1]) as draft:\n"
        "    draft.write_text('half'); print('writing', flush=True); time.sleep(60)\n"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "table.csv")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGINT)
        process.wait()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_kept_unless_it_may_be_replaced(tmp_path):
    target = tmp_path / "plan.toml"
    write_text(target, "first")
    with pytest.raises(TacitError) as refused:
        write_text(target, "second")
    assert (refused.value.code, refused.value.where) == ("file_exists", str(target))
    assert target.read_text() == "first"
    write_text(target, "third", replace=True)
    assert target.read_text() == "third"
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.toml"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_kept(tmp_path, monkeypatch, links):
    def no_link(*_):
        raise PermissionError("this file system has no links")

    if not links:
        monkeypatch.setattr(os, "link", no_link)
    target = tmp_path / "plan.toml"
    with pytest.raises(TacitError) as refused, atomic_write(target) as draft:
        draft.write_text("mine")
        target.write_text("theirs")
    assert refused.value.code == "file_exists"
    assert {entry.name: entry.read_text() for entry in tmp_path.iterdir()} == {"plan.toml": "theirs"}
    write_text(tmp_path / "other.toml", "mine")
    assert (tmp_path / "other.toml").read_text() == "mine"


def test_the_file_that_was_read_is_never_replaced(tmp_path):
    source = tmp_path / "data.csv"
    source.write_text("a")
    with pytest.raises(TacitError) as refused, atomic_write(tmp_path / "." / "data.csv", replace=True, keep=[source]):
        raise AssertionError("nothing may be written")
    assert refused.value.code == "file_was_read"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_private_file_is_private_from_the_first_byte(tmp_path):
    with atomic_write(tmp_path / "key", private=True) as draft:
        assert mode_of(draft) == 0o600
        draft.write_text("secret")
    assert mode_of(tmp_path / "key") == 0o600


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    target = tmp_path / "shared.csv"
    target.write_text("earlier")
    target.chmod(mode)
    with atomic_write(target, replace=True) as draft:
        assert mode_of(draft) & ~mode & ~0o600 == 0  # nobody reads the draft who may not read the file
        draft.unlink()  # some libraries write a file of their own and rename it
        draft.write_text("later")
    assert (mode_of(target), target.read_text()) == (mode, "later")


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_new_file_has_the_mode_of_the_system(tmp_path):
    (tmp_path / "usual").write_text("")
    write_text(tmp_path / "new", "")
    assert mode_of(tmp_path / "new") == mode_of(tmp_path / "usual")


def test_file_and_folder_are_on_the_disk_before_and_after_the_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(files, "sync_file", lambda path: synced.append((path.is_dir(), (tmp_path / "a").exists())))
    write_text(tmp_path / "a", "text")
    assert synced == [(False, False), *([(True, True)] if os.name == "posix" else [])]


def test_a_disk_that_is_full_at_the_end_changes_nothing(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    target = tmp_path / "plan.toml"
    target.write_text("before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TacitError) as refused:
        write_text(target, "after", replace=True)
    assert refused.value.code == "cannot_write"
    assert target.read_text() == "before" and list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="limits are those of POSIX")
def test_a_full_disk_leaves_no_draft(tmp_path):
    """A limit on the size of files is as good as a full disk."""
    code = (
        "import resource, signal, sys\nfrom tacit import TacitError\nfrom tacit.files import write_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n    write_text(sys.argv[1], 'x' * 5000, private=True)\nexcept TacitError as problem:\n    print(problem.code)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "result.json")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "cannot_write\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "code"), [("", "not_a_file"), ("none/a.csv", "folder_missing"), ("held.csv", "file_exists")]
)
def test_what_cannot_be_written_is_said_before_the_work(tmp_path, name, code):
    (tmp_path / "held.csv").write_text("")
    with pytest.raises(TacitError) as refused:
        check_target_path(tmp_path / name, replace=False)
    assert refused.value.code == code


def test_line_ends_stay_as_they_are(tmp_path):
    write_text(tmp_path / "a.csv", "größe\r\nb\n")
    assert (tmp_path / "a.csv").read_bytes() == "größe\r\nb\n".encode()


def test_a_draft_may_get_another_name(tmp_path):
    with draft_beside(tmp_path / "a.csv", private=True) as draft:
        draft.write_text("text")
        commit_draft(draft, tmp_path / "a-2.csv", private=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a-2.csv"]
