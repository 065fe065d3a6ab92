"""The SBS form of τ-ARGUS: a line per cell with codes, value, frequency, a status letter and shares of the largest."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...errors import TacitError
from ..problem import Problem, Status
from .draft import check_codes, draft


def write_sbs(
    problem: Problem,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write a table for transmission in confidence: every figure is in it, also the suppressed ones.

    A line has the codes, the value, the number of respondents (empty when it is not known), and the status: V may be
    published, A too few respondents, B one dominates or another primary suppression, C two or more dominate, F the p % or pq
    rule, D secondary. In percent of the cell follow on B the share of the largest respondent, on C that of the two
    largest together, on F those of the two largest. Cells without respondents are left out. O(cells).
    """
    table = problem.table
    if not np.isfinite(table.values).all():
        raise TacitError("some figures are not known", fix="SBS files hold complete tables")
    for name in table.labels.columns:
        check_codes(table.labels[name].unique(), name=name)
    gone = np.zeros(table.size, dtype=bool) if hidden is None else hidden
    with draft(path, replace=replace, keep=keep) as place, place.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        for cell, codes in enumerate(table.labels.iter_rows()):
            many = None if table.contributors is None else float(table.contributors[cell])
            value = float(table.values[cell])
            if many == 0 or (many is None and problem.status[cell] == Status.EMPTY):
                continue
            letter = _letter(problem, cell, bool(gone[cell]))
            figures = [_plain(value), "" if many is None else _plain(many), letter]
            out.writerow([*codes, *figures, *_shares(problem, cell, letter)])


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _letter(problem: Problem, cell: int, gone: bool) -> str:
    if problem.status[cell] == Status.UNSAFE:
        why = problem.why.get(cell, "")
        if "fewer than" in why:
            return "A"
        if "known to within" in why:
            return "F"
        return "C" if re.search(r"\b([2-9]|\d{2,}) make up", why) else "B"
    return "D" if gone or problem.status[cell] == Status.HIDDEN else "V"


def _shares(problem: Problem, cell: int, letter: str) -> list[str]:
    table = problem.table
    kept = table.contributions
    if letter not in ("B", "C", "F") or kept is None:
        return []
    whole = float((table.values if table.shadow is None else table.shadow)[cell])
    largest = np.abs(kept.values[cell]).tolist()
    said = {"B": largest[:1], "C": [sum(largest[:2])], "F": largest[:2]}[letter]
    return [f"{100 * one / whole if whole else 0:.1f}" for one in said]
