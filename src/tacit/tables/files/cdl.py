"""Code lists (.cdl): what the codes of a dimension mean."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...errors import TacitError
from ...files import atomic_write
from .text import check_codes, text_of


def read_cdl(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> dict[str, str]:
    """Code → label, from lines ``code,label``; the label may hold commas, both may stand in quotes. O(bytes).

    Codes are kept with the blanks in front of them: files of fixed width have ``" 1"`` where others have ``"1"``.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text_of(path, encoding).split("\n"), start=1):
        if not line.strip():
            continue
        code, comma, label = _split_code(line)
        if not comma or not code.strip():
            fix = "write a code, a comma and its label"
            raise TacitError("no code stands here", code="invalid_table", where=f"{Path(path)}:{number}", fix=fix)
        if code in found:
            fix = "give each code one line"
            raise TacitError(
                f"the code {code!r} stands here a second time",
                code="invalid_table",
                where=f"{Path(path)}:{number}",
                fix=fix,
            )
        found[code] = label.strip().strip('"')
    return found


def write_cdl(
    labels: Mapping[str, str], path: str | os.PathLike[str], *, replace: bool = False, keep: Iterable[Path] = ()
) -> None:
    """Write code → label, a line for each, codes in quotes; :func:`read_cdl` reads them back. O(codes)."""
    check_codes(labels, name="codes", refused='\n\r\0"')
    check_codes(labels.values(), name="labels", refused='\n\r\0"')
    with atomic_write(path, replace=replace, keep=keep) as file:
        file.write_text("".join(f'"{code}",{label}\n' for code, label in labels.items()), encoding="utf-8")


def _split_code(line: str) -> tuple[str, str, str]:
    """The code, the comma and the rest; a code in quotes may hold commas."""
    if line.lstrip().startswith('"'):
        code, _, rest = line.lstrip()[1:].partition('"')
        return code, *rest.lstrip().partition(",")[1:]
    return line.partition(",")
