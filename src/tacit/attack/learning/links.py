"""The claims of people who are looked for by a learned distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...claims.claims import LinkClaims
from ..belief import belief
from ..distance import turned
from .all_pairs import nearest_by
from .families.family import Family
from .pairs import Pairs
from .sides import Direction, Sides

__all__ = ["joined", "links"]

LEAST = 1e-9
"""No column counts for nothing: where all else ties, it decides."""


def links(sides: Sides, rows: np.ndarray, family: Family, parameters: np.ndarray, direction: Direction) -> LinkClaims:
    """Which released records are nearest to these rows of the file, or name them as their nearest."""
    from ...kernels.nearest import distinct_rows

    claim_of, first = distinct_rows(sides.queries)
    people, records = np.bincount(claim_of), np.bincount(sides.group_of)
    if direction == "release":
        pairs = sides.turned_pairs(sides.queries[first])
        start, named, distance, following = _nearest(pairs, family, parameters)
        scores = belief(start, named, distance=distance, following=following, people=records, records=people)
        made = turned(start, named, scores, claim_of=claim_of, group_of=sides.group_of)
        return _kept(made, rows)
    asked, local = np.unique(claim_of[rows], return_inverse=True)
    pairs = Pairs(sides.queries[first[asked]], sides.points, np.full(len(asked), -1), sides.costs)
    start, found, distance, following = _nearest(pairs, family, parameters)
    scores = belief(start, found, distance=distance, following=following, people=people[asked], records=records)
    return LinkClaims(claim_of=local, start=start, candidates=found, group_of=sides.group_of, scores=scores)


def _nearest(
    pairs: Pairs, family: Family, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The nearest places of all seekers; by a weighted mean in a tree, by any other distance over all pairs."""
    from ...kernels.nearest import nearest_and_next

    if not family.separable:
        return nearest_by(pairs, family, parameters, np.arange(len(pairs.seekers)))
    weight = np.maximum(parameters, LEAST * parameters.max())
    scaled = {name: getattr(pairs.costs, name) * weight for name in ("weight", "missing", "both")}
    return nearest_and_next(pairs.places, pairs.seekers, pairs.costs._replace(**scaled))


def _kept(claims: LinkClaims, rows: np.ndarray) -> LinkClaims:
    """The claims of these rows alone."""
    assert claims.weights is not None and claims.scores is not None
    asked, local = np.unique(claims.claim_of[rows], return_inverse=True)
    sizes = np.diff(claims.start)[asked]
    start = np.append(0, np.cumsum(sizes))
    place = np.repeat(claims.start[asked] - start[:-1], sizes) + np.arange(start[-1])
    return LinkClaims(
        claim_of=local,
        start=start,
        candidates=claims.candidates[place],
        group_of=claims.group_of,
        weights=claims.weights[place],
        scores=claims.scores[asked],
    )


def joined(parts: Sequence[tuple[np.ndarray, LinkClaims]], people: int) -> LinkClaims:
    """The claims of all people from those of each part of them (rows, claims)."""
    claim_of = np.empty(people, dtype=np.int64)
    offset = 0
    for rows, claims in parts:
        claim_of[rows] = claims.claim_of + offset
        offset += len(claims.start) - 1
    sizes = np.concatenate([np.diff(claims.start) for _, claims in parts])
    weights = [claims.weights for _, claims in parts if claims.weights is not None]
    return LinkClaims(
        claim_of=claim_of,
        start=np.append(0, np.cumsum(sizes)),
        candidates=np.concatenate([claims.candidates for _, claims in parts]),
        group_of=parts[0][1].group_of,
        weights=np.concatenate(weights) if weights else None,
        scores=np.concatenate([claims.scores for _, claims in parts if claims.scores is not None]),
    )
