"""What a local recoding must keep, checked by other means than the package's own."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date

import polars as pl
from hypothesis import strategies as st

from tacit import Masked, Release

TOWNS = {
    "Lund": ["Skåne", "south"],
    "Malmö": ["Skåne", "south"],
    "Växjö": ["Småland", "south"],
    "Umeå": ["Norrland", "north"],
    "Luleå": ["Norrland", "north"],
}
REGION = {town: set(labels) for town, labels in TOWNS.items()}


def covers(label: str | None, value: object) -> bool:
    """Whether a label may stand for a value: read by hand, without the package."""
    if label is None:
        return True
    text = str(value)
    if label in (text, "*") or label in REGION.get(text, ()):
        return True
    if label.startswith("{"):
        return text in label[1:-1].split(", ")
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return (
            type(value)(float(low)) <= value <= type(value)(float(high))
            if not isinstance(value, date)
            else low <= text <= high
        )
    return False


def classes(release: Release) -> dict[tuple[object, ...], list[int]]:
    found = defaultdict(list)
    for row, keys in enumerate(release.to_native().select(release.quasi).rows()):
        found[keys].append(row)
    return found


def kept(masked: Masked, original: Release) -> None:
    """Every label covers the value it was made from, missing stays missing, nothing else is touched."""
    assert masked.lineage is None
    before, after = original.to_native(), masked.release.to_native()
    for column in original.columns:
        if column in original.quasi:
            for value, label in zip(before[column], after[column], strict=True):
                assert (label is None) if value is None else covers(None if label is None else str(label), value)
        else:
            assert before[column].equals(after[column])


def fewest(release: Release) -> int:
    return min(len(rows) for rows in classes(release).values())


def fewest_values(release: Release, column: str) -> int:
    values = release.to_native()[column].to_list()
    return min(len(Counter(values[row] for row in rows)) for rows in classes(release).values())


@st.composite
def tables(draw: st.DrawFn, *, missing: bool = True) -> Release:
    size = draw(st.integers(6, 30))

    def column(values: st.SearchStrategy[object]) -> list[object]:
        cell = st.one_of(values, values, values, values, st.none()) if missing else values
        return draw(st.lists(cell, min_size=size, max_size=size))

    frame = pl.DataFrame(
        {
            "age": column(st.integers(17, 40)),
            "town": column(st.sampled_from(sorted(TOWNS))),
            "born": column(st.dates(date(1960, 1, 1), date(1960, 1, 20))),
            "sex": column(st.sampled_from("fmx")),
            "ill": draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size)),
        },
        schema={"age": pl.Int64, "town": pl.String, "born": pl.Date, "sex": pl.String, "ill": pl.String},
    )
    return Release(
        frame,
        quasi=["age", "town", "born", "sex"],
        confidential="ill",
        kinds={"age": "continuous"},
        hierarchies={"town": {"table": TOWNS}},
        missing=draw(st.sampled_from(["own", "any"])),
    )
