"""The intruder knows how many links its targets have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ...claims.claims import LinkClaims
from ...errors import TacitError, format_value
from ..structure.colours import half_edges
from .attack import check_applicable, why_not_comparable

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from ..graph import Graph
    from ..knowledge import Knowledge


UNLIKELY = 1e-9
"""Degrees less likely than this share of the likeliest are no candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Degree:
    r"""Link each target to the released nodes with as many links as it has.

    Somebody knows how many friends, co-authors or business partners a person has, and nothing else of the network. Of a
    directed graph links out and links in are counted apart. When the picture may be wrong, ``knowledge.wrong`` = φ, a
    node of d known links is one of D links

    * by ``match="tolerance"`` when :math:`|D - d| \le \lceil φ d \rceil`, φ-k-anonymity's candidates, all alike;
    * by ``match="likelihood"`` with the chance that as many links are false as are lacking, each about Poisson of mean
      :math:`μ = φ \max(d, 1)`: Skellam's law :math:`e^{-2μ} I_{|D-d|}(2μ)`.

    Where no degree is near enough, the nearest are taken: the release was changed, and the intruder guesses on.

    Time O(m) and what the distinct degrees cost, of which there are at most √(8m) (of a directed graph more).

    >>> from tacit.graphs import Graph, Knowledge
    >>> star = Graph(size=4, edges=np.array([[0, 1], [0, 2], [0, 3]]))
    >>> Degree().claims(star, Knowledge(graph=star)).set_sizes().tolist()
    [1, 3, 3, 3]

    References
    ----------
    Liu and Terzi (2008), Towards identity anonymization on graphs, SIGMOD, 93–106.
    Skellam (1946), The frequency distribution of the difference between two Poisson variates, JRSS 109, 296.
    """

    tolerant: ClassVar = True
    match: Literal["tolerance", "likelihood"] = "tolerance"

    def __post_init__(self) -> None:
        if self.match not in ("tolerance", "likelihood"):
            raise TacitError(
                f"match={format_value(self.match)} is unknown",
                code="unknown_name",
                parameter="match",
                fix="match is 'tolerance' or 'likelihood'",
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
        progress: Progress | None = None,  # noqa: ARG002 - it takes no time
    ) -> LinkClaims:
        """Which released nodes have the degree of each target."""
        check_applicable(self, released, knowledge)
        theirs, group_of = np.unique(degree_rows(released), axis=0, return_inverse=True)
        own = degree_rows(knowledge.graph)[knowledge.looked_for()]
        mine, claim_of = np.unique(own, axis=0, return_inverse=True)
        likely = self.match == "likelihood" and knowledge.wrong > 0
        if likely:
            sizes = np.bincount(group_of)
            found = [_likely_rows(one, theirs, sizes, knowledge.wrong) for one in mine]
            weights = np.concatenate([chances for _, chances in found])
            named = [groups for groups, _ in found]
        else:
            named, weights = (
                [_rows_within_reach(one, theirs, degree_tolerance(one, knowledge.wrong)) for one in mine],
                None,
            )
        start = np.append(0, np.cumsum([len(groups) for groups in named]))
        candidates = np.concatenate(named)
        return LinkClaims(claim_of=claim_of, start=start, candidates=candidates, group_of=group_of, weights=weights)


def degree_rows(graph: Graph) -> np.ndarray:
    """One row for each node: its degree, or its links out and in."""
    return np.column_stack([np.diff(start) for start, _ in half_edges([graph])])


def degree_tolerance(degrees: np.ndarray, wrong: float) -> np.ndarray:
    """By how many links each degree may be off.

    >>> degree_tolerance(np.array([1, 10, 100]), 0.1).tolist()
    [1, 1, 10]
    """
    return np.ceil(wrong * degrees - 1e-9).astype(np.int64)


def _rows_within_reach(degrees: np.ndarray, theirs: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """The rows of degrees within reach, else the nearest."""
    apart = np.abs(theirs - degrees)
    found = np.flatnonzero((apart <= reach).all(axis=1))
    total = apart.sum(axis=1)
    return found if len(found) else np.flatnonzero(total == total.min())


def _likely_rows(
    degrees: np.ndarray, theirs: np.ndarray, sizes: np.ndarray, wrong: float
) -> tuple[np.ndarray, np.ndarray]:
    """The likely rows of degrees, and the chance of each node that has them."""
    from scipy.special import ive

    mean = wrong * np.maximum(degrees, 1)
    likelihood = ive(np.abs(theirs - degrees), 2.0 * mean).prod(axis=1)
    if not likelihood.max() > 0:
        found = _rows_within_reach(degrees, theirs, np.zeros_like(degrees))
        return found, np.full(len(found), 1.0 / sizes[found].sum())
    found = np.flatnonzero(likelihood > UNLIKELY * likelihood.max())
    return found, likelihood[found] / float(likelihood[found] @ sizes[found])
