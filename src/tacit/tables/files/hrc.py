"""Trees of codes as .hrc files, written; :func:`tacit.tables.build.hrc.read_hrc` reads them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ...errors import TacitError
from ...files import atomic_write
from ..dimension import Dimension
from .text import check_codes


def write_hrc(
    dimension: Dimension,
    path: str | os.PathLike[str],
    *,
    lead: str = "@",
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write a tree, one code a line with a mark for each level below the first; the total is not written. O(codes).

    A code that begins with the mark, or with a blank, cannot be told from its level or its padding and is refused.
    """
    if not lead.strip():
        raise TacitError("the mark of a level is blank", code="invalid_table", fix="use lead='@'")
    check_codes(dimension.codes[1:], name=dimension.name)
    odd = next(
        (code for code in dimension.codes[1:] if code.startswith(lead) or code != code.strip() or not code), None
    )
    if odd is not None:
        what = f"the code {odd!r} begins with the mark of a level, or a blank stands around it"
        raise TacitError(
            what,
            code="malformed_file",
            column=dimension.name,
            fix="choose another mark with lead=, or write it without blanks",
        )
    lines: list[str] = []
    ahead = list(reversed(dimension.children[0]))
    while ahead:
        place = ahead.pop()
        lines.append(lead * (dimension.depths[place] - 1) + dimension.codes[place])
        ahead.extend(reversed(dimension.children[place]))
    with atomic_write(path, replace=replace, keep=keep) as file:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
