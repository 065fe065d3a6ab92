"""Who is at risk: for internal eyes, the people whom an attack finds, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from ..claims.claims import LinkClaims
from ..claims.precision import own_rows, right_chances
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..progress import Progress, sub_progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import DisplayMixin, format_fact
from ..seed import child_seed
from ._scenarios import scenario_of, truth_of, with_known_links
from .registry import Attacks, resolve_attacks

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AtRisk(DisplayMixin):
    """The intruder's people, the one who is found most easily first. NEVER to be published: it points at people.

    Row ``order[i]`` of the intruder's file (that of the original, in the worst case) is found with ``chance[i]`` by
    ``attack[i]`` of ``attacks`` (−1: by none); ``sure[i]`` says that some attack KNEW a right link.
    """

    order: np.ndarray
    chance: np.ndarray
    attack: np.ndarray
    sure: np.ndarray
    attacks: tuple[str, ...]

    def frame(self) -> pl.DataFrame:
        """Everybody as a table: row of the file, chance, attack, sure."""
        names = np.array([*self.attacks, ""], dtype=object)[self.attack].tolist()
        by = pl.Series("attack", names, dtype=pl.String).replace("", None)
        return pl.DataFrame({"row": self.order, "chance": self.chance, "attack": by, "sure": self.sure})

    def rows(self) -> Iterator[tuple[str, str]]:
        """The first few, by row number (from 1 on)."""
        for row, chance, by, sure in self.frame().head(SHOWN).iter_rows():
            yield (
                f"row {row + 1}",
                f"{format_fact(chance)} by {by}{', surely' if sure else ''}" if by else "by no attack",
            )


def at_risk(
    masked: Masked | Release,
    *,
    original: Release | Scenario,
    knows: str | Iterable[str] | None = None,
    lineage: np.ndarray | None = None,
    attack: Attacks = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> AtRisk:
    """Who is found, by which attack, and whether the intruder could be sure of it (internal).

    The arguments are those of :func:`reidentify`. The chance of a person is that of the attack that finds it most easily;
    sure and right links come first, then the higher chance, then the row. The cost is that of the attacks.

    >>> r = Release(pl.DataFrame({"age": [20, 20, 44]}), quasi="age", kinds={"age": "continuous"})
    >>> found = at_risk(r, original=r, lineage=np.arange(3), attack="distance")
    >>> found.order.tolist(), found.chance.tolist()
    ([2, 0, 1], [1.0, 0.5, 0.5])
    """
    release = release_of(masked)
    truth = truth_of(masked, original, lineage)
    scenario = with_known_links(scenario_of(masked, original, knows=knows), truth)
    chosen = {name: one for name, one in resolve_attacks(attack).items() if one.applies(release, scenario) is None}
    chance, by = np.zeros(scenario.file.size), np.full(scenario.file.size, -1)
    sure = np.zeros(scenario.file.size, dtype=bool)
    for place, (name, one) in enumerate(chosen.items()):
        drawn = None if seed is None else child_seed(seed, "attack", name)
        share = sub_progress(progress, place / len(chosen), (place + 1) / len(chosen))
        claims = one.claims(release, scenario, seed=drawn, progress=share)
        assert isinstance(claims, LinkClaims)
        found, known = _of_attack(claims, truth)
        better = (found > chance) | ((found == chance) & known & ~sure)
        chance[better], by[better] = found[better], place
        sure |= known
    order = np.lexsort((np.arange(len(chance)), -chance, ~sure))
    return AtRisk(order=order, chance=chance[order], attack=by[order], sure=sure[order], attacks=tuple(chosen))


def _of_attack(claims: LinkClaims, truth: Truth) -> tuple[np.ndarray, np.ndarray]:
    chance = right_chances(claims, *own_rows(truth))
    sure = np.zeros(len(chance), dtype=bool) if claims.sure is None else claims.sure[claims.claim_of]
    return chance, sure & (chance > 0)
