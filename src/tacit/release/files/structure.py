"""The grammar of CSV, checked before any engine reads, because engines mend what is wrong each in its own way.

Rows end in LF or CRLF; every row has as many cells as the header; a cell that holds a separator, a quote or a line
end stands in quotes, and quotes in it are doubled (RFC 4180). Blank lines may stand at the end; in a file of one
column a blank line is a missing value. Within this grammar Polars and DuckDB read the same cells.

Time O(bytes), less than a parse; memory one block. Errors give the line, never a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import TacitError

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
