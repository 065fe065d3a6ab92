"""People whom the intruder has found already: from them it can learn how the release was changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, format_value
from .truth import Truth

if TYPE_CHECKING:
    from ..release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownLinks:
    """Records of people (``file``, in the columns of the intruder's own) and which released record is whose (``truth``).

    Whoever finds a few people by other means, because they are colleagues or because they told, can learn from them
    which columns still point at people, and look for all others with that knowledge.

    Somebody who is in the intruder's own file too is known again by the values of the known columns, which must be the same
    in both: then nothing is claimed of it that was learned from its own link.
    """

    file: Release
    truth: Truth

    def __post_init__(self) -> None:
        if not isinstance(self.truth, Truth):
            raise TacitError(
                f"{format_value(self.truth)} is no truth about the acquaintances",
                code="wrong_type",
                fix="e.g. Truth.by_key(released=…, intruder=…)",
            )
        if len(self.truth.intruder) != self.file.size:
            raise TacitError(
                f"the truth has {len(self.truth.intruder)} rows for the {self.file.size} rows of the acquaintances",
                code="not_applicable",
                fix="give the truth of this very file",
            )

    def own_rows(self) -> np.ndarray:
        """The released row of each of them; −1 where there is none, or where a person has several.

        O((n + m) log n).
        """
        order = np.argsort(self.truth.released, kind="stable")
        persons = self.truth.released[order]
        first = np.searchsorted(persons, self.truth.intruder, side="left")
        past = np.searchsorted(persons, self.truth.intruder, side="right")
        single = (past - first == 1) & (self.truth.intruder >= 0)
        found = np.full(self.file.size, -1, dtype=np.int64)
        found[single] = order[first[single]]
        return found
