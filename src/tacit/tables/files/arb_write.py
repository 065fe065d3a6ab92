"""A batch that opens table data of ours in τ-ARGUS."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...errors import TacitError
from ..problem import Problem
from .draft import draft

__all__ = ["write_arb"]


def write_arb(
    problem: Problem,
    hidden: np.ndarray | None,
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write the batch for the table data of the same name (G-04): :func:`.tab.write_tab` writes those.

    Without a pattern the batch lets τ-ARGUS look for one (modular); with one it opens the table as it is protected. Statuses, levels
    and costs are those of the table data, so that no rule is asked for. :func:`.arb.read_arb` reads it back.
    """
    table, file = problem.table, Path(path)
    names = [*table.labels.columns, table.response or "value"]
    odd = next((name for name in names if set(name) & set('"|\n\r')), None)
    if odd is not None:
        raise TacitError("has a sign that a batch cannot write", column=odd, fix='name it without ", | and line ends')
    spanned = "".join(f'"{name}"' for name in table.labels.columns)
    lines = [
        f'<OPENTABLEDATA> "{file.with_suffix(".tab").name}"',
        f'<OPENMETADATA> "{file.with_suffix(".rda").name}"',
        f'<SPECIFYTABLE> {spanned}|"{names[-1]}"||"cost"',
        "<READTABLE>",
        *(["<SUPPRESS> MOD(1, 5, 1, 0, 0)"] if hidden is None else []),
        f'<WRITETABLE> (1, 1, AS+, "{file.stem}_safe.csv")',
    ]
    with draft(file, replace=replace, keep=keep) as place:
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
