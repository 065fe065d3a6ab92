"""The commit of a job: everything is built in a folder of its own and moved into place at once.

    out/public/, out/internal/         the last release that was approved
    out/earlier/0001/{public,internal} approved releases before it, by the number of their attempt
    out/refused/0002/internal          attempts that did not meet the requirements: their reports, and no data
    out/audits/0003/internal           audits, which release nothing
    out/register.jsonl                 one line for every attempt

Nothing earlier is removed or overwritten. ``public/`` is ours as a whole; in ``internal/`` only files of the names below are
ever moved, so that a key, say, that somebody keeps there is never touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import Cancelled, TacitError
from ..json_text import json_text
from ..release.scratch import list_leftovers, remove_private_folder, scratch_inside
from .register import (
    AttemptState,
    EarlierAttempts,
    Fingerprint,
    attempts_before,
    list_attempts,
    lock_register,
    record_attempt,
)
from .staging import staging_folder

REPORT, TRACE, RESULT, REJECTED, FORMATS, LEARNT, ATTEMPT = (
    "report.html", "trace.json", "result.json", "rejected", "formats", "learnt_from.parquet", "attempt.json",
)  # fmt: skip

INTERNAL = (
    REPORT, RESULT, "lineage.parquet", "seed.txt", "plan.toml", "missing_codes.json", REJECTED, "cells.csv",
    FORMATS, LEARNT, ATTEMPT,
)  # fmt: skip

EARLIER, REFUSED, AUDITS = "earlier", "refused", "audits"

BEGUN = "begun.json"
"""In a private folder of a run: what it is about, for the register should the run be killed."""

JOURNAL = "moves.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """Where the result of an attempt is: ``public`` is None when nothing was released."""

    folder: Path
    number: int
    internal: Path
    public: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        public = None if self.public is None else str(self.public)
        return {"number": self.number, "public": public, "internal": str(self.internal)}


def prepare(out: str | Path, inputs: Sequence[str | Path] = ()) -> Path:
    """Check before a run that its result can be put into ``out``; nothing is changed there.

    ``inputs`` are the files that the run reads: none may lie where the result goes. A folder ``public`` that was not
    written by an earlier run is refused. The release of an earlier run stays until this one ends with a verdict: a typo
    or an interruption must not cost it.
    """
    target = Path(out)
    _refuse_inputs(target, [Path(given) for given in inputs])
    missing = [folder for folder in (target, *target.parents) if not folder.exists()]
    with private_folder(target):
        pass
    for made in missing:
        made.rmdir()
    _of_an_earlier_run(target / "public")
    return target


def _of_an_earlier_run(public: Path) -> None:
    """Refuse a ``public/`` with files that no run wrote, because the folder is replaced as a whole."""
    held = {entry.name for entry in public.iterdir()} if public.is_dir() else set()
    ours = {REPORT, TRACE} & held
    if held and (not ours or len({_strip_part_number(name) for name in held - ours}) > 1):
        raise TacitError(
            f"the folder {str(public)!r} holds files that no earlier run wrote",
            code="invalid_plan",
            fix="choose another folder with --out, or empty it yourself",
        )


def _strip_part_number(name: str) -> str:
    """The name of a data file without the number that one of several has."""
    return re.sub(r"-\d+(?=\.[^.]*$)", "", name)


def refuse_foreign(target: Path) -> None:
    """Refuse a target whose ``public/`` or ``internal/`` is not of an earlier run."""
    _refuse_inputs(target, [])
    _of_an_earlier_run(target / "public")


@contextmanager
def open_output(
    out: str | Path, inputs: Sequence[str | Path] = (), *, fingerprint: Fingerprint
) -> Iterator[EarlierAttempts]:
    """Hold a folder for a run from its beginning to its end; gives the attempts of the same that went before.

    What a run that was killed left there is removed, a second run at the same time is refused, and copies of the data that
    engines make are kept there, readable by their owner alone. A run that is interrupted is put on the register.
    """
    target = prepare(out, inputs)
    with staging_folder(target) as folder, lock_register(target):
        sweep_output(target)
        _begin_run(folder, target, fingerprint)
        try:
            with scratch_inside(target):
                yield attempts_before(target, fingerprint)
        except BaseException as problem:
            if isinstance(problem, Cancelled) or not isinstance(problem, TacitError):
                with suppress(OSError, TacitError):  # a full disk must not hide what happened
                    record_attempt(
                        target, number=_next_attempt_number(target), state="interrupted", fingerprint=fingerprint
                    )
            raise
        remove_private_folder(folder)


def _begin_run(folder: Path, target: Path, fingerprint: Fingerprint) -> None:
    """Write what a run is about into its private folder; a full disk is an error here, before any work is done."""
    try:
        (folder / BEGUN).write_text(json.dumps(asdict(fingerprint)), encoding="utf-8")
    except OSError as problem:
        raise _unwritable_error(target, problem) from problem


def _unwritable_error(target: Path, problem: OSError) -> TacitError:
    return TacitError(
        f"the result cannot be written to {str(target)!r}: {problem.strerror}",
        code="cannot_write",
        fix="make room or choose another folder with --out",
    )


def sweep_output(target: Path) -> None:
    """Remove what runs left in a folder that were killed: moves are undone, and the register says that they were interrupted."""
    for folder in list_leftovers(target):
        with suppress(OSError):
            undo_moves(folder)
            begun = folder / BEGUN
            if begun.exists():
                fingerprint = Fingerprint(**json.loads(begun.read_text(encoding="utf-8")))
                with suppress(TacitError), lock_register(target):
                    record_attempt(
                        target, number=_next_attempt_number(target), state="interrupted", fingerprint=fingerprint
                    )
            remove_private_folder(folder)
    for folder in list_leftovers(target.absolute().parent):
        if not (folder / BEGUN).exists() and not (folder / JOURNAL).exists():
            remove_private_folder(folder)


def commit_job(
    target: Path,
    build: Callable[[Path], None],
    *,
    state: AttemptState,
    approved: bool,
    fingerprint: Fingerprint | None = None,
    intruders: Iterable[str] = (),
) -> CommitResult:
    """Let ``build`` fill the folders public and internal inside a folder that it is given, then move all into place.

    A release that is approved takes the place of the one before, which is kept under ``earlier/``; anything else goes aside
    and leaves the approved one as it is. The attempt is put on the register. Internal files are for their owner's eyes alone.
    When anything fails, what was there before is there still.
    """
    refuse_foreign(target)
    with private_folder(target) as folder, lock_register(target):
        try:
            internal = folder / "internal"
            for made in (folder / "public", internal):
                made.mkdir()
            build(folder)
            with Moves(folder) as moves:
                number = _make_room(target, moves) if approved else _next_attempt_number(target)
                (internal / ATTEMPT).write_text(json_text({"number": number}) + "\n", encoding="utf-8")
                for path in (internal, *internal.rglob("*")):
                    path.chmod(0o700 if path.is_dir() else 0o600)
                aside = None if approved else AUDITS if state == "audit" else REFUSED
                placed = _into_place(folder, target, moves, aside=aside, number=number)
                record_attempt(target, number=number, state=state, fingerprint=fingerprint, intruders=intruders)
        except OSError as problem:
            raise _unwritable_error(target, problem) from problem
    return placed


def _make_room(target: Path, moves: Moves) -> int:
    """Move the release that is there now to the earlier ones, under its own number; the number of the one to come."""
    number = _next_attempt_number(target)
    internal, public = target / "internal", target / "public"
    kept = [internal / name for name in INTERNAL if (internal / name).exists()]
    if not kept and not public.exists():
        return number
    own = _number_in(internal / ATTEMPT)
    if own is None or (target / EARLIER / f"{own:04}").exists():
        own, number = number, number + 1  # one of a version that kept no register
    aside = moves.make_folder(moves.make_folder(target / EARLIER) / f"{own:04}")
    moves.make_folder(aside / "internal")
    for path in kept:
        moves.move(path, aside / "internal" / path.name)
    if public.exists():
        moves.move(public, aside / "public")
    return number


def _into_place(folder: Path, target: Path, moves: Moves, *, aside: str | None, number: int) -> CommitResult:
    """Internal files one by one, then the folder ``public`` as a whole: the data appear when all else is there."""
    if aside is not None:
        own = moves.make_folder(moves.make_folder(target / aside) / f"{number:04}")
        moves.move(folder / "internal", own / "internal")
        return CommitResult(folder=target, number=number, internal=own / "internal")
    internal = target / "internal"
    if internal.exists():
        internal.chmod(0o700)
        for path in sorted((folder / "internal").iterdir()):
            moves.move(path, internal / path.name)
    else:
        moves.move(folder / "internal", internal)
    moves.move(folder / "public", target / "public")
    return CommitResult(folder=target, number=number, internal=internal, public=target / "public")


def _next_attempt_number(target: Path) -> int:
    """The number of the next attempt: above all that the register or a folder has."""
    numbers = [one.number for one in list_attempts(target)]
    for name in (EARLIER, REFUSED, AUDITS):
        numbers += [int(path.name) for path in (target / name).glob("[0-9]*") if path.name.isdecimal()]
    current = _number_in(target / "internal" / ATTEMPT)
    return 1 + max([0, *numbers, *([] if current is None else [current])])


def _number_in(path: Path) -> int | None:
    """The number of the release whose internal files these are, if it has one."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads(path.read_text(encoding="utf-8"))["number"])
    return None


def _refuse_inputs(target: Path, inputs: Sequence[Path]) -> None:
    if any(given.resolve() == target.resolve() for given in inputs):
        raise TacitError(
            f"the output {str(target)!r} is the input itself",
            code="invalid_plan",
            fix="choose another folder with --out",
        )
    if target.exists() and not target.is_dir():
        raise TacitError(f"the output {str(target)!r} is a file", code="invalid_plan", fix="name a folder with --out")
    if "public" in target.resolve().parts:
        raise TacitError(
            f"the output {str(target)!r} lies in a folder called public: seed and lineage would go out with it",
            code="seed",
            fix="choose another folder with --out; public/ and internal/ are made inside it",
        )
    for place in (target / name for name in ("public", "internal", EARLIER, REFUSED, AUDITS)):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise TacitError(
                f"{str(place)!r} is not a folder of its own",
                code="wrong_type",
                fix="remove it, or choose another folder with --out",
            )
        inside = next((given for given in inputs if place.resolve() in given.resolve().parents), None)
        if inside is not None:
            raise TacitError(
                f"the input {str(inside)!r} lies in {str(place)!r}, where the result goes",
                code="invalid_plan",
                fix="move the input, or choose another folder with --out",
            )


@contextmanager
def private_folder(target: Path) -> Iterator[Path]:
    """A private folder beside ``public`` and ``internal``, gone at the end; an error when nothing can be written there."""
    with staging_folder(target) as folder:
        yield folder
        remove_private_folder(folder)


class Moves:
    """Within the ``with`` block each :meth:`move` is done at once; an exception puts everything back.

    Every move is written down in ``folder`` before it is done, and the list removed at the end: a process that is killed in
    between leaves a list by which :func:`undo_moves` puts everything back.
    """

    def __init__(self, folder: Path) -> None:
        self._journal = folder / JOURNAL

    def move(self, source: Path, target: Path) -> None:
        """Rename a file or folder; ``target`` must not exist."""
        self._log_move(str(source.absolute()), target)
        source.rename(target)

    def make_folder(self, folder: Path) -> Path:
        """Make a private folder that is not there yet; undone, it goes again if it is empty."""
        if not folder.exists():
            self._log_move(None, folder)
            folder.mkdir(mode=0o700)
        return folder

    def _log_move(self, source: str | None, target: Path) -> None:
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps([source, str(target.absolute())]) + "\n")

    def __enter__(self) -> Moves:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            undo_moves(self._journal.parent)
        else:
            self._journal.unlink(missing_ok=True)


def undo_moves(folder: Path) -> None:
    """Put back what the list in a folder says was moved; what was never moved, or is back already, stays."""
    journal = folder / JOURNAL
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
    for line in reversed(lines):
        try:
            source, target = json.loads(line)
        except ValueError:  # the last line of a process that was killed while it wrote: nothing was moved by it
            continue
        if source is None:
            with suppress(OSError):
                Path(target).rmdir()
        elif Path(target).exists() and not Path(source).exists():
            Path(target).rename(source)
    journal.unlink(missing_ok=True)
