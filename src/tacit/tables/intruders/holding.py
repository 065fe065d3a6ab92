"""A holding: what its companies know, it knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import TacitError
from ..published import Published
from .claims import CellClaims
from .knowledge import Knowledge
from .subtract import largest_other, subtract_own_parts


@dataclass(frozen=True)
class Holding:
    """Every holding adds up its respondents in a cell and bounds the largest of the others.

    A cell of five companies of which four are one holding's is a cell of two. ``knowledge.holdings`` says who belongs
    together; a respondent that it does not name is on its own. A table that was built with holdings counts them as ONE
    respondent already: then use the other attacks. O(cells × kept contributions²).

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    def claims(self, published: Published, knowledge: Knowledge) -> CellClaims:
        """What the largest respondent outside adds, in the eyes of each holding of each cell."""
        if not knowledge.holdings:
            raise TacitError(
                "nobody said which respondents belong to one holding",
                code="missing_parameter",
                fix="Knowledge.of(table, holdings={respondent: holding, …})",
            )
        owners = knowledge.owners
        given = np.array(sorted(knowledge.holdings), dtype=np.int64)
        theirs = np.array([knowledge.holdings[one] for one in given.tolist()], dtype=np.int64)
        free = max(int(theirs.max()), int(owners.max(initial=-1))) + 1
        groups = np.where(owners >= 0, owners + free, -1)
        at = np.minimum(np.searchsorted(given, owners), len(given) - 1)
        groups = np.where(given[at] == owners, theirs[at], groups)
        same = groups[:, :, None] == groups[:, None, :]
        first = same.argmax(axis=2) == np.arange(owners.shape[1])
        cells, places = np.nonzero(first & (owners >= 0))
        members = same[cells, places] & (owners[cells] >= 0)
        target = largest_other(knowledge, cells, members)
        kept = target >= 0
        return subtract_own_parts(published, knowledge, cells=cells[kept], members=members[kept], target=target[kept])
