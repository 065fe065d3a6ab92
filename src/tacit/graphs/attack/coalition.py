"""A coalition, or planted accounts, find themselves in the release, and then those whom they are linked with."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...errors import TacitError, check_int
from ..structure.colours import half_edges
from ..structure.search import Search
from .attack import check_applicable, shuffle_release, why_not_comparable
from .group import MOST, claims_from_chances, pattern_of
from .placements import cutoff_note

if TYPE_CHECKING:
    from ...claims.claims import LinkClaims
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Coalition:
    """Find the coalition's own subgraph in the release, then everybody whom it tells apart by links.

    The ``members`` (nodes of the picture) know the links and non-links among themselves and how many links each of them
    has. They look for their own subgraph in the release; where it stands, a target is one of the nodes that are linked
    with the same members and with no other. A coalition of friends who meet after the release is the passive attack;
    accounts made for the purpose, :func:`.plant.plant`, are the active one, and are found with near certainty. Several
    places are equally likely, and so are the nodes that look alike at each. A target without a link to any member has
    no candidate, a member is where the placements put it.

    When the picture may be wrong, ⌈φ · links⌉ of the pairs of members may disagree, and as large a part of the links of
    a target. The search stops after ``limit`` steps, and says so.

    Time: that of the search (each member is placed next to those placed before, and must have its very degree), then
    O(degrees of the members) for each place.

    References
    ----------
    Backstrom, Dwork and Kleinberg (2007), Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and
    structural steganography, WWW, 181–190.
    """

    tolerant: ClassVar = True
    members: tuple[int, ...] = ()
    limit: int = 200_000

    def __post_init__(self) -> None:
        check_int("limit", self.limit, least=1)
        object.__setattr__(self, "members", tuple(int(one) for one in self.members))
        if len(set(self.members)) < len(self.members) or len(self.members) > MOST or min(self.members, default=0) < 0:
            raise TacitError(
                "the members are not up to 64 different nodes",
                code="wrong_type",
                fix="give their numbers in the picture",
            )

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        if not self.members:
            return "nobody is named as a member of a coalition"
        if max(self.members) >= knowledge.graph.size:
            return "a member is no node of the picture"
        return why_not_comparable(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,
        progress: Progress | None = None,  # noqa: ARG002 - it ends by its limit
    ) -> LinkClaims:
        """Where each target may stand."""
        check_applicable(self, released, knowledge)
        hidden, order = shuffle_release(released, seed)
        members, targets = np.array(self.members), knowledge.looked_for().tolist()
        search = Search(pattern_of(hidden, knowledge, members, degrees=True), hidden, self.limit)
        wanted = _member_signatures(half_edges([knowledge.graph]), self.members)
        lists = half_edges([hidden])
        found: list[dict[int, float]] = [{} for _ in targets]
        total = 0
        for placement in search:
            total += 1
            own = dict(zip(self.members, placement, strict=True))
            alike = _nodes_by_signature(_member_signatures(lists, placement), set(placement))
            for tally, target in zip(found, targets, strict=True):
                nodes = (
                    [own[target]] if target in own else _matching_nodes(wanted.get(target, 0), alike, knowledge.wrong)
                )
                for node in nodes:
                    tally[node] = tally.get(node, 0.0) + 1.0 / len(nodes)
        chances = [{node: share / total for node, share in tally.items()} for tally in found]
        return claims_from_chances(
            chances, order, notes=cutoff_note(search), facts={"placements": total, "steps": search.steps}
        )


def _member_signatures(lists: list[tuple[np.ndarray, np.ndarray]], members: tuple[int, ...]) -> dict[int, int]:
    """For every node that is linked with a member the set of these links, as the bits of a number."""
    found: dict[int, int] = {}
    for way, (start, other) in enumerate(lists):
        for place, member in enumerate(members):
            bit = 1 << (place + way * len(members))
            for node in other[start[member] : start[member + 1]].tolist():
                found[node] = found.get(node, 0) | bit
    return found


def _nodes_by_signature(signatures: dict[int, int], members: set[int]) -> dict[int, list[int]]:
    """The nodes outside the coalition by their links with it."""
    found: dict[int, list[int]] = {}
    for node, signature in signatures.items():
        if node not in members:
            found.setdefault(signature, []).append(node)
    return found


def _matching_nodes(signature: int, alike: dict[int, list[int]], wrong: float) -> list[int]:
    """The nodes with these links; when links may be wrong, those with the fewest other ones, within the tolerance."""
    if not signature or (signature in alike and not wrong):
        return alike.get(signature, [])
    most = ceil(wrong * signature.bit_count() - 1e-9)
    near = {one: (one ^ signature).bit_count() for one in alike}
    return [node for one, apart in near.items() if apart <= most for node in alike[one]]
