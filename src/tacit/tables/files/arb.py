"""Batch files of τ-ARGUS (.arb): the commands, and the job that they describe."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ...errors import TacitError, suggest_alternative
from .text import parse_figure, split_tokens, text_of

KNOWN = (
    "OPENMICRODATA", "OPENTABLEDATA", "OPENMETADATA", "SPECIFYTABLE", "SAFETYRULE", "READMICRODATA", "READTABLE",
    "APRIORI", "APRIORY", "RECODE", "SUPPRESS", "WRITETABLE", "GOINTERACTIVE", "LOGBOOK", "CLEAR", "SOLVER", "SILENT",
    "VERSIONINFO", "ANCO", "COVER", "JJ", "REPORTSTR",
)  # fmt: skip
CALL = re.compile(r"\s*([A-Za-z]+)\s*\(([^()]*)\)\s*")
RULES = {
    "P": (1, 3),
    "NK": (2, 2),
    "FREQ": (2, 2),
    "ZERO": (1, 1),
    "REQ": (4, 4),
    "MIS": (1, 1),
    "WGT": (1, 1),
    "MAN": (1, 1),
}
"""How many numbers each rule has, at least and at most."""
METHODS = ("OPT", "MOD", "GH", "NET", "RND", "CTA", "CKM")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One line: its keyword without the angle brackets, and the rest as it stands."""

    word: str
    rest: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A safety rule: its name (P, NK, FREQ, ZERO, REQ, MIS, WGT, MAN) and its numbers."""

    name: str
    numbers: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """A table: the files it comes from, its dimensions, response, shadow and cost variable, and the rules.

    ``response`` is None for a table of frequencies. ``cost`` is a column, or -1 frequency, -2 unity, -3 distance.
    """

    data: str
    metadata: str | None
    holds: Literal["records", "cells"]
    by: tuple[str, ...]
    response: str | None
    shadow: str | None = None
    cost: str | None = None
    power: float | None = None
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorFile:
    """An a priori file for a table: its separator, whether errors are skipped and trivial levels expanded."""

    path: str
    table: int
    separator: str = ","
    skip: bool = True
    expand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """How a table is protected: OPT, MOD, GH, NET, RND, CTA or CKM with its numbers; table 0 is all of them, linked."""

    method: str
    table: int
    numbers: tuple[float, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A file to write: 1 CSV, 2 CSV for a pivot table, 3 code-value, 4 SBS, 5 intermediate, 6 JJ; options as AS+QU-."""

    table: int
    form: int
    options: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch file: all its commands in order, and what they come to."""

    path: Path
    commands: tuple[Command, ...]
    tables: tuple[TableSpec, ...] = ()
    marks: tuple[PriorFile, ...] = ()
    protections: tuple[Protection, ...] = ()
    outputs: tuple[Output, ...] = ()
    add_totals: bool = False


def read_arb(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> Batch:
    """Read a batch file; nothing is run and no other file is opened. O(bytes).

    A line is ``<KEYWORD>`` and its arguments; ``//`` begins a comment. A keyword, rule or method that is not known is an
    error that names the line.
    """
    file = Path(path)
    commands = []
    for number, line in enumerate(text_of(path, encoding).split("\n"), start=1):
        bare = line.strip()
        if not bare or bare.startswith(("//", "\\\\")):
            continue
        match = re.fullmatch(r"<([A-Za-z]+)>\s*(.*)", bare)
        where = f"{file}:{number}"
        if match is None:
            raise TacitError(
                "a line begins with a <KEYWORD>", code="malformed_file", where=where, fix="begin a comment with //"
            )
        if match[1].upper() not in KNOWN:
            raise TacitError(
                f"<{match[1]}> is unknown",
                code="unknown_name",
                where=where,
                fix=suggest_alternative(match[1].upper(), KNOWN),
            )
        commands.append(Command(word=match[1].upper(), rest=match[2], line=number))
    reader = _Reader(file)
    for command in commands:
        reader.read_command(command)
    return reader.to_batch(tuple(commands))


@dataclass
class _Reader:
    """The job as far as it was read."""

    path: Path
    files: dict[str, str] = field(default_factory=dict)
    holds: Literal["records", "cells"] = "records"
    tables: list[TableSpec] = field(default_factory=list)
    marks: list[PriorFile] = field(default_factory=list)
    protections: list[Protection] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    add_totals: bool = False

    def read_command(self, command: Command) -> None:
        takers: dict[str, Callable[[Command], None]] = {
            "OPENMICRODATA": self._read_data, "OPENTABLEDATA": self._read_data, "OPENMETADATA": self._read_metadata,
            "SPECIFYTABLE": self._read_table, "SAFETYRULE": self._read_rules, "READTABLE": self._read_totals,
            "APRIORI": self._read_marks, "APRIORY": self._read_marks, "SUPPRESS": self._read_protection, "WRITETABLE": self._read_output,
        }  # fmt: skip
        if command.word in takers:
            takers[command.word](command)

    def to_batch(self, commands: tuple[Command, ...]) -> Batch:
        return Batch(
            path=self.path,
            commands=commands,
            tables=tuple(self.tables),
            marks=tuple(self.marks),
            protections=tuple(self.protections),
            outputs=tuple(self.outputs),
            add_totals=self.add_totals,
        )

    def _read_data(self, command: Command) -> None:
        self.files = {"data": self._file_name(command)}
        self.holds = "cells" if command.word == "OPENTABLEDATA" else "records"

    def _read_metadata(self, command: Command) -> None:
        self.files["metadata"] = self._file_name(command)

    def _read_table(self, command: Command) -> None:
        if "data" not in self.files:
            raise self._command_error(
                command, "a table is specified before its data are opened", "put <OPENMICRODATA> above"
            )
        parts = command.rest.split("|")
        by = tuple(text for text, _ in split_tokens(parts[0]))
        if not by or len(parts) < 2:
            fix = '<SPECIFYTABLE> "SIZE""REGION"|"TURNOVER"||'
            raise self._command_error(command, "a table has dimensions, a bar and a response", fix)
        response, shadow, cost, power = (_strip_quotes(one) for one in [*parts[1:], "", "", ""][:4])
        if cost and "," in cost and power is None:
            cost, _, power = cost.partition(",")
        self.tables.append(
            TableSpec(
                data=self.files["data"],
                metadata=self.files.get("metadata"),
                holds=self.holds,
                by=by,
                response=None if response is None or response.lower() in ("<freq>", "<frequency>") else response,
                shadow=shadow,
                cost=cost,
                power=parse_figure(power) if power else None,
            )
        )

    def _read_rules(self, command: Command) -> None:
        if not self.tables:
            raise self._command_error(command, "a rule stands before any table", "put <SPECIFYTABLE> above")
        found = []
        for text in filter(str.strip, command.rest.split("|")):
            match = CALL.fullmatch(text)
            name = match[1].upper() if match else text.strip()[:20]
            if match is None or name not in RULES:
                raise self._command_error(
                    command, f"the rule {name!r} is unknown", suggest_alternative(name, tuple(RULES))
                )
            numbers = self._parse_numbers(command, match[2].split(","))
            least, most = RULES[name]
            if not least <= len(numbers) <= most:
                wanted = f"{least} numbers" if least == most else f"{least} to {most} numbers"
                raise self._command_error(
                    command, f"{name} has {wanted}, here {len(numbers)}", "see the guide for their order"
                )
            found.append(Rule(name=name, numbers=numbers))
        last = self.tables[-1]
        self.tables[-1] = replace(last, rules=(*last.rules, *found))

    def _read_totals(self, command: Command) -> None:
        self.add_totals = command.rest.strip()[:1] == "1"

    def _read_marks(self, command: Command) -> None:
        match = re.fullmatch(
            r'\s*"([^"]+)"\s*,\s*(\d+)\s*(?:,\s*"(.)"\s*)?(?:,\s*([01])?\s*)?(?:,\s*([01])?\s*)?', command.rest
        )
        if match is None:
            raise self._command_error(
                command, "the a priori file cannot be read", '<APRIORI> "marks.hst", 1, ";", 0, 0'
            )
        path, table, separator, skip, expand = match.groups()
        self.marks.append(
            PriorFile(path=path, table=int(table), separator=separator or ",", skip=skip != "0", expand=expand == "1")
        )

    def _read_protection(self, command: Command) -> None:
        match = re.match(r"\s*([A-Za-z]+)\s*\(([^()]*)\)", command.rest)
        method = match[1].upper() if match else command.rest.strip()[:20]
        if match is None or method not in METHODS:
            raise self._command_error(
                command, f"the method {method!r} is unknown", suggest_alternative(method, METHODS)
            )
        numbers = self._parse_numbers(command, match[2].split(","))
        if not numbers or not numbers[0].is_integer() or not 0 <= numbers[0] <= len(self.tables):
            raise self._command_error(
                command, f"{method} does not name one of the {len(self.tables)} tables", f"{method}(1)"
            )
        files = tuple(text for text, quoted in split_tokens(command.rest[match.end() :].replace("|", " ")) if quoted)
        self.protections.append(Protection(method=method, table=int(numbers[0]), numbers=numbers[1:], files=files))

    def _read_output(self, command: Command) -> None:
        match = re.fullmatch(
            r'\(\s*(\d+)\s*,\s*(\d+)\s*,\s*((?:[A-Za-z]{2}[+-])*)\s*,\s*"?([^"]+?)"?\s*\)', command.rest
        )
        if match is None:
            raise self._command_error(
                command, "the file to write cannot be read", '<WRITETABLE> (1, 2, AS+, "safe.csv")'
            )
        table, form, options, path = match.groups()
        self.outputs.append(Output(table=int(table), form=int(form), options=options.upper(), path=path))

    def _file_name(self, command: Command) -> str:
        found = _strip_quotes(command.rest)
        if found is None:
            raise self._command_error(command, f"<{command.word}> names no file", f'<{command.word}> "file"')
        return found

    def _parse_numbers(self, command: Command, texts: list[str]) -> tuple[float, ...]:
        found = [parse_figure(text) for text in texts if text.strip()]
        if None in found:
            raise self._command_error(command, "a number is expected in the brackets", "write decimals with a point")
        return tuple(one for one in found if one is not None)

    def _command_error(self, command: Command, what: str, fix: str) -> TacitError:
        return TacitError(what, code="invalid_table", where=f"{self.path}:{command.line}", fix=fix)


def _strip_quotes(text: str) -> str | None:
    """A text without quotes and blanks around it; None when nothing is left."""
    return text.strip().strip('"').strip() or None
