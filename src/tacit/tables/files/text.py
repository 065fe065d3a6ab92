"""The text of a table file: its lines and rows as they stand, codes untouched, figures read by one rule."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path

from ...errors import TacitError
from ...files import check_source_path

SEPARATORS = (";", "\t", "|", ",")
GROUPS = re.compile("(?<=\\d)[ \\u00a0\\u2009\\u202f](?=\\d{3})")
"""A blank between groups of three digits: plain, unbroken, thin or both."""
TOKEN = re.compile(r'\s*(?:"([^"]*)"|(<[^<>]*>)|([^\s"<]+))')


def text_of(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """All of a text file; a byte order mark is dropped, line ends are made one. O(bytes) time and memory."""
    file = check_source_path(path)
    try:
        text = file.read_bytes().decode(encoding)
    except LookupError:
        fix = "use a name that Python knows, e.g. 'utf-8' or 'windows-1252'"
        raise TacitError(
            f"encoding={encoding!r} is not known", code="unknown_name", parameter="encoding", where=str(file), fix=fix
        ) from None
    except UnicodeDecodeError as problem:
        line = file.read_bytes()[: problem.start].count(b"\n") + 1
        what = f"line {line}: the text is not {encoding}"
        fix = "say the encoding of the program that wrote it, e.g. encoding='windows-1252'"
        raise TacitError(what, code="wrong_encoding", where=str(file), fix=fix) from None
    if "\0" in text:
        raise TacitError(
            "a NUL stands in the text",
            code="malformed_file",
            where=str(file),
            fix="export it as text, or say encoding='utf-16'",
        )
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def separator_of(text: str, decimal: str = ".") -> str:
    """The sign that separates the first line that has any; a comma that writes decimals does not count.

    >>> separator_of("region;1,5;2,5", decimal=","), separator_of("region,sex")
    (';', ',')
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    bare = re.sub('"[^"]*"', "", first)
    counts = {sign: bare.count(sign) for sign in SEPARATORS if sign != decimal}
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] else (";" if decimal == "," else ",")


def rows_of(text: str, *, separator: str, path: Path) -> list[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its line; quotes are taken off, blanks inside are kept."""
    if len(separator) != 1 or separator in '"\n':
        raise TacitError(
            f"separator={separator!r} cannot separate cells",
            code="invalid_parameter",
            parameter="separator",
            fix="give one sign, e.g. separator=';'",
        )
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    found: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for row in reader:
            if any("\n" in cell for cell in row):
                raise TacitError(
                    "a line ends inside quotes",
                    code="malformed_file",
                    where=f"{path}:{start}",
                    fix="close the quotes on the line they open",
                )
            if any(cell.strip() for cell in row):
                found.append((start, row))
            start = reader.line_num + 1
    except csv.Error:
        raise TacitError(
            "the quotes do not match",
            code="malformed_file",
            where=f"{path}:{start}",
            fix='double a quote inside quotes: ""',
        ) from None
    return found


def parse_figure(text: str, decimal: str = ".") -> float | None:
    """The number that a text writes, None when it writes none.

    >>> parse_figure("1 234,50", ","), parse_figure("0012"), parse_figure("x"), parse_figure("1,5")
    (1234.5, 12.0, None, None)
    """
    bare = GROUPS.sub("", text.strip())
    if decimal != ".":
        if "." in bare:
            return None
        bare = bare.replace(decimal, ".")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", bare):
        return None
    value = float(bare)
    return value if math.isfinite(value) else None


def split_tokens(line: str) -> list[tuple[str, bool]]:
    """The words of a line of a τ-ARGUS file: ``<KEYWORDS>``, texts in quotes, anything else; True for those in quotes.

    >>> split_tokens('Region "99" <TOTCODE> Total')
    [('Region', False), ('99', True), ('<TOTCODE>', False), ('Total', False)]
    >>> split_tokens('"SIZE""REGION"')
    [('SIZE', True), ('REGION', True)]
    """
    found = []
    for match in TOKEN.finditer(line):
        quoted, keyword, word = match.groups()
        found.append((quoted, True) if quoted is not None else (keyword or word, False))
    return found


def check_codes(codes: Iterable[str], *, name: str, refused: str = "\n\r\0") -> None:
    """Refuse codes with signs that the format has no way to write."""
    for code in codes:
        sign = next((sign for sign in refused if sign in code), None)
        if sign is not None:
            what = f"the code {code!r} holds {sign!r}, which this format cannot write"
            raise TacitError(what, code="wrong_kind", column=name, fix="give the code without that sign")
