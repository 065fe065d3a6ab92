"""Which code lies above which, gathered from nested lists or from rows of levels, each code in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import TacitError
from .codes import code_text


class ParentLinks:
    """Gathers code → the code above it, and refuses a code in two places.

    A code that is repeated under itself, as tables of levels do for branches that end early, is one code: the two cells
    would always be equal. That is refused when other codes lie beside the repeated one: then the two differ.
    """

    def __init__(self, name: str, total: str) -> None:
        self._name, self._total = name, total
        self._above: dict[str, str] = {}
        self._repeated: dict[str, None] = {}

    def add_link(self, code: str, upper: str) -> None:
        """Say that a code lies directly under another."""
        if code == upper:
            self._repeated[code] = None
        elif code == self._total:
            raise TacitError(
                f"has the total {code!r} under {upper!r}",
                code="unsuitable_column",
                column=self._name,
                fix="give the total another code, e.g. total='All', or take it out of the tree",
            )
        elif self._above.setdefault(code, upper) != upper:
            raise TacitError(
                f"has the code {code!r} under {self._above[code]!r} and under {upper!r}",
                code="unsuitable_column",
                column=self._name,
                fix="give each code one place, e.g. by writing the level into it: 'A', 'A.1'",
            )

    def links(self) -> dict[str, str]:
        """All that was said, in the order in which codes came up."""
        uppers = set(self._above.values())
        both = next((code for code in self._repeated if code in uppers), None)
        if both is not None:
            beside = next(code for code, upper in self._above.items() if upper == both)
            raise TacitError(
                f"has the code {both!r} under itself, with {beside!r} beside it: the two {both!r} are different cells",
                code="conflicting_parameters",
                column=self._name,
                fix=f"give the lower one another code, e.g. {both + ' (rest)'!r}",
            )
        return dict(self._above)


def from_nested(name: str, nested: Any, *, total: str) -> dict[str, str]:
    """From codes within codes: ``{"North": ["Bergen"], "South": {"East": ["Oslo", "Moss"]}}``; the total may be the outermost.

    >>> from_nested("region", {"Total": {"North": ["Bergen"], "South": None}}, total="Total")
    {'North': 'Total', 'Bergen': 'North', 'South': 'Total'}
    """
    above = ParentLinks(name, total)

    def walk(below: Any, upper: str) -> None:
        for code, rest in _iter_branches(name, below):
            if not (code == total == upper):
                above.add_link(code, upper)
            walk(rest, code)

    walk(nested, total)
    return above.links()


def _iter_branches(name: str, below: Any) -> Iterable[tuple[str, Any]]:
    if below is None:
        return
    if isinstance(below, Mapping):
        yield from ((code_text(code), rest) for code, rest in below.items())
    elif isinstance(below, Sequence) and not isinstance(below, str):
        for one in below:
            if isinstance(one, Mapping):
                yield from _iter_branches(name, one)
            else:
                yield code_text(one), None
    else:
        raise TacitError(
            "has a tree with a single text where codes are listed",
            code="unsuitable_column",
            column=name,
            fix="write a list, e.g. {'North': ['Bergen', 'Alta']}, or code → the code above it throughout",
        )


def from_rows(name: str, rows: Iterable[Sequence[str | None]], *, total: str) -> dict[str, str]:
    """From rows that name the code at every level, coarse to fine; a missing code ends a branch early.

    >>> from_rows("activity", [("AZ", "A", "01"), ("AZ", "A", "02"), ("AZ", "X", "X"), ("BE", None, None)], total="Total")
    {'AZ': 'Total', 'A': 'AZ', '01': 'A', '02': 'A', 'X': 'AZ', 'BE': 'Total'}
    """
    above = ParentLinks(name, total)
    listed = list(rows)
    first = 1 if listed and all(row[0] == total for row in listed) else 0
    for row in listed:
        upper, ended = total, False
        for code in row[first:]:
            if code is None:
                ended = True
                continue
            if ended:
                raise TacitError(
                    f"the code {code!r} stands below a level that is missing",
                    code="missing_parameter",
                    column=name,
                    fix="fill the level above it",
                )
            above.add_link(code, upper)
            upper = code
    return above.links()
