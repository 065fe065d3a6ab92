"""The public groups of a key: the codes of its column, or the first codes of its bins."""

from __future__ import annotations

from .column import Column
from .question import Key


def group_starts(key: Key, column: Column) -> range:
    """The codes that stand for the groups of a key, in order; the group of missing values (None) is not among them.

    A bin is known by its first code, so that :meth:`Column.shown` tells where it starts. Without declared bounds or a
    list there are none to tell: refused.

    >>> age = Column(name="age", kind="integer", low=18, high=45)
    >>> list(group_starts(Key("age", 10), age))
    [18, 28, 38]
    """
    low, high = column.bounds()
    return range(low, high + 1, key.width or 1)


def group_of(code: int, key: Key, column: Column) -> int:
    """The code of the group in which a code falls.

    >>> group_of(30, Key("age", 10), Column(name="age", kind="integer", low=18, high=45))
    28
    """
    if not key.width:
        return code
    low, _ = column.bounds()
    return low + (code - low) // key.width * key.width
