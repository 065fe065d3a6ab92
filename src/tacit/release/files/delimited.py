"""CSV files: grammar and types are decided by us, then Polars or DuckDB reads."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import weakref
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TypeAlias, cast

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from ...errors import TacitError, check_columns
from ...sql_text import text_literal
from ..scratch import make_private_file, make_scratch_folder, remove_private_folder
from .connection import open_connection, scanned_path
from .engine_choice import choose_engine
from .formats import ReadOptions, WriteOptions
from .header import check_names
from .table import FileTable
from .typing import TypeRule

if TYPE_CHECKING:
    import duckdb


BLOCK = 1 << 20


LF, CR, QUOTE = 10, 13, 34


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


Letters: TypeAlias = npt.NDArray[np.uint8]


Places: TypeAlias = npt.NDArray[np.intp]


NOWHERE = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What the check found: rows below the header, bytes of text, and what the engines have to be told."""

    rows: int
    size: int
    longest_row: int
    quoted_line_ends: bool
    mixed_line_ends: bool


def structure_of(text: BinaryIO, separator: str, columns: int) -> Structure:
    """Check a UTF-8 text of so many columns, and count its rows."""
    ordinary = bytes(set(range(256)) - {ord(separator), QUOTE, LF, CR})
    scan = _Scan(separator=ord(separator), columns=columns, ordinary=ordinary)
    for block in _read_blocks(text):
        scan.check_block(block)
    return scan.finish()


def _read_blocks(text: BinaryIO) -> Iterator[bytes]:
    """Blocks that end with a line end (but the last), so that none cuts a letter or a pair of quotes."""
    rest = text.read(BLOCK).removeprefix(BYTE_ORDER_MARK)
    while more := text.read(BLOCK):
        cut = more.rfind(b"\n") + 1
        if cut:
            yield rest + more[:cut]
            rest = more[cut:]
        else:
            rest += more
    if rest:
        yield rest


@dataclass(slots=True, kw_only=True)
class _Scan:
    """The state between blocks."""

    separator: int
    columns: int
    ordinary: bytes
    """The letters without a meaning in the grammar."""
    records: int = 0
    size: int = 0
    longest: int = 0
    lines: int = 0
    """Line ends in the blocks before this one."""
    inside: bool = False
    """Whether the block before ended inside quotes; the row that is open then has so many bytes and separators."""
    open_bytes: int = 0
    open_separators: int = 0
    open_line: int = 1
    quote_line: int = 0
    blank_line: int = 0
    carriage_ends: int = 0
    line_ends: int = 0
    quoted_line_ends: bool = False
    block: bytes = b""
    line_places: Places = field(default_factory=lambda: NOWHERE)

    def check_block(self, block: bytes) -> None:
        """Check one block."""
        ended = block.endswith(b"\n")
        self.block = block if ended else block + b"\n"
        letters = np.frombuffer(self.block, dtype=np.uint8)
        self.line_places = lines = np.flatnonzero(letters == LF)
        self._check_letters()
        signs = np.frombuffer(self.block.translate(None, self.ordinary), dtype=np.uint8)
        quotes = np.flatnonzero(letters == QUOTE) if b'"' in block else NOWHERE
        if b"\r" in block:
            self._check_returns(letters, quotes, ended)
        ends = lines
        if self.inside or len(quotes):
            self._check_quotes(letters, quotes)
            depth = (np.cumsum(signs == QUOTE, dtype=np.uint8) + self.inside) & 1
            ends = lines[depth[signs == LF] == 0]
            signs = signs[(depth == 0) & (signs != QUOTE)]
            self.quoted_line_ends |= len(ends) < len(lines)
            self.inside ^= len(quotes) % 2 == 1
        if b"\r" in block:
            self.carriage_ends += int((signs == CR).sum())
            signs = signs[signs != CR]
        self._take_rows(letters, signs, ends)
        self.line_ends += len(ends) - (not ended)
        self.size += len(block)
        self.lines += len(lines)

    def finish(self) -> Structure:
        """The result, or the error that only the end shows."""
        if self.inside:
            self._raise_at_line(
                self.quote_line, "a quote is opened and never closed", "close it, and double quotes in cells"
            )
        return Structure(
            rows=self.records - 1,
            size=self.size,
            longest_row=self.longest,
            quoted_line_ends=self.quoted_line_ends,
            mixed_line_ends=0 < self.carriage_ends < self.line_ends,
        )

    def _check_letters(self) -> None:
        zero = self.block.find(b"\0")
        if zero >= 0:
            fix = "export the table as CSV in UTF-8; if this is UTF-16 text, say encoding='utf-16'"
            self._raise_at_line(
                self._line_number(zero), "a NUL byte stands there, so this is no text file", fix, code="not_text"
            )
        if self.block.isascii():
            return
        try:
            self.block.decode("utf-8")
        except UnicodeDecodeError as problem:
            wrong = problem.start
        else:
            return
        self._raise_at_line(
            self._line_number(wrong),
            "the text is not UTF-8",
            "say its encoding, e.g. encoding='windows-1252' (--encoding windows-1252)",
            code="wrong_encoding",
        )

    def _check_quotes(self, letters: Letters, quotes: Places) -> None:
        """Quotes open and close in turn: look at the neighbours outside."""
        opening, closing = (quotes[1::2], quotes[::2]) if self.inside else (quotes[::2], quotes[1::2])
        before, after = letters[opening - 1], letters[closing + 1]
        well_opened = (opening == 0) | (before == self.separator) | (before == LF) | (before == QUOTE)
        well_closed = (after == self.separator) | (after == LF) | (after == QUOTE) | (after == CR)
        wrong = np.concatenate([opening[~well_opened], closing[~well_closed]])
        if len(wrong):
            fix = "put the whole cell in quotes, without blanks around them, and double the quotes in it"
            self._raise_at_line(self._line_number(int(wrong.min())), "a quote stands inside a cell", fix)
        if len(opening):
            self.quote_line = self._line_number(int(opening[-1]))

    def _check_returns(self, letters: Letters, quotes: Places, ended: bool) -> None:
        """Outside quotes a carriage return belongs to a line end."""
        last = len(letters) - 1
        returns = np.flatnonzero(letters == CR)
        bare = returns[(letters[returns + 1] != LF) | ((returns + 1 == last) & (not ended))]
        bare = bare[(np.searchsorted(quotes, bare) + self.inside) % 2 == 0]
        if len(bare):
            fix = "save the file with line ends LF or CRLF (in Excel: CSV UTF-8, not CSV Macintosh)"
            self._raise_at_line(self._line_number(int(bare[0])), "a carriage return stands without a line feed", fix)

    def _take_rows(self, letters: Letters, signs: Letters, ends: Places) -> None:
        """Count the rows that end in this block and compare their cells with the header."""
        if len(ends) == 0:
            self.open_separators += len(signs)
            self.open_bytes += len(letters)
            return
        turns = np.flatnonzero(signs == LF)
        separators = np.diff(turns, prepend=-1) - 1
        separators[0] += self.open_separators
        sizes = np.diff(ends, prepend=-1)
        sizes[0] += self.open_bytes
        self.records += len(ends)
        if self.blank_line or (separators != self.columns - 1).any():
            self.records -= self._check_wrong(letters, ends - sizes + 1, separators, sizes)
        self.longest = max(self.longest, int(sizes.max()))
        last = int(ends[-1])
        self.open_separators, self.open_bytes = len(signs) - 1 - int(turns[-1]), len(letters) - 1 - last
        self.open_line = self._line_number(last + 1)

    def _check_wrong(self, letters: Letters, starts: Places, separators: Places, sizes: Places) -> int:
        """How many rows are blank lines at the end of the file; any other row of the wrong length is an error."""
        wrong = separators != self.columns - 1
        blank = wrong & ((sizes == 1) | ((sizes == 2) & (letters[np.maximum(starts, 0)] == CR)))
        ragged = np.flatnonzero(wrong & ~blank)
        if len(ragged):
            row = int(ragged[0])
            line = self._line_number(int(starts[row])) if starts[row] >= 0 else self.open_line
            cells = int(separators[row]) + 1
            what = f"the row has {cells} cell{'s' if cells > 1 else ''} where the header has {self.columns}"
            self._raise_at_line(line, what, "complete the row, and put cells that hold the separator in quotes")
        if blank.any() and not self.blank_line:
            first = int(np.argmax(blank))
            self.blank_line, blank_rest = self._line_number(int(starts[first])), blank[first:]
        else:
            blank_rest = blank
        if self.blank_line and not blank_rest.all():
            self._raise_at_line(self.blank_line, "a blank line stands between the rows", "delete it")
        return int(blank.sum())

    def _line_number(self, place: int) -> int:
        return self.lines + int(np.searchsorted(self.line_places, place)) + 1

    def _raise_at_line(self, line: int, what: str, fix: str, *, code: str = "malformed_file") -> NoReturn:
        raise TacitError(f"line {line}: {what}", code=code, fix=fix, fields={"line": line})


TEXT_GROWTH = 3


"""Text cells, their typed columns and the work between them, in bytes per byte of the file."""


CANDIDATES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}


HEAD = 1 << 20


BATCH_ROWS = 1 << 14


TIMESTAMP = "%Y-%m-%dT%H:%M:%S.%f"


FIRST_ROW = re.compile(rb'(?:[^"\r\n]|"[^"]*(?:"|\Z))*')


WIDE_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def load_csv(path: Path, options: ReadOptions) -> FileTable:
    """Read a CSV file; a pass for the grammar, one or two for the types, one for the values.

    In Polars O(bytes) memory; in DuckDB nothing is kept, and the frame is a scan of the file.
    """
    dialect = options.dialect
    rule = TypeRule(
        missing_values=dialect.missing_values,
        decimal=dialect.decimal,
        thousands=dialect.thousands,
        dates=dialect.dates,
        as_written=dialect.as_written,
    )
    with ExitStack() as stack:
        folder = make_scratch_folder()
        stack.callback(remove_private_folder, folder)
        text = check_csv_text(transcode_to_utf8(path, dialect.encoding, folder), dialect.separator, dialect.decimal)
        wanted = list(text.names if options.columns is None else check_columns(options.columns, text.names))
        if choose_engine(options.engine, TEXT_GROWTH * text.structure.size) == "polars":
            return FileTable(frame=_in_polars(text, wanted, rule), source="csv")
        connection = open_connection()
        # A copy in UTF-8 is scanned as long as the connection lives.
        weakref.finalize(connection, stack.pop_all().close)
        frame = _in_duckdb(text, wanted, rule, connection)
        return FileTable(frame=frame, source="csv", connection=connection, copied=text.path != path)


def save_csv(frame: pl.DataFrame | duckdb.DuckDBPyRelation, path: Path, _: WriteOptions) -> None:
    """Write UTF-8 with a header, with tabs for ``.tsv``; a DuckDB frame in batches."""
    if isinstance(frame, pl.DataFrame):
        _write_parts([frame], path)
        return
    # Not by COPY: in DuckDB 2.0 it waits for ever when the query fails after the first rows.
    reader = frame.to_arrow_reader(BATCH_ROWS)
    empty = pl.DataFrame(reader.schema.empty_table())
    _write_parts(chain([empty], (pl.DataFrame(batch) for batch in reader)), path)


def _write_parts(parts: Iterable[pl.DataFrame], path: Path) -> None:
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    with path.open("wb") as file:
        for place, part in enumerate(parts):
            part.write_csv(file, include_header=place == 0, separator=separator, datetime_format=TIMESTAMP)


def _in_polars(text: CsvText, columns: list[str], rule: TypeRule) -> pl.DataFrame:
    scan = pl.scan_csv(
        text.path,
        separator=text.separator,
        infer_schema=False,
        new_columns=list(text.names),  # Polars leaves the doubled quotes in a name
        glob=False,
    )
    # Blank lines at the end are rows to Polars.
    strings = scan.head(text.structure.rows).select(columns).collect()
    assert strings.height == text.structure.rows, "Polars found other rows than the check of the grammar"
    lazy = nw.from_native(strings.lazy())
    frame: pl.DataFrame = rule.cast_columns(lazy, rule.kinds(lazy, columns)).collect(backend="polars").to_native()
    return frame


def _in_duckdb(
    text: CsvText, columns: list[str], rule: TypeRule, connection: duckdb.DuckDBPyConnection
) -> duckdb.DuckDBPyRelation:
    strings = nw.from_native(connection.sql(f"SELECT * FROM {_scan_call(text)}"))
    rows = strings.select(nw.len()).collect(backend="polars").item()
    assert rows == text.structure.rows, "DuckDB found other rows than the check of the grammar"
    relation: duckdb.DuckDBPyRelation = rule.cast_columns(strings, rule.kinds(strings, columns)).to_native()
    return relation


def _scan_call(text: CsvText) -> str:
    """The call that scans the file as text.

    DuckDB's parallel reader can lose its place among line ends in quotes (seen with 2.0), and its strict mode refuses
    files that mix LF and CRLF: both are switched off only where they matter.
    """
    types = ", ".join(f"{text_literal(name)}: 'VARCHAR'" for name in text.names)
    plain = not (text.structure.quoted_line_ends or text.structure.mixed_line_ends)
    options = {
        "auto_detect": "false",
        "header": "true",
        "delim": text_literal(text.separator),
        "quote": "'\"'",
        "escape": "'\"'",
        "columns": f"{{{types}}}",
        "compression": "'gzip'" if text.is_compressed else "'none'",
        "max_line_size": str(max(1 << 21, 2 * text.structure.longest_row)),
        "parallel": str(plain).lower(),
        "strict_mode": str(not text.structure.mixed_line_ends).lower(),
    }
    return f"read_csv({scanned_path(text.path)}, {', '.join(f'{name}={value}' for name, value in options.items())})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvText:
    """A UTF-8 text that obeys the grammar: where it lies, its separator, its columns and its structure."""

    path: Path
    separator: str
    names: tuple[str, ...]
    structure: Structure

    @property
    def is_compressed(self) -> bool:
        """Whether the file is gzipped."""
        return _is_gzipped(self.path)


def check_csv_text(path: Path, separator: str | None, decimal: str) -> CsvText:
    """Check a UTF-8 text from its first to its last byte; O(bytes) time, constant memory."""
    with _open_binary(path) as file:
        head = file.read(HEAD)
    header = _read_header(head)
    found = _detect_separator(header, decimal) if separator is None else _check_separator(separator, header, decimal)
    names = _parse_names(header, found)
    with _open_binary(path) as file:
        return CsvText(path=path, separator=found, names=names, structure=structure_of(file, found, len(names)))


def transcode_to_utf8(path: Path, encoding: str, folder: Path) -> Path:
    """The file as UTF-8: itself when it is so already, else a copy in ``folder``."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # refuses codecs that are not for text, such as hex
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        fix = "use a name that Python knows, e.g. 'utf-8', 'windows-1252', 'iso-8859-15' or 'utf-16'"
        raise TacitError(
            f"encoding={encoding!r} is not known", code="unknown_name", parameter="encoding", fix=fix
        ) from None
    if codec.name in ("utf-8", "utf-8-sig", "ascii"):
        return path
    decoder, line = codec.incrementaldecoder(), 1
    copy = make_private_file(folder / "text.csv")
    with _open_binary(path) as file, copy.open("wb") as out:
        block = b" "
        while block:
            block = file.read(HEAD)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeError:
                fix = "say the encoding of the program that wrote the file, e.g. encoding='utf-8'"
                raise TacitError(
                    f"after line {line}: the text is not {encoding}", code="wrong_encoding", fix=fix
                ) from None
            line += text.count("\n")
            out.write(text.encode("utf-8"))
    return copy


def _is_gzipped(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


@contextmanager
def _open_binary(path: Path) -> Iterator[BinaryIO]:
    try:
        with gzip.open(path, "rb") if _is_gzipped(path) else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise TacitError(
            "the compressed file is damaged", code="malformed_file", fix="compress it again with gzip, or unpack it"
        ) from None


def _read_header(head: bytes) -> str:
    """The first row, as text: up to the first line end outside quotes."""
    mark = next((name for mark, name in WIDE_MARKS.items() if head.startswith(mark)), None)
    if mark:
        raise TacitError(
            f"the text is not UTF-8: it begins as {mark} does", code="wrong_encoding", fix=f"say encoding={mark!r}"
        )
    head = head.removeprefix(BYTE_ORDER_MARK)
    match = FIRST_ROW.match(head)
    row = match.group() if match else b""
    if b"\0" in row:
        fix = "export the table as CSV; if this is UTF-16 text, say encoding='utf-16'"
        raise TacitError("line 1: a NUL byte stands there, so this is no text file", code="not_text", fix=fix)
    if row.count(b'"') % 2 or len(row) >= HEAD - len(BYTE_ORDER_MARK):
        raise TacitError(
            "line 1: the header does not end",
            code="malformed_file",
            fix="close its quotes; it may have a megabyte at most",
        )
    if not row.strip():
        raise TacitError(
            "the first line is blank", code="malformed_file", fix="begin the file with the names of its columns"
        )
    try:
        return row.decode("utf-8")
    except UnicodeDecodeError:
        what = "line 1: the text is not UTF-8"
        raise TacitError(
            what, code="wrong_encoding", fix="say its encoding, e.g. encoding='windows-1252' (--encoding windows-1252)"
        ) from None


def _parse_names(header: str, separator: str) -> tuple[str, ...]:
    try:
        found = tuple(next(csv.reader([header], delimiter=separator)))
    except csv.Error:
        raise TacitError(
            "line 1: a column name is too long", code="invalid_data", fix="begin the file with the names of its columns"
        ) from None
    check_names(found)
    return found


def _count_separators(header: str) -> dict[str, int]:
    bare = re.sub('"[^"]*"', "", header)
    return {sign: bare.count(sign) for sign in CANDIDATES if sign in bare}


def _detect_separator(header: str, decimal: str) -> str:
    """The candidate that the header holds most often; a comma when it has one column."""
    counts = {sign: count for sign, count in _count_separators(header).items() if sign != decimal}
    best = [sign for sign, count in counts.items() if count == max(counts.values())]
    if len(best) > 1:
        listed = " and ".join(CANDIDATES[sign] for sign in best)
        raise TacitError(
            f"the header may be separated by {listed}",
            code="malformed_file",
            fix=f"say which, e.g. separator={best[0]!r}",
        )
    return best[0] if best else ";" if decimal == "," else ","


def _check_separator(separator: str, header: str, decimal: str) -> str:
    """The separator that the user named, refused when the header shows that it is another."""
    if len(separator) != 1 or separator in '"\r\n\0' or not separator.isascii():
        raise TacitError(
            f"separator={separator!r} cannot separate cells",
            code="invalid_parameter",
            parameter="separator",
            fix="give one sign, e.g. separator=';'",
        )
    if separator == decimal:
        raise TacitError(
            f"{separator!r} cannot be both separator and decimal sign",
            code="conflicting_parameters",
            fix="change separator= or decimal=",
        )
    counts = {sign: count for sign, count in _count_separators(header).items() if sign != separator}
    if separator not in re.sub('"[^"]*"', "", header) and counts:
        other = max(counts, key=lambda sign: counts[sign])
        what = f"the header has one column when separated by {separator!r}, but it holds {CANDIDATES[other]}"
        raise TacitError(what, code="wrong_kind", fix=f"say separator={other!r}, or leave it out")
    return separator
