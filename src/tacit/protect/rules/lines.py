"""Transactions as lines of text: the ``.basket`` files of Orange, the ``.dat`` files of SPMF and FIMI."""

from __future__ import annotations

from pathlib import Path

from ...errors import TacitError
from .baskets import Baskets

__all__ = ["SUFFIXES", "read_lines", "written_lines"]

SUFFIXES = {".basket": ",", ".dat": " ", ".spmf": " "}
"""How a file ends → what stands between its items."""
NAMES = "@ITEM="


def read_lines(file: Path) -> Baskets:
    """The transactions of a file, a line each; the names that ``@ITEM=number=name`` gives, items that ``?`` marks."""
    sign = SUFFIXES[file.suffix.lower()]
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise TacitError("the text is not UTF-8", where=str(file), fix="save it as UTF-8") from None
    called = dict(line.removeprefix(NAMES).partition("=")[::2] for line in lines if line.startswith(NAMES))
    rows = [
        [name for part in line.split(sign if sign == "," else None) if (name := part.strip())]
        for line in lines
        if sign == "," or not line.startswith(("@", "#", "%"))
    ]
    named = [
        [("?" if name.startswith("?") else "") + called.get(name.strip("?"), name.lstrip("?")) for name in row]
        for row in rows
    ]
    sure = [[name for name in row if not name.startswith("?")] for row in named]
    maybe = [[name.removeprefix("?") for name in row if name.startswith("?")] for row in named]
    return Baskets.of(sure, unknown=maybe if any(maybe) else ())


def written_lines(baskets: Baskets, suffix: str) -> str:
    """The transactions as text; items with the sign between them in their names are numbered and named on top."""
    sign = SUFFIXES[suffix]
    if sign == ",":
        broken = next((item for item in baskets.items if "," in item), None)
        if broken is not None:
            raise TacitError("an item has a comma in its name", fix="write a .csv or .dat file")
        return "".join(", ".join(row) + "\n" for row in baskets.lists())
    number = {item: str(place + 1) for place, item in enumerate(baskets.items)}
    top = [f"{NAMES}{place}={item}\n" for item, place in number.items()]
    lines = (
        " ".join(("?" if name.startswith("?") else "") + number[name.removeprefix("?")] for name in row) + "\n"
        for row in baskets.lists()
    )
    return "".join(["@CONVERTED_FROM_TEXT\n", *top, *lines])
