"""The intruder knows the surroundings of its targets, further and further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...claims.claims import LinkClaims
from ...errors import TacitError, check_int, format_value
from ...progress import report_progress
from ..structure.colours import Colours, refine_colours
from .attack import check_applicable, why_not_comparable

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """Link each target to the released nodes whose surroundings look the same after ``rounds`` of refinement.

    Somebody knows the network around a person: how many links it has (1 round), how many its neighbours have (2), how
    many theirs (3), and so on: Hay's H1, H2, …; None: until no round tells more. Both graphs are coloured together
    (:func:`tacit.graphs.structure.refine_colours`), so that a colour means the same in both; two nodes get one colour if and
    only if their surroundings are the same, there are no collisions. It is the cheapest strong attack on a graph that
    was only relabelled.

    One changed edge changes the colours around it, further each round. With ``otherwise="coarser"`` a target whose
    colour the release does not have is looked for with one round less, and so on; with ``"nobody"`` it has no
    candidate. :class:`.profile.Profile` stays near where this one is lost.

    Time O(m log m) a round, memory O(m + n · rounds).

    >>> from tacit.graphs import Graph, Knowledge
    >>> path = Graph(size=5, edges=np.array([[0, 1], [1, 2], [2, 3], [3, 4]]))
    >>> Refinement(rounds=2).claims(path, Knowledge(graph=path)).set_sizes().tolist()
    [2, 2, 1, 2, 2]

    References
    ----------
    Hay, Miklau, Jensen, Towsley and Weis (2008), Resisting structural re-identification in anonymized social networks,
    PVLDB 1, 102–114.
    """

    rounds: int | None = None
    otherwise: Literal["coarser", "nobody"] = "coarser"

    def __post_init__(self) -> None:
        if self.rounds is not None:
            check_int("rounds", self.rounds, least=0)
        if self.otherwise not in ("coarser", "nobody"):
            raise TacitError(
                f"otherwise={format_value(self.otherwise)} is unknown",
                code="unknown_name",
                parameter="otherwise",
                fix="it is 'coarser' or 'nobody'",
            )

    def applies(self, released: Graph, knowledge: Knowledge) -> str | None:
        """None when the attack can be made, else why not."""
        return why_not_comparable(released, knowledge)

    def claims(
        self,
        released: Graph,
        knowledge: Knowledge,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released nodes look like each target."""
        check_applicable(self, released, knowledge)
        report_progress(progress, "colouring both graphs", 0.0)
        colours = refine_colours([released, knowledge.graph], rounds=self.rounds)
        targets = knowledge.looked_for()
        depth = _deepest_rounds(colours, targets)
        facts: dict[str, object] = {
            "rounds": colours.rounds,
            "looks like nobody": float((depth < colours.rounds).mean()),
        }
        if self.otherwise == "nobody":
            count = colours.counts[-1]
            every = np.arange(count)
            return LinkClaims(
                claim_of=colours.last[1][targets],
                start=np.append(every, count),
                candidates=every,
                group_of=colours.last[0],
                facts=facts,
            )
        return _claims_at_depth(colours, targets, depth, facts)


def _deepest_rounds(colours: Colours, targets: np.ndarray) -> np.ndarray:
    """The last round at which the release has the colour of each target; as colours are nested, so it had before."""
    depth = np.zeros(len(targets), dtype=np.int64)
    for number, ((theirs, mine), count) in enumerate(zip(colours.after, colours.counts, strict=True)):
        there = np.zeros(count, dtype=bool)
        there[theirs] = True
        depth[there[mine[targets]]] = number
    return depth


def _claims_at_depth(colours: Colours, targets: np.ndarray, depth: np.ndarray, facts: dict[str, object]) -> LinkClaims:
    """Claims that name the finest classes of the release which have the colour of a target at its own depth."""
    finest, first, group_of = np.unique(colours.last[0], return_index=True, return_inverse=True)
    claim_of = np.empty(len(targets), dtype=np.int64)
    named: list[np.ndarray] = []
    sizes: list[np.ndarray] = []
    for number in np.unique(depth):
        theirs, mine = colours.after[number]
        asked, which = np.unique(mine[targets[depth == number]], return_inverse=True)
        claim_of[depth == number] = which + sum(len(one) for one in sizes)
        order = np.argsort(theirs[first], kind="stable")
        low, high = (np.searchsorted(theirs[first][order], asked, side=side) for side in ("left", "right"))
        step = np.arange(int((high - low).sum())) - np.repeat(np.cumsum(high - low) - high, high - low)
        named.append(order[step])
        sizes.append(high - low)
    start = np.append(0, np.cumsum(np.concatenate(sizes)))
    return LinkClaims(claim_of=claim_of, start=start, candidates=np.concatenate(named), group_of=group_of, facts=facts)
