"""How results of several columns are named."""

from __future__ import annotations

from collections.abc import Sequence


def column_labels(groups: Sequence[tuple[str, ...]], between: str = ", ") -> list[str]:
    """The columns of each group in one text, all texts different: in quotes where a name holds what stands between names.

    >>> column_labels([("a",), ("a", "b")]), column_labels([("a", "b"), ("a, b",)])
    (['a', 'a, b'], ["'a', 'b'", "'a, b'"])
    """
    plain = [between.join(group) for group in groups]
    if len(set(plain)) == len(set(groups)):
        return plain
    return [between.join(map(repr, group)) for group in groups]
