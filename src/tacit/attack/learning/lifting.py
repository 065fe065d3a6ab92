"""Conflicts that hold whoever of a group is meant."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from .conflicts import Conflicts
from .cover import Cut

__all__ = ["lifted"]

CHOICES = 16
"""A conflict is lifted to whole groups when no more choices of members must be checked."""


def lifted(subset: tuple[int, ...], conflicts: Conflicts, group_of: np.ndarray) -> Cut:
    """The cut of a conflict; where any other of its group would do as well as a seeker, the group stands for it.

    Of a group of seekers who are alike at most one is found. A conflict of S and i that is one of S and j, too, for all j
    of the group of i says that one of S fails or the whole group does, which is more than the conflicts say one by one.
    ``group_of`` has the number of each seeker's group, −1 for none. At most 16 decisions for each seeker in a group.
    """
    alike = conflicts.rows.alike
    single, groups = set(subset), list[int]()
    numbers = [int(group_of[i]) for i in subset]
    for seeker, number in zip(subset, numbers, strict=True):
        if number < 0 or numbers.count(number) > 1:
            continue
        others = [int(i) for i in alike[number] if i != seeker]
        standing = [alike[g].tolist() for g in groups]
        if len(others) * prod(map(len, standing)) > CHOICES:
            continue
        rest = tuple(single - {seeker})
        if all(conflicts.excluded((*rest, *choice)) for choice in product(others, *standing)):
            single.remove(seeker)
            groups.append(number)
    return Cut(tuple(sorted(single)), tuple(sorted(groups)))
