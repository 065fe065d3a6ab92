"""Metadata files of τ-ARGUS (.rda): which column plays which part in a file of records or of table cells."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ...errors import TacitError
from .text import split_tokens, text_of

Part = Literal[
    "dimension", "response", "weight", "holding", "request", "frequency", "shadow", "cost", "lower", "upper", "top",
    "status", "key", "unused",
]  # fmt: skip
"""What a column is for."""

PARTS: dict[str, Part] = {
    "<RECODEABLE>": "dimension", "<RECODABLE>": "dimension", "<WEIGHT>": "weight", "<HOLDING>": "holding",
    "<REQUEST>": "request", "<FREQUENCY>": "frequency", "<MAXSCORE>": "top", "<STATUS>": "status", "<RECORDKEY>": "key",
}  # fmt: skip
NUMERIC: dict[str, Part] = {
    "<SHADOW>": "shadow", "<COST>": "cost", "<COSTVAR>": "cost", "<LOWERPL>": "lower", "<UPPERPL>": "upper",
}  # fmt: skip
OF_CELLS = ("<FREQUENCY>", "<MAXSCORE>", "<STATUS>", "<SHADOW>", "<COSTVAR>", "<COST>", "<LOWERPL>", "<UPPERPL>")
"""Words that only the metadata of table cells have."""
KEPT = (
    "<CKM>", "<INCLUDEZEROS>", "<SEPARATION>", "<PARITY>", "<SCALING>", "<PFILE>", "<PFILE_CONT>", "<PFILE_SEP>",
    "<TRUNCABLE>",
)  # fmt: skip
"""Words that are read and kept as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One column: its part, its place in a file of fixed width, and what is said about its codes.

    ``also`` tells that a dimension is a response too. ``levels`` are the digits of each level of a code (``<HIERLEVELS>``),
    ``hierarchy`` is the .hrc file and ``lead`` its mark. ``other`` has the remaining words with their values.
    """

    name: str
    part: Part = "unused"
    also: bool = False
    start: int | None = None
    width: int | None = None
    missing: tuple[str, ...] = ()
    total: str = "Total"
    decimals: int = 0
    hierarchy: str | None = None
    lead: str = "@"
    levels: tuple[int, ...] = ()
    codes: str | None = None
    distance: tuple[int, ...] = ()
    requests: tuple[str, ...] = ()
    other: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The columns of a file in their order, and how the file is written.

    ``holds`` is "records" or "cells". A ``separator`` of None means columns of fixed width. ``safe``, ``unsafe`` and
    ``protect`` are the letters of the status column.
    """

    holds: Literal["records", "cells"]
    separator: str | None
    variables: tuple[Variable, ...]
    safe: str = "S"
    unsafe: str = "U"
    protect: str = "P"
    folder: Path = field(default=Path(), compare=False)

    def variables_of(self, part: Part) -> tuple[Variable, ...]:
        """The columns that play a part."""
        return tuple(one for one in self.variables if one.part == part or (part == "response" and one.also))

    def first_name(self, part: Part) -> str | None:
        """The name of the first column that plays a part, None when there is none."""
        return next((one.name for one in self.variables_of(part)), None)

    def canonical_name(self, given: str) -> str:
        """The name of a variable as the metadata write it; one that they lack is an error."""
        found = self.find_variable(given)
        if found is None:
            fix = f"the metadata have {', '.join(one.name for one in self.variables)}"
            raise TacitError(
                "is named by the batch, and its metadata lack it", code="unknown_column", column=given, fix=fix
            )
        return found.name

    def all_known(self, given: Iterable[str]) -> list[str]:
        """The same for several."""
        return [self.canonical_name(name) for name in given]

    def find_variable(self, name: str) -> Variable | None:
        """The column of a name; case does not matter, as in τ-ARGUS."""
        return next((one for one in self.variables if one.name.casefold() == name.casefold()), None)


def read_rda(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> Metadata:
    """Read an .rda file: a line per column with its name, then lines of ``<WORDS>`` about it. O(bytes).

    Whether it describes records or cells is told by its words: ``<FREQUENCY>``, ``<MAXSCORE>``, ``<STATUS>``, ``<SHADOW>``,
    ``<COSTVAR>``, ``<LOWERPL>`` and ``<UPPERPL>`` are about cells; without any of them a column that has a width is one of
    records. A word that nobody knows is an error that names the line.
    """
    lines = [
        (number, found)
        for number, line in enumerate(text_of(path, encoding).split("\n"), start=1)
        if (found := split_tokens(line)) and not line.lstrip().startswith("//")
    ]
    reader = _Reader(Path(path), cells=_of_cells(lines))
    for number, found in lines:
        reader.read_line(number, found)
    return reader.to_metadata()


def _of_cells(lines: Sequence[tuple[int, list[tuple[str, bool]]]]) -> bool:
    words = {word for _, found in lines for word, quoted in found if not quoted}
    if words & set(OF_CELLS):
        return True
    return not any(
        len(found) > 1 and found[1][0].isdigit() and not found[1][1] for _, found in lines if _is_name(found)
    )


def _is_name(found: Sequence[tuple[str, bool]]) -> bool:
    return found[0][1] or not found[0][0].startswith("<")


@dataclass
class _Reader:
    """What was read so far."""

    path: Path
    cells: bool
    variables: list[Variable] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    def read_line(self, number: int, found: list[tuple[str, bool]]) -> None:
        if _is_name(found):
            self.variables.append(self._new_variable(number, found))
            return
        word, rest = found[0][0].upper(), [text for text, _ in found[1:]]
        if word in ("<SEPARATOR>", "<SAFE>", "<UNSAFE>", "<PROTECT>"):
            if not rest:
                raise self._line_error(number, f"{word} has no value")
            self.settings[word] = rest[0]
        elif word == "<SPSS>":
            raise self._line_error(number, "the data are an SPSS file", fix="export them as CSV and describe that file")
        elif not self.variables:
            raise self._line_error(number, f"{word} stands before any column", fix="begin with the name of a column")
        else:
            self.variables[-1] = self._with_property(number, self.variables[-1], word, rest)

    def _new_variable(self, number: int, found: list[tuple[str, bool]]) -> Variable:
        name, rest = found[0][0], found[1:]
        if any(one.name.casefold() == name.casefold() for one in self.variables):
            raise self._line_error(
                number, f"the column {name!r} stands here a second time", fix="name each column once"
            )
        if self.cells:
            return Variable(name=name, missing=tuple(text for text, _ in rest))
        fixed = "<SEPARATOR>" not in self.settings
        places = [int(text) for text, quoted in rest[: 1 + fixed] if text.isdigit() and not quoted]
        if len(places) < 1 + fixed:
            wanted = "its first place and its width" if fixed else "its width"
            raise self._line_error(number, f"the column {name!r} lacks {wanted}", fix=f"write {name} {'1 ' * fixed}5")
        missing = tuple(text for text, _ in rest[1 + fixed :])
        return Variable(name=name, start=places[0] if fixed else None, width=places[-1], missing=missing)

    def _with_property(self, number: int, variable: Variable, word: str, rest: list[str]) -> Variable:
        """The column with what one line says about it."""
        if word in ("<RECODEABLE>", "<RECODABLE>"):
            return replace(variable, part="dimension", also=variable.part == "response")
        if word == "<NUMERIC>":
            part = NUMERIC.get(rest[0].upper()) if rest else "response"
            if part is None:
                raise self._line_error(number, f"{rest[0]} is not known after <NUMERIC>")
            return replace(variable, also=True) if variable.part == "dimension" else replace(variable, part=part)
        if word in PARTS:
            return replace(
                variable, part=PARTS[word], requests=tuple(rest) if word == "<REQUEST>" else variable.requests
            )
        if word == "<HIERARCHICAL>":
            return variable
        texts = {"<TOTCODE>": "total", "<CODELIST>": "codes", "<HIERCODELIST>": "hierarchy", "<HIERLEADSTRING>": "lead"}
        if word in texts:
            if not rest:
                raise self._line_error(number, f"{word} has no value")
            return replace(variable, **{texts[word]: rest[0]})  # type: ignore[arg-type]
        if word in ("<HIERLEVELS>", "<DISTANCE>", "<DECIMALS>"):
            if not rest or not all(text.isdigit() for text in rest):
                raise self._line_error(number, f"{word} is followed by whole numbers", fix=f"e.g. {word} 3 1 1")
            numbers = tuple(int(text) for text in rest)
            if word == "<DECIMALS>":
                return replace(variable, decimals=numbers[0])
            if word == "<HIERLEVELS>":
                return replace(variable, levels=tuple(number for number in numbers if number))
            return replace(variable, distance=numbers)
        if word in KEPT:
            return replace(variable, other=(*variable.other, (word, tuple(rest))))
        raise self._line_error(number, f"the word {word} is unknown")

    def to_metadata(self) -> Metadata:
        if not any(one.part == "dimension" for one in self.variables):
            raise TacitError(
                "no column is a dimension",
                code="invalid_table",
                where=str(self.path),
                fix="add <RECODEABLE> below at least one",
            )
        separator = self.settings.get("<SEPARATOR>", ";" if self.cells else None)
        letters = {word.strip("<>").lower(): text for word, text in self.settings.items() if word != "<SEPARATOR>"}
        return Metadata(
            holds="cells" if self.cells else "records",
            separator=separator,
            variables=tuple(self.variables),
            folder=self.path.parent,
            **letters,
        )

    def _line_error(
        self, number: int, what: str, *, fix: str = "check the spelling; see the list of words in the guide"
    ) -> TacitError:
        return TacitError(what, code="invalid_table", where=f"{self.path}:{number}", fix=fix)
