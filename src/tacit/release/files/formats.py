"""The file formats that are read and written, each known by its suffix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import TacitError, nearest_name

EXTRA = "pip install 'tacit[files]', in a clone pip install -e '.[files]'"
"""What installs the libraries for Excel, Stata, SPSS and SAS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format: what it is called, how its files end, and whether it can be written."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    written: bool = True


FORMATS: Mapping[str, Format] = {
    known.name: known
    for known in (
        Format(name="csv", title="CSV", suffixes=(".csv", ".tsv", ".txt")),
        Format(name="parquet", title="Parquet", suffixes=(".parquet", ".pq")),
        Format(name="arrow", title="Arrow", suffixes=(".arrow", ".feather", ".ipc")),
        Format(name="xlsx", title="Excel", suffixes=(".xlsx",)),
        Format(name="dta", title="Stata", suffixes=(".dta",)),
        Format(name="sav", title="SPSS", suffixes=(".sav",)),
        Format(name="sas7bdat", title="SAS", suffixes=(".sas7bdat",), written=False),
    )
}
"""Name → format, in the order in which messages list them."""


def format_of(path: Path) -> Format:
    """The format that the suffix names; ``.csv.gz`` and the like are compressed CSV.

    >>> format_of(Path("patients.CSV")).name, format_of(Path("patients.tsv.gz")).name
    ('csv', 'csv')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".gz" and suffixes[0] in FORMATS["csv"].suffixes:
        return FORMATS["csv"]
    by_suffix = {known: form for form in FORMATS.values() for known in form.suffixes}
    if suffix in by_suffix:
        return by_suffix[suffix]
    near = nearest_name(suffix, by_suffix) if suffix else None
    what = f"the suffix {suffix!r} names no known format" if suffix else "the name has no suffix that tells its format"
    hint = f"did you mean {near!r}? " if near else ""
    raise TacitError(
        what, code="unknown_format", where=str(path), fix=f"{hint}use one of {_list_suffixes(FORMATS.values())}"
    )


def writable_format(path: Path) -> Format:
    """The format to write to ``path``, or an error that lists those that can be written."""
    form = format_of(path)
    if form.written and path.suffix.lower() != ".gz":
        return form
    kind = "compressed CSV" if form.written else form.title
    choices = _list_suffixes(known for known in FORMATS.values() if known.written)
    raise TacitError(f"{kind} can be read but not written", where=str(path), fix=f"choose one of {choices}")


def writable_name(name: str) -> str:
    """The name under which a file of that name can be written: compressed CSV unpacked, SAS as CSV.

    >>> writable_name("a.parquet"), writable_name("a.csv.gz"), writable_name("a.sas7bdat")
    ('a.parquet', 'a.csv', 'a.csv')
    """
    form = format_of(Path(name))
    if form.written:
        return name[:-3] if name.lower().endswith(".gz") else name
    return str(Path(name).with_suffix(".csv"))


def _list_suffixes(formats: Iterable[Format]) -> str:
    return ", ".join(f"{suffix} ({form.title})" for form in formats for suffix in form.suffixes)
