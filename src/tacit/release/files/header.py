"""Column names: unique on every engine, none of them empty or ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...errors import TacitError

PRIVATE = "__tacit_"
"""Names that start so are ours; a user's column may not."""


def check_names(names: Sequence[str]) -> None:
    """Refuse empty, doubled and private names, and names that differ only in case, which DuckDB would take for one.

    >>> check_names(["zip", "Age"])
    """
    for place, name in enumerate(names, start=1):
        if not name.strip():
            raise TacitError(
                f"column number {place} has an empty name",
                code="invalid_data",
                fix="give every column a name in the first row",
            )
        if name.startswith(PRIVATE):
            fix = f"rename it: names that start with {PRIVATE!r} are kept for private columns"
            raise TacitError("has a reserved name", code="unsuitable_column", column=name, fix=fix)
        if name == "*" or (name.startswith("^") and name.endswith("$")) or "\0" in name:
            raise TacitError(
                "has a name that engines take for a pattern",
                code="unsuitable_column",
                column=name.replace("\0", "?"),
                fix="rename it",
            )
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        listed = ", ".join(repr(name) for name in doubled)
        raise TacitError(
            f"several columns have the same name: {listed}",
            code="invalid_data",
            fix="give each column a name of its own",
        )
    folded: dict[str, str] = {}
    for name in names:
        twin = folded.setdefault(name.casefold(), name)
        if twin != name:
            fix = "rename one of them: some engines ignore case"
            raise TacitError(f"differs from {twin!r} only in case", code="unsuitable_column", column=name, fix=fix)
