"""The intruder knows a group: who of them is linked with whom, and who is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...claims.claims import LinkClaims
from ...errors import TacitError, check_int, format_value
from ..structure.pattern import Pattern
from .attack import check_applicable, shuffle_release, why_not_comparable
from .degree import degree_rows, degree_tolerance
from .placements import find_placements

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


MOST = 64
"""Members of a group that are looked for together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Place a known group in the release so that links fall on links and non-links on non-links.

    Somebody knows a circle of people, the targets: who is linked with whom among them and, as telling, who is not.
    Every placement of the whole group in the release that agrees with both is as likely as any other; a target is at a
    node with the share of the placements that put it there. With ``degrees`` the intruder also knows how many links
    each of them has in all. When the picture may be wrong, ⌈φ · links⌉ of the pairs may disagree, and degrees may be
    off as for :class:`.degree.Degree`.

    The search tries the places next to those found already. When ``limit`` steps are not enough, the parts of the group
    that hang together are placed each by itself, and a note says so (:func:`.placed.placed`): sets are then wider,
    never narrower. At worst it is exponential in the size of the group, which may be at most 64.

    >>> from tacit.graphs import Graph, Knowledge
    >>> kite = Graph(size=5, edges=np.array([[0, 1], [0, 2], [1, 2], [2, 3], [3, 4]]))
    >>> tail = Knowledge(graph=kite, targets=np.array([2, 3, 4]))
    >>> Group(degrees=False).claims(kite, tail).set_sizes().tolist(), Group().claims(kite, tail).set_sizes().tolist()
    ([5, 2, 5], [1, 1, 1])

    References
    ----------
    Zhou and Pei (2008), Preserving privacy in social networks against neighborhood attacks, ICDE, 506–515.
    """

    tolerant: ClassVar = True
    degrees: bool = True
    limit: int = 200_000

    def __post_init__(self) -> None:
        check_int("limit", self.limit, least=1)
        if not isinstance(self.degrees, bool):
            raise TacitError(
                f"degrees={format_value(self.degrees)} is neither true nor false",
                code="not_boolean",
                parameter="degrees",
                fix="e.g. degrees=True",
            )

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        if knowledge.targets is None:
            return "no group of targets is named"
        if len(knowledge.targets) > MOST:
            return f"the group has {len(knowledge.targets):,} members and more than {MOST} are not looked for together"
        return why_not_comparable(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,
        progress: Progress | None = None,  # noqa: ARG002 - it ends by its limit
    ) -> LinkClaims:
        """Where each of the group may stand."""
        check_applicable(self, released, knowledge)
        hidden, order = shuffle_release(released, seed)
        pattern = pattern_of(hidden, knowledge, knowledge.looked_for(), degrees=self.degrees)
        found = find_placements(pattern, hidden, limit=self.limit)
        facts: dict[str, object] = {"steps": found.steps}
        facts |= {"placements": found.placements} if found.placements else {}
        return claims_from_chances(found.chances, order, notes=found.notes, facts=facts)


def pattern_of(released: Graph, knowledge: Knowledge, members: np.ndarray, *, degrees: bool) -> Pattern:
    """What is looked for: the part of the picture on the members, and where each of them may stand by its degree."""
    picture, wrong = knowledge.graph, knowledge.wrong
    inside = Pattern.of(picture, members)
    pairs = len(inside.links) // (1 if picture.directed else 2)
    spare = ceil(wrong * pairs - 1e-9)
    theirs, own = degree_rows(released), degree_rows(picture)[members]
    if degrees:
        reach = degree_tolerance(own, wrong)
        possible = [(np.abs(theirs - one) <= off).all(axis=1) for one, off in zip(own, reach, strict=True)]
    else:
        within = np.column_stack([_inner_degrees(inside, way) for way in range(own.shape[1])])
        possible = [(theirs >= one - spare).all(axis=1) for one in within]
    return Pattern(inside.links, [np.flatnonzero(one) for one in possible], picture.directed, spare)


def _inner_degrees(pattern: Pattern, way: int) -> np.ndarray:
    """How many links out (way 0) or in each member has within the group."""
    return np.bincount([link[way] for link in pattern.links] or [0], minlength=pattern.size) * bool(pattern.links)


def claims_from_chances(
    chances: Sequence[dict[int, float]],
    order: np.ndarray,
    *,
    notes: tuple[str, ...] = (),
    facts: dict[str, object] | None = None,
) -> LinkClaims:
    """Claims from the chance of each node for each target; ``order`` are the nodes' numbers in the release."""
    start = np.append(0, np.cumsum([len(one) for one in chances]))
    nodes = np.array([node for one in chances for node in one], dtype=np.int64)
    weights = np.array([chance for one in chances for chance in one.values()], dtype=np.float64)
    return LinkClaims(
        claim_of=np.arange(len(chances)),
        start=start,
        candidates=order[nodes],
        group_of=np.arange(len(order)),
        weights=weights,
        notes=notes,
        facts=facts or {},
    )
