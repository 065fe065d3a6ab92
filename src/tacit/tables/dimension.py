"""A dimension of a table: its codes as a tree, from the total down to the finest codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..errors import TacitError

TOTAL = "Total"
"""The code of all together where none is given."""


@dataclass(frozen=True)
class Dimension:
    """The codes of a variable and which code each one adds up to; the first code is the total of all.

    ``parents[i]`` is the place of the code above ``codes[i]``, −1 for the total. A tree may be unbalanced: a code without
    others below it is a leaf, at whatever depth. A code with ONE code below it is allowed: the two are always equal.

    >>> region = Dimension.tree("region", {"North": "Total", "South": "Total", "Bergen": "North", "Oslo": "South"})
    >>> region.codes
    ('Total', 'North', 'South', 'Bergen', 'Oslo')
    >>> [region.codes[leaf] for leaf in region.leaves], region.depths
    (['Bergen', 'Oslo'], (0, 1, 1, 2, 2))
    """

    name: str
    codes: tuple[str, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        twice = (
            next((code for place, code in enumerate(self.codes) if code in self.codes[:place]), None)
            if len(set(self.codes)) < len(self.codes)
            else None
        )
        if twice is not None:
            raise TacitError(
                f"has the code {twice!r} twice",
                code="duplicate",
                column=self.name,
                fix="give each code one place in the tree",
            )
        if not self.codes or len(self.parents) != len(self.codes) or self.parents[0] != -1:
            raise TacitError(
                "has no total", code="missing_parameter", column=self.name, fix="give a code that all others add up to"
            )

    @classmethod
    def flat(cls, name: str, codes: Iterable[str], *, total: str = TOTAL) -> Dimension:
        """All codes directly under the total."""
        return cls.tree(name, dict.fromkeys((str(code) for code in codes), total), total=total)

    @classmethod
    def tree(cls, name: str, above: Mapping[str, str], *, total: str = TOTAL) -> Dimension:
        """From code → the code above it; codes are kept in the order given, level by level.

        A code that leads to the total by no path is an error that names it: a cycle, or an orphan.
        """
        below: dict[str, list[str]] = {}
        for code, upper in above.items():
            if code != upper:
                below.setdefault(upper, []).append(code)
            elif code != total:
                raise TacitError(
                    f"the code {code!r} lies under itself",
                    code="unsuitable_column",
                    column=name,
                    fix="give it another code above it",
                )
        if total in above and above[total] != total:
            raise TacitError(
                f"the total {total!r} lies under {above[total]!r}",
                code="unsuitable_column",
                column=name,
                fix="name the topmost code as the total",
            )
        codes, parents, place = [total], [-1], 0
        while place < len(codes):
            for code in below.pop(codes[place], ()):
                codes.append(code)
                parents.append(place)
            place += 1
        if below:
            raise _unattached_error(name, above, below, total)
        return cls(name=name, codes=tuple(codes), parents=tuple(parents))

    @property
    def total(self) -> str:
        """The code of all together."""
        return self.codes[0]

    @cached_property
    def code_index(self) -> Mapping[str, int]:
        """Code → its place."""
        return {code: place for place, code in enumerate(self.codes)}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each code the places of those directly below it."""
        found: list[list[int]] = [[] for _ in self.codes]
        for place, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(place)
        return tuple(map(tuple, found))

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The places of the codes that have none below them."""
        return tuple(place for place, below in enumerate(self.children) if not below)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many codes lie above each code."""
        found: list[int] = []
        for parent in self.parents:
            found.append(0 if parent < 0 else found[parent] + 1)
        return tuple(found)

    @property
    def sums(self) -> Sequence[tuple[int, tuple[int, ...]]]:
        """The places (code, those below it) of every code that is a sum."""
        return [(place, below) for place, below in enumerate(self.children) if below]

    def __repr__(self) -> str:
        levels = max(self.depths)
        return f"<Dimension {self.name}: {len(self.codes)} codes, {levels} level{'s' * (levels != 1)} below {self.total!r}>"


def _unattached_error(name: str, above: Mapping[str, str], below: Mapping[str, list[str]], total: str) -> TacitError:
    """Why some codes hang on no total."""
    orphan = next((upper for upper in below if upper not in above), None)
    if orphan is not None:
        return TacitError(
            f"the code {below[orphan][0]!r} lies under {orphan!r}, which lies nowhere",
            code="unsuitable_column",
            column=name,
            fix=f"say what is above {orphan!r}, e.g. the total {total!r}",
        )
    walked = [next(iter(below))]
    while (upper := above[walked[-1]]) not in walked:
        walked.append(upper)
    circle = [*walked[walked.index(upper) :], upper]
    return TacitError(
        f"the codes {' < '.join(map(repr, circle))} lie under one another in a circle",
        code="unsuitable_column",
        column=name,
        fix="take one of these links out",
    )
