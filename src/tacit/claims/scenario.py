"""What the intruder has when the release appears; an attack reads nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import TacitError, names
from ..release.release import Release
from ..release.trace import Trace

__all__ = ["Scenario"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """The intruder's own records, the columns of them that the release may have too, and what was told (A-02).

    ``file`` is cut to ``knows``: an attack cannot look at more. ``told`` is what was published about the masking:
    nothing, the names of the methods, or the whole trace.
    """

    file: Release
    knows: tuple[str, ...]
    told: tuple[Trace, ...] = ()

    def __post_init__(self) -> None:
        knows = names(self.knows, self.file.columns)
        if not knows:
            raise TacitError("the intruder knows no column", fix="name at least one, e.g. knows=['zip']")
        object.__setattr__(self, "knows", knows)
        object.__setattr__(self, "file", self.file.selected(knows))

    @staticmethod
    def worst_case(
        original: Release, *, knows: str | Iterable[str] | None = None, told: tuple[Trace, ...] = ()
    ) -> Scenario:
        """An intruder who knows the given columns (all quasi-identifiers when none is given) of everybody in the file."""
        return Scenario(file=original, knows=original.quasi if knows is None else names(knows), told=told)
