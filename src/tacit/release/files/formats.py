"""The file formats that are read and written: one table, by suffix.

A new format is one entry of :data:`FORMATS`. One of another distribution is a :class:`Format` and a line in its
``pyproject.toml``::

    [project.entry-points."tacit.formats"]
    fixed_width = "office.files:FIXED_WIDTH"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ...errors import TacitError, nearest_name
from ...lazy import load_target
from ...registry import distribution_name, find_plugins, load_plugin
from .typing import ISO

if TYPE_CHECKING:
    import polars as pl

    from .engine_choice import Engine
    from .table import FileTable

EXTRA = "pip install 'tacit[files]', in a clone pip install -e '.[files]'"
"""What installs the libraries for Excel, Stata, SPSS and SAS."""

GROUP = "tacit.formats"
"""The entry points by which other distributions add formats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How the file is written; a separator of None is found in the header."""

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str | None = None
    dates: str = ISO
    missing_values: tuple[str, ...] = ()
    as_written: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How a file is to be read; a format takes what concerns it."""

    engine: Engine
    dialect: Dialect
    sheet: str | None = None
    columns: Sequence[str] | None = None
    lazy: bool = False

    @property
    def missing_values(self) -> tuple[str, ...]:
        """The texts that mean missing, beside '' and NaN."""
        return self.dialect.missing_values


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """What is known of the columns; a format keeps what it has a place for."""

    labels: Mapping[str, str] = field(default_factory=dict)
    value_labels: Mapping[str, Mapping[object, str]] = field(default_factory=dict)


Reader: TypeAlias = Callable[[Path, ReadOptions], "FileTable | pl.DataFrame"]
Writer: TypeAlias = Callable[[Any, Path, WriteOptions], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format: what it is called, how its files end, and what reads and writes it.

    ``load`` and ``save`` are functions, or ``"module:function"``, imported when the first file needs it. A reader gives
    a table with the names of its columns checked, or a Polars frame. A format without ``save`` is only read.

    ``values`` says what its files hold. ``"any"``: every type of column. ``"plain"``: no lists, records, bytes or
    durations. ``"doubles"``: of numbers only doubles, so that whole numbers above 2^53 are refused. Only a format that
    ``streams`` gets DuckDB relations, others a Polars frame. ``options`` are those of ``load`` that it has a use for
    among ``separator`` and ``sheet``; ``gzip`` says that it also reads its suffixes with ``.gz`` behind.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    load: str | Reader
    save: str | Writer | None = None
    values: Literal["any", "plain", "doubles"] = "plain"
    streams: bool = False
    options: tuple[Literal["separator", "sheet"], ...] = ()
    gzip: bool = False

    @property
    def written(self) -> bool:
        """Whether it can be written."""
        return self.save is not None

    @property
    def reader(self) -> Reader:
        """The function that reads a file."""
        found: Reader = load_target(self.load) if isinstance(self.load, str) else self.load
        return found

    @property
    def writer(self) -> Writer:
        """The function that writes a file."""
        assert self.save is not None
        found: Writer = load_target(self.save) if isinstance(self.save, str) else self.save
        return found


HERE = __name__.rpartition(".")[0]

_BUILT_IN = (
    Format(
        name="csv",
        title="CSV",
        suffixes=(".csv", ".tsv", ".txt"),
        load=f"{HERE}.delimited:load_csv",
        save=f"{HERE}.delimited:save_csv",
        streams=True,
        options=("separator",),
        gzip=True,
    ),
    Format(
        name="parquet",
        title="Parquet",
        suffixes=(".parquet", ".pq"),
        load=f"{HERE}.columnar:load_parquet",
        save=f"{HERE}.columnar:save_parquet",
        values="any",
        streams=True,
    ),
    Format(
        name="arrow",
        title="Arrow",
        suffixes=(".arrow", ".feather", ".ipc"),
        load=f"{HERE}.columnar:load_arrow",
        save=f"{HERE}.columnar:save_arrow",
        values="any",
        streams=True,
    ),
    Format(
        name="xlsx",
        title="Excel",
        suffixes=(".xlsx",),
        load=f"{HERE}.excel:load_excel",
        save=f"{HERE}.excel:save_excel",
        values="doubles",
        options=("sheet",),
    ),
    Format(
        name="dta",
        title="Stata",
        suffixes=(".dta",),
        load=f"{HERE}.statistical:load_stata",
        save=f"{HERE}.statistical:save_stata",
        values="doubles",
    ),
    Format(
        name="sav",
        title="SPSS",
        suffixes=(".sav",),
        load=f"{HERE}.statistical:load_spss",
        save=f"{HERE}.statistical:save_spss",
        values="doubles",
    ),
    Format(name="sas7bdat", title="SAS", suffixes=(".sas7bdat",), load=f"{HERE}.statistical:load_sas"),
)


class Formats(Mapping[str, Format]):
    """Name → format, in the order in which messages list them: ours, then those of other distributions."""

    @cached_property
    def _known(self) -> dict[str, Format]:
        known = {form.name: form for form in _BUILT_IN}
        suffixes = {suffix: form.name for form in _BUILT_IN for suffix in form.suffixes}
        for name, point in find_plugins(GROUP, taken=known).items():
            form = load_plugin(point)
            owner = distribution_name(point)
            if not isinstance(form, Format):
                raise TacitError(
                    f"{name!r} of {owner!r} is no Format", code="plugin_unusable", fix=f"repair or uninstall {owner}"
                )
            taken = next((suffix for suffix in form.suffixes if suffix in suffixes), None)
            if taken is not None:
                what = f"{name!r} of {owner!r} claims the suffix {taken!r}, which {suffixes[taken]!r} has"
                raise TacitError(what, code="plugin_name_taken", fix=f"repair or uninstall {owner}")
            known[name] = form
            suffixes |= dict.fromkeys(form.suffixes, name)
        return known

    def __getitem__(self, name: str) -> Format:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


FORMATS = Formats()
"""Name → format, in the order in which messages list them."""


def format_of(path: Path) -> Format:
    """The format that the suffix names; ``.csv.gz`` and the like are compressed CSV.

    >>> format_of(Path("patients.CSV")).name, format_of(Path("patients.tsv.gz")).name
    ('csv', 'csv')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    suffix = suffixes[-1] if suffixes else ""
    by_suffix = {known: form for form in FORMATS.values() for known in form.suffixes}
    packed = by_suffix.get(suffixes[0]) if suffix == ".gz" else None
    if packed is not None and packed.gzip:
        return packed
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
    kind = f"compressed {form.title}" if form.written else form.title
    choices = _list_suffixes(known for known in FORMATS.values() if known.written)
    raise TacitError(
        f"{kind} can be read but not written",
        code="format_not_written",
        where=str(path),
        fix=f"choose one of {choices}",
    )


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
