"""The commit of a job: everything is built in a folder of its own and moved into place at once.

``public/`` is ours as a whole; in ``internal/`` only files of the names below are ever replaced, so that a key, say, that
somebody keeps there is never touched.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import TacitError
from ..plan.staging import staging
from .moves import Moves

__all__ = ["FORMATS", "LEARNT", "REPORT", "TRACE", "building", "commit", "prepare", "refuse_foreign"]

REPORT, TRACE, FORMATS, LEARNT = "report.html", "trace.json", "formats", "learnt_from.parquet"
INTERNAL = (
    REPORT, "result.json", "lineage.parquet", "seed.txt", "plan.toml", "missing_codes.json", "rejected", "cells.csv",
    FORMATS, LEARNT,
)  # fmt: skip


def prepare(out: str | Path, inputs: Sequence[str | Path] = ()) -> Path:
    """Check before a run that its result can be put into ``out``; nothing is changed there.

    ``inputs`` are the files that the run reads: none may lie where the result goes. A folder ``public`` that was not
    written by an earlier run is refused. The release of an earlier run stays until this one ends with a verdict: a typo
    or an interruption must not cost it.
    """
    target = Path(out)
    _refuse_inputs(target, [Path(given) for given in inputs])
    missing = [folder for folder in (target, *target.parents) if not folder.exists()]
    with building(target):
        pass
    for folder in missing:
        folder.rmdir()
    _of_an_earlier_run(target / "public")
    return target


def _of_an_earlier_run(public: Path) -> None:
    """Refuse a ``public/`` with files that no run wrote, because the folder is replaced as a whole."""
    held = {entry.name for entry in public.iterdir()} if public.is_dir() else set()
    ours = {REPORT, TRACE} & held
    if held and (not ours or len({_unnumbered(name) for name in held - ours}) > 1):
        raise TacitError(
            f"the folder {str(public)!r} holds files that no earlier run wrote",
            fix="choose another folder with --out, or empty it yourself",
        )


def _unnumbered(name: str) -> str:
    """The name of a data file without the number that one of several has."""
    return re.sub(r"-\d+(?=\.[^.]*$)", "", name)


def refuse_foreign(target: Path) -> None:
    """Refuse a target whose ``public/`` or ``internal/`` is not of an earlier run."""
    _refuse_inputs(target, [])
    _of_an_earlier_run(target / "public")


def commit(target: Path, build: Callable[[Path], None]) -> None:
    """Let ``build`` fill the folders public and internal inside a folder that it is given, then move all into place.

    Internal files are for their owner's eyes alone. When anything fails, what was there before is there still.
    """
    refuse_foreign(target)
    with building(target) as folder:
        try:
            internal = folder / "internal"
            for made in (folder / "public", internal):
                made.mkdir()
            build(folder)
            for path in (internal, *internal.rglob("*")):
                path.chmod(0o700 if path.is_dir() else 0o600)
            with Moves() as moves:
                _into_place(folder, target, moves)
        except OSError as problem:
            raise TacitError(
                f"the result cannot be written to {str(target)!r}: {problem.strerror}",
                fix="make room or choose another folder with --out",
            ) from problem


def _into_place(folder: Path, target: Path, moves: Moves) -> None:
    """Internal files one by one, then the folder ``public`` as a whole: the data appear when all else is there."""
    earlier = folder / "earlier"
    earlier.mkdir()
    internal = target / "internal"
    if internal.exists():
        internal.chmod(0o700)
        for name in INTERNAL:
            if (internal / name).exists():
                moves.move(internal / name, earlier / name)
        for path in sorted((folder / "internal").iterdir()):
            moves.move(path, internal / path.name)
    else:
        moves.move(folder / "internal", internal)
    if (target / "public").exists():
        moves.move(target / "public", earlier / "public")
    moves.move(folder / "public", target / "public")


def _refuse_inputs(target: Path, inputs: Sequence[Path]) -> None:
    if any(given.resolve() == target.resolve() for given in inputs):
        raise TacitError(f"the output {str(target)!r} is the input itself", fix="choose another folder with --out")
    if target.exists() and not target.is_dir():
        raise TacitError(f"the output {str(target)!r} is a file", fix="name a folder with --out")
    if "public" in target.resolve().parts:
        raise TacitError(
            f"the output {str(target)!r} lies in a folder called public: seed and lineage would go out with it",
            fix="choose another folder with --out; public/ and internal/ are made inside it",
        )
    for place in (target / "public", target / "internal"):
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise TacitError(
                f"{str(place)!r} is not a folder of its own", fix="remove it, or choose another folder with --out"
            )
        inside = next((given for given in inputs if place.resolve() in given.resolve().parents), None)
        if inside is not None:
            raise TacitError(
                f"the input {str(inside)!r} lies in {str(place)!r}, where the result goes",
                fix="move the input, or choose another folder with --out",
            )


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """A private folder beside ``public`` and ``internal``, gone at the end; an error when nothing can be written there."""
    with staging(target) as folder:
        yield folder
        shutil.rmtree(folder, ignore_errors=True)
