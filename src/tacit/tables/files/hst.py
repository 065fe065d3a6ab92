"""A priori files (.hst): what is known of single cells before the protection starts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import TacitError
from ...files import atomic_write
from ..problem import Problem, Status
from .text import check_codes, parse_figure, rows_of, text_of

STATUS: Mapping[str, Status] = {
    "s": Status.SAFE,
    "u": Status.UNSAFE,
    "p": Status.PUBLISHED,
    "m": Status.HIDDEN,
    "ml": Status.HIDDEN,
}
"""Safe, unsafe, to be published, suppressed already (m, and ml in linked tables)."""
NUMBERS: Mapping[str, int] = {**dict.fromkeys(STATUS, 0), "c": 1, "w": 1, "pl": 2, "ab": 2}
"""How many numbers follow a word: none after a status, a cost, two protection levels, two bounds."""
PRIOR = "a priori"
"""Why a cell is unsafe that such a file makes so."""
LETTERS = {Status.SAFE: "s", Status.UNSAFE: "u", Status.PUBLISHED: "p", Status.HIDDEN: "m"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """One line: a cell by its codes, a word (s u p m ml c w pl ab) and the numbers that follow it."""

    codes: tuple[str, ...]
    word: str
    numbers: tuple[float, ...] = ()
    line: int = 0


def read_hst(
    path: str | os.PathLike[str], *, dimensions: int, separator: str = ",", decimal: str = ".", encoding: str = "utf-8"
) -> tuple[Prior, ...]:
    """The lines of an .hst file: ``code,…,code,word[,number[,number]]``, as many codes as there are dimensions. O(bytes).

    ``s`` safe, ``u`` unsafe, ``p`` never to be suppressed, ``m``/``ml`` suppressed already, ``c`` or ``w`` the cost of not
    publishing it, ``pl`` its lower and upper protection level, ``ab`` the bounds that an outsider knows.
    """
    file, found = Path(path), []
    for number, row in rows_of(text_of(path, encoding), separator=separator, path=file):
        where = f"{file}:{number}"
        fields = [cell.strip() for cell in row]
        while len(fields) > dimensions + 1 and not fields[-1]:
            fields.pop()
        if len(fields) <= dimensions:
            what = f"a line has {dimensions} codes and then a word; this one has {len(fields)} fields"
            raise TacitError(what, code="malformed_file", where=where, fix=f"check the separator, here {separator!r}")
        word, rest = fields[dimensions].lower(), fields[dimensions + 1 :]
        if word not in NUMBERS:
            raise TacitError(
                f"the word {word[:20]!r} is unknown",
                code="unknown_name",
                where=where,
                fix=f"use one of {', '.join(NUMBERS)}",
            )
        numbers = [parse_figure(text, decimal) for text in rest]
        if len(numbers) != NUMBERS[word] or None in numbers:
            what = f"{word!r} is followed by {NUMBERS[word]} numbers"
            raise TacitError(what, code="malformed_file", where=where, fix=f"check the decimal sign, here {decimal!r}")
        codes = tuple(row[:dimensions])
        found.append(
            Prior(codes=codes, word=word, numbers=tuple(one for one in numbers if one is not None), line=number)
        )
    return tuple(found)


def with_priors(
    problem: Problem, priors: Sequence[Prior], *, margin: float | None = None, skip: bool = False
) -> Problem:
    """The problem with what is known of single cells: later lines win.

    A cell made unsafe has the levels that a ``pl`` line gives, else ``margin`` percent of its value on both sides (the
    MAN rule of τ-ARGUS). An empty code is the total. A cell that the table lacks is an error, with ``skip`` it is left
    out. Empty cells keep their status. O(lines + cells).
    """
    codes = _cells_by_codes(problem)
    status, cost = problem.status.copy(), problem.cost.copy()
    bounds = {"pl": (problem.lower.copy(), problem.upper.copy()), "ab": (problem.low.copy(), problem.high.copy())}
    why = dict(problem.why)
    for prior in priors:
        cell = codes.get(tuple(code.strip() for code in prior.codes))
        if cell is None:
            if skip:
                continue
            raise _unknown_cell_error(problem, prior)
        if status[cell] == Status.EMPTY:
            continue
        if prior.word in STATUS:
            _apply_status(prior, cell, status=status, levels=bounds["pl"], room=_margin_levels(problem, cell, margin))
            why.pop(cell, None)
            if STATUS[prior.word] == Status.UNSAFE:
                why[cell] = PRIOR
        elif prior.word in ("c", "w"):
            cost[cell] = prior.numbers[0] if prior.numbers[0] > 0 else 1.0
        else:
            if prior.word == "pl" and status[cell] != Status.UNSAFE:
                what = "protection levels are given for a cell that is not unsafe"
                raise TacitError(
                    what, code="wrong_type", where=f"line {prior.line}", fix="mark it with u on a line before"
                )
            for array, number in zip(bounds[prior.word], prior.numbers, strict=True):
                array[cell] = number
    (lower, upper), (low, high) = bounds["pl"], bounds["ab"]
    room = lower + upper + problem.sliding
    bare = next((cell for cell, said in why.items() if said == PRIOR and not room[cell]), None)
    if bare is not None:
        raise TacitError(
            f"the cell {problem.table.name(bare)} is made unsafe without a level, and no rule gives it one",
            code="missing_parameter",
            fix="add a line with pl and two amounts for it, or give margin=…, a percentage of the figure",
        )
    return replace(problem, status=status, cost=cost, lower=lower, upper=upper, low=low, high=high, why=why)


def write_hst(
    problem: Problem,
    path: str | os.PathLike[str],
    *,
    hidden: np.ndarray | None = None,
    separator: str = ",",
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write the status of every cell that is not plainly safe or empty, the levels of unsafe ones, and m for ``hidden`` ones.

    Read back for the next release, the file freezes the pattern of this one. O(cells).
    """
    for name in problem.table.labels.columns:
        check_codes(problem.table.labels[name].unique(), name=name, refused='\n\r\0"')
    with (
        atomic_write(path, replace=replace, keep=keep) as place,
        place.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for cell, codes in enumerate(problem.table.labels.iter_rows()):
            status = Status(int(problem.status[cell]))
            if status == Status.SAFE and hidden is not None and hidden[cell]:
                status = Status.HIDDEN
            if status in (Status.SAFE, Status.EMPTY):
                continue
            front = separator.join(f'"{code}"' for code in codes)
            file.write(f"{front}{separator}{LETTERS[status]}\n")
            if status == Status.UNSAFE:
                levels = (float(problem.lower[cell]), float(problem.upper[cell]))
                file.write(f"{front}{separator}pl{separator}{separator.join(map(repr, levels))}\n")


def _cells_by_codes(problem: Problem) -> dict[tuple[str, ...], int]:
    """Codes → cell; the total may also be left empty."""
    totals = {one.name: one.total for one in problem.table.dimensions}
    names = problem.table.labels.columns
    found: dict[tuple[str, ...], int] = {}
    for cell, codes in enumerate(problem.table.labels.iter_rows()):
        bare = tuple(code.strip() for code in codes)
        found[bare] = cell
        found[tuple("" if code == totals.get(name) else code for name, code in zip(names, bare, strict=True))] = cell
    return found


def _margin_levels(problem: Problem, cell: int, margin: float | None) -> tuple[float, float] | None:
    if margin is None:
        return None
    value = float(problem.table.values[cell])
    wanted = abs(value) * margin / 100
    return min(wanted, value - float(problem.low[cell])), wanted


def _apply_status(
    prior: Prior,
    cell: int,
    *,
    status: np.ndarray,
    levels: tuple[np.ndarray, np.ndarray],
    room: tuple[float, float] | None,
) -> None:
    before, status[cell] = status[cell], STATUS[prior.word]
    if status[cell] != Status.UNSAFE:
        levels[0][cell] = levels[1][cell] = 0.0
    elif before != Status.UNSAFE and room is not None:
        levels[0][cell], levels[1][cell] = room


def _unknown_cell_error(problem: Problem, prior: Prior) -> TacitError:
    names = problem.table.labels.columns
    for name, code in zip(names, prior.codes, strict=False):
        if code.strip() and code.strip() not in {known.strip() for known in problem.table.labels[name]}:
            fix = "correct the code, or leave such lines out with skip=True"
            return TacitError(
                f"has no code {code!r}", code="unsuitable_column", column=name, where=f"line {prior.line}", fix=fix
            )
    return TacitError(
        f"the table has no cell with the codes {', '.join(map(repr, prior.codes))}",
        code="invalid_table",
        where=f"line {prior.line}",
        fix=f"give a code of each of {', '.join(names)}",
    )
