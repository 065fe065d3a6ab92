"""The commit of a job: everything is built in a folder of its own and moved into place at once.

    out/public/     the data file, report.html, trace.json: all that leaves the house
    out/internal/   report.html, result.json, lineage.parquet, seed.txt, plan.toml, missing_codes.json

When a requirement fails, ``public/`` is left empty. Files in ``internal/`` that are not of the above names (a key, say)
are never touched; ``public/`` is ours as a whole.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import TacitError
from ..plan.attack_findings import AttackFindings
from ..plan.curve import CurveFindings
from ..plan.outcome import Outcome
from ..seed import written_seed
from ..study.findings import Study
from .attack_page import attack_page
from .audience import Audience
from .curve_page import curve_page
from .map_page import map_page
from .moves import Moves
from .page import render
from .plain import as_text

__all__ = ["building", "page_target", "prepare", "publish", "write_page"]

REPORT, TRACE = "report.html", "trace.json"
INTERNAL = (REPORT, "result.json", "lineage.parquet", "seed.txt", "plan.toml", "missing_codes.json", "rejected")


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
    if held and (not ours or len(held - ours) > 1):
        raise TacitError(
            f"the folder {str(public)!r} holds files that no earlier run wrote",
            fix="choose another folder with --out, or empty it yourself",
        )


def publish(outcome: Outcome, out: str | Path, *, keep_rejected: bool = False) -> Path:
    """Write the reports and move data, reports and records of the run into ``out``; returns ``out``.

    Only a masked release that holds gets a data file and a ``public/``; an audit gets ``internal/`` alone. With
    ``keep_rejected`` a data file that fails is kept in ``internal/rejected/``. The staged folder is removed.
    """
    if not isinstance(outcome, Outcome):
        raise TacitError(f"a {type(outcome).__name__} cannot be published", fix="publish what tacit.plan.run returned")
    target = Path(out)
    staged = outcome.staged
    if staged is not None and not staged.file.is_file():
        raise TacitError("the staged data file is gone", fix="run the plan again: an outcome is published once")
    if outcome.masked is not None and staged is None:
        raise TacitError("the outcome has no staged data file", fix="publish what tacit.plan.run returned")
    _refuse_inputs(target, [])
    _of_an_earlier_run(target / "public")
    with building(target) as folder:
        try:
            _build(outcome, folder, keep_rejected=keep_rejected)
            with Moves() as moves:
                _into_place(folder, target, moves)
        except OSError as problem:
            raise TacitError(
                f"the result cannot be written to {str(target)!r}: {problem.strerror}",
                fix="make room or choose another folder with --out",
            ) from problem
        finally:
            if staged is not None:
                shutil.rmtree(staged.folder, ignore_errors=True)
    return target


def write_page(
    found: Outcome | AttackFindings | CurveFindings | Study,
    path: str | Path,
    *,
    audience: Audience = "internal",
    command: str = "tacit explore PLAN",
) -> Path:
    """Write a report alone, of an audit, of attacks or of a study, to an HTML file.

    A page of that name is replaced at once or not at all. ``command`` is what made a study, for the way to write its points.
    """
    target = page_target(path)
    with building(target.parent) as folder:
        draft = folder / target.name
        draft.write_text(_page(found, audience, command), encoding="utf-8")
        draft.replace(target)
    return target


def page_target(path: str | Path) -> Path:
    """Where a page may be written, asked before the work for it begins."""
    target = Path(path)
    if target.is_dir() or target.suffix.lower() not in (".html", ".htm"):
        raise TacitError(f"the report {str(target)!r} is not an HTML file", fix="name one, e.g. report.html")
    if not target.parent.is_dir():
        raise TacitError(f"there is no folder {str(target.parent)!r}", fix="make it, or name another for the report")
    return target


def _page(found: Outcome | AttackFindings | CurveFindings | Study, audience: Audience, command: str) -> str:
    """An outcome for its audience; what attacks found is for internal eyes alone."""
    if isinstance(found, Outcome):
        return render(found, audience=audience)
    if audience != "internal":
        raise TacitError("the report of an attack points at people", fix="write it with audience='internal'")
    if isinstance(found, Study):
        return map_page(found, command=command)
    return attack_page(found) if isinstance(found, AttackFindings) else curve_page(found)


def _build(outcome: Outcome, folder: Path, *, keep_rejected: bool) -> None:
    public, internal = folder / "public", folder / "internal"
    public.mkdir()
    internal.mkdir()
    if outcome.masked is not None and outcome.holds:
        _public(outcome, public)
    _internal(outcome, internal)
    if outcome.staged is not None and not outcome.holds and keep_rejected:
        (internal / "rejected").mkdir()
        _link(outcome.staged.file, internal / "rejected")
    for path in (internal, *internal.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _public(outcome: Outcome, folder: Path) -> None:
    assert outcome.masked is not None and outcome.staged is not None
    page = folder / REPORT
    page.write_text(render(outcome, audience="public"), encoding="utf-8")
    (folder / TRACE).write_text(as_text([step.as_json(public=True) for step in outcome.masked.trace]), encoding="utf-8")
    # The staged file was private; what is published is as readable as the page beside it.
    _link(outcome.staged.file, folder).chmod(page.stat().st_mode)


def _internal(outcome: Outcome, folder: Path) -> None:
    files = {REPORT: render(outcome, audience="internal"), "result.json": as_text(outcome.as_json())}
    if outcome.seed is not None:
        files["seed.txt"] = written_seed(outcome.seed) + "\n"
    if outcome.plan_text:
        files["plan.toml"] = outcome.plan_text
    if outcome.missing_codes:
        files["missing_codes.json"] = as_text(outcome.missing_codes)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    if outcome.masked is not None and outcome.masked.lineage is not None:
        import polars as pl

        # For each row of the released file the row of the original, counted from 0; −1 for an invented one.
        pl.DataFrame({"row": outcome.masked.lineage}).write_parquet(folder / "lineage.parquet")


def _link(file: Path, folder: Path) -> Path:
    """The file in another folder without copying it where the system can."""
    target = folder / file.name
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
    return target


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
    try:
        target.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".tacit-", dir=target))
    except OSError as problem:
        raise TacitError(
            f"the folder {str(target)!r} cannot be written: {problem.strerror}", fix="choose another folder with --out"
        ) from problem
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
