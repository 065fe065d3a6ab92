"""People kept back as outsiders and as the population at once: each is compared with the half that it is not in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...claims.claims import MemberClaims
from ...release.households import one_per_household
from ...seed import child, generator
from ..nearness import Membership

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...progress import Progress
    from ...release.release import Release
    from ...seed import Seed

__all__ = ["Crossed"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Crossed:
    """A comparison of densities where the only people like those of the data are the outsiders, the last of the list.

    Were an outsider compared with all of them, it would meet itself there, and its family: the population would be denser
    around outsiders than around members whatever was released. So the outsiders are dealt into two halves, a household
    into one, and each is compared with the other half; members with either, at random. All meet as many people, none of
    them its own. Costs twice a :class:`.Membership` of half the people.
    """

    attack: Membership
    control: Release

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if min(np.bincount(self._halves(0), minlength=2)) <= self.attack.nearest:
            return f"half of the people kept back are fewer than {self.attack.nearest + 1}"
        return self.attack.applies(release, replace(scenario, also=(self.control,)))

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> MemberClaims:
        """The scores of both halves; the same scale, because distances are measured in units of the release."""
        drawn = seed if isinstance(seed, int | bytes) else 0
        halves, members = self._halves(drawn), scenario.file.size - self.control.size
        either = generator(child(drawn, "members")).permutation(members) % 2
        with_half = np.append(either, 1 - halves)
        scores = np.empty(scenario.file.size)
        for half in (0, 1):
            asked = np.flatnonzero(with_half == half)
            like = self.control.taken(np.flatnonzero(halves == half))
            alone = replace(scenario, file=scenario.file.taken(asked), also=(like,), households=None)
            scores[asked] = self.attack.claims(release, alone, progress=progress).scores
        return MemberClaims(scores=scores, threshold=0.0, facts={"records of the population": self.control.size // 2})

    def _halves(self, seed: int | bytes) -> np.ndarray:
        """The half of each outsider."""
        first, units = one_per_household(self.control)
        order: np.ndarray = generator(child(seed, "halves")).permutation(len(first)) % 2
        found: np.ndarray = order[units]
        return found
