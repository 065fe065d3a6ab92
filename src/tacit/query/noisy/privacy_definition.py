"""What differential privacy is promised about: whose data may change, how, and how the loss is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from ...dp.cost import Unit
from ...dp.neighbours import Neighbours, check_neighbours
from ...errors import TacitError, check_int, suggest_alternative


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyDefinition:
    """Unit of account, neighbours, how many rows of a unit count, and the number of units where it is public.

    One data set has one promise: losses under different neighbours cannot be added up. ``size`` belongs to ``replace``,
    under which all neighbours are of one size; otherwise it would tell whether somebody is there.
    """

    unit: Unit
    neighbours: Neighbours
    rows: int
    size: int | None = None

    def __post_init__(self) -> None:
        if self.unit not in get_args(Unit):
            raise TacitError(
                f"unit = {self.unit!r} is not counted", fix=suggest_alternative(str(self.unit), get_args(Unit))
            )
        check_neighbours(self.neighbours)
        check_int("rows_per_unit", self.rows, least=1)
        if self.size is not None:
            check_int("size", self.size, least=1)
            if self.neighbours != "replace":
                raise TacitError(
                    "a public size and neighbours = 'add_remove' cannot be: the size tells whether one is there",
                    fix="leave size out, or set neighbours = 'replace'",
                )
