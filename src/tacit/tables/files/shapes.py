"""Long, pivot and SBS files: from rows of text to the texts of cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import TacitError, unknown_column
from .cells import CellTexts
from .grid import Rows
from .layout import Layout

__all__ = ["from_long", "from_pivot", "from_sbs"]


def from_long(
    rows: Rows, *, path: Path, by: Sequence[str], value: str, status: str | None, layout: Layout
) -> CellTexts:
    """A row per cell; without a header the columns are the dimensions, the value and, if named, the status."""
    extra = {
        "contributors": layout.contributors, "lower": layout.lower, "upper": layout.upper, "cost": layout.cost,
        **{f"top{number}": name for number, name in enumerate(layout.top, start=1)},
    }  # fmt: skip
    wanted = [*by, value, *([status] if status else []), *(name for name in extra.values() if name)]
    names = [cell.strip() for cell in rows[0][1]] if layout.header else wanted
    body = rows[1:] if layout.header else rows
    missing = next((name for name in wanted if name not in names), None)
    if missing is not None:
        raise unknown_column(missing, names).at(str(path))
    texts = _columns(body, names, path)
    return CellTexts(
        path=path,
        codes={name: texts[name] for name in by},
        value=texts[value],
        lines=[line for line, _ in body],
        value_name=value,
        status=texts[status] if status else None,
        columns={ours: texts[name] for ours, name in extra.items() if name},
    )


def from_pivot(rows: Rows, *, path: Path, by: Sequence[str], value: str, layout: Layout) -> CellTexts:
    """The codes of the last ``across`` dimensions stand in as many header lines, those of the others in front of each row."""
    across = layout.across
    front = len(by) - across
    if front < 0 or len(rows) <= across:
        what = f"{across} dimensions across do not fit {len(by)} dimensions and {len(rows)} lines"
        raise TacitError(what, where=str(path), fix="check by= and across=")
    heads, body = [row[front:] for _, row in rows[:across]], rows[across:]
    wide = len(heads[0])
    odd = next((line for line, row in rows if len(row) != front + wide), None)
    if odd is not None:
        raise TacitError("this line has more or fewer cells than the first", where=f"{path}:{odd}", fix="fill the rows")
    columns = list(zip(*heads, strict=True))
    codes: dict[str, list[str]] = {name: [] for name in by}
    for _, row in body:
        for place, name in enumerate(by[:front]):
            codes[name] += [row[place]] * wide
        for level, name in enumerate(by[front:]):
            codes[name] += [column[level] for column in columns]
    return CellTexts(
        path=path,
        codes=codes,
        value=[cell for _, row in body for cell in row[front:]],
        lines=[line for line, _ in body for _ in range(wide)],
        value_name=value,
    )


def from_sbs(rows: Rows, *, path: Path, by: Sequence[str], value: str) -> CellTexts:
    """SBS lines: codes (each followed by its level when levels are written), value, frequency, status, then shares in percent.

    The status tells where the codes end: with levels it is two fields per dimension later. Shares of the largest
    contributors stand on unsafe cells only and are not used.
    """
    dimensions = len(by)
    letters = {"V", "A", "B", "C", "D", "F", "-"}
    widths = [
        one
        for one in (dimensions, 2 * dimensions)
        if all(len(row) > one + 2 and row[one + 2].strip() in letters for _, row in rows)
    ]
    if not widths:
        line = next(
            (line for line, row in rows if len(row) < dimensions + 3 or row[dimensions + 2].strip() not in letters), 1
        )
        fix = f"a line has {dimensions} codes, a value, a frequency and one of V A B C D F -"
        raise TacitError("no status of SBS stands where it should", where=f"{path}:{line}", fix=fix)
    front = widths[0]
    step = front // dimensions
    return CellTexts(
        path=path,
        codes={name: [row[place * step] for _, row in rows] for place, name in enumerate(by)},
        value=[row[front] for _, row in rows],
        lines=[line for line, _ in rows],
        value_name=value,
        status=[row[front + 2] for _, row in rows],
        columns={"contributors": [row[front + 1] for _, row in rows]},
    )


def _columns(body: Rows, names: Sequence[str], path: Path) -> dict[str, list[str]]:
    doubled = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if doubled is not None:
        raise TacitError("stands twice in the header", column=doubled, where=str(path), fix="rename one of the two")
    odd = next((line for line, row in body if len(row) != len(names)), None)
    if odd is not None:
        what = f"the header has {len(names)} columns, this line has another number"
        raise TacitError(what, where=f"{path}:{odd}", fix="put texts that hold the separator in quotes")
    return {name: [row[place] for _, row in body] for place, name in enumerate(names)}
