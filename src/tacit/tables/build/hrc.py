"""Trees of codes in files of the form .hrc: one code a line, a mark in front for each level."""

from __future__ import annotations

from pathlib import Path

from ...errors import TacitError
from ..dimension import TOTAL
from .levels import ParentLinks


def read_hrc(path: str | Path, *, lead: str = "@", total: str = TOTAL) -> dict[str, str]:
    """Code → the code above it, in the order of the file; those without a mark lie under ``total``.

    A line is a code with as many ``lead`` strings in front as there are codes between it and the total. Blanks around a code
    are no part of it (files for data of fixed width are padded), empty lines are skipped. A code repeated as its own only
    child, as trees of equal depth have it, stands once. One pass over the file.
    """
    file = Path(path)
    if not lead:
        raise TacitError(
            "the mark of a level is empty", code="invalid_table", fix="give the one that the file uses, e.g. lead='@'"
        )
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise TacitError(f"the file {file.name!r} is not there", code="wrong_type", fix="check its path") from None
    except UnicodeDecodeError:
        lines = file.read_text(encoding="cp1252", errors="replace").splitlines()
    above, way = ParentLinks(file.name, total), [total]
    for number, line in enumerate(lines, 1):
        depth, rest = 0, line.rstrip()
        while rest.startswith(lead):
            depth, rest = depth + 1, rest[len(lead) :]
        code = rest.strip()
        if not code and not depth:
            continue
        if not code or depth > len(way) - 1:
            raise TacitError(
                f"has no code after its marks of level {depth}"
                if not code
                else f"the code {code!r} has no code above it",
                code="invalid_table",
                where=f"{file.name}, line {number}",
                fix=f"give each line one code, with at most one {lead!r} more than the line before",
            )
        try:
            above.add_link(code, way[depth])
        except TacitError as problem:
            raise problem.restate(column=None, where=f"{file.name}, line {number}") from None
        way = [*way[: depth + 1], code]
    try:
        return above.links()
    except TacitError as problem:
        raise problem.restate(column=None, where=file.name) from None
