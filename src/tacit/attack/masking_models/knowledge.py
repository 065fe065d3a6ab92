"""What a published step tells an intruder about columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace
    from ..column_pair import ColumnPair


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MaskingKnowledge:
    """Columns as somebody compares them who was told how they were masked.

    ``compared`` takes the place of the generic comparison of ``columns``. Where a law has a density, costs are minus the
    logarithm of the likelihood ratio: of the released value given the intruder's, against that of a random record; so
    the costs of all columns add up. ``certain`` says that the true record is never beyond the bounds of ``compared``
    when the intruder's values are right: only then can one candidate be a sure link. ``notes`` tell what could not be
    used, without a value of the data. ``law`` says that a method's law stands behind it, not only equal values.
    """

    columns: tuple[str, ...]
    compared: tuple[ColumnPair, ...]
    certain: bool
    notes: tuple[str, ...] = ()
    law: bool = False


class MaskingModel(Protocol):
    """What the published step says about those of its columns that both files have and that no other step changed."""

    def __call__(self, step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
        """The columns that the law can explain; those that it leaves out are compared as if nothing had been told."""
