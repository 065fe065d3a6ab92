"""What somebody hands over where a table or a problem is expected: the two are easily mixed up."""

from __future__ import annotations

from typing import TypeVar

from ..errors import TacitError, format_value

FIXES = {
    "Problem": "say which cells disclose: marked(table, [MinimumFrequency(3)])",
    "Table": "build it: tabulate(records, by=…), or from_cells(…); a problem has one: problem.table",
    "PTable": "e.g. design_ptable(largest=4, variance=2.5), or read_ptable(…)",
}

Wanted = TypeVar("Wanted")


def require_type(kind: type[Wanted], given: object) -> Wanted:
    """What was given if it is of the kind, else an error that tells how to come by one."""
    if isinstance(given, kind):
        return given
    raise TacitError(
        f"a {kind.__name__} is needed, not {format_value(given)}", code="too_few_records", fix=FIXES[kind.__name__]
    )
