"""What a reader is told of a learned distance: which columns identify people, and how far the search went."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .learn import LearnedDistance
    from .pairs import Pairs
    from .training_pairs import TrainingPairs


COLUMNS, WEIGHTS = "columns that identify people", "weight of each column"
WORDS = {
    "share": WEIGHTS,
    "together": "columns that count together",
    "counts against": "columns that speak against a link",
}
"""How a reading of the parameters is called among the facts of an attack."""


def distance_facts(best: LearnedDistance, pairs: Pairs, columns: tuple[str, ...], *, folds: int) -> dict[str, object]:
    """The headline is cross-validated; what is found of those learned from is an upper bound, and it has a bound itself.

    Somebody whose record has m − 1 twins is found with chance 1/m; the bound takes the most easily found.
    """
    chance = pairs.own_chances()
    read = best.family.describe_parameters(best.parameters, columns)
    most = np.sort(chance)[::-1][: best.bound]
    found: dict[str, object] = {
        "estimate": f"cross-validated, {folds} folds",
        "family": best.family.name,
        "learned from": len(best.found),
        "resubstitution (upper bound)": float((chance * best.found).sum() / len(chance)),
    }
    if best.searched:
        found["no such distance finds more than"] = float(most.sum() / len(chance))
        found |= {"proven best": best.gap == 0, "gap in people": best.gap}
    found[COLUMNS] = _lost_without(best, pairs, columns)
    return found | {WORDS.get(name, name): _round_shares(value) for name, value in read.items() if value}


def _round_shares(value: object) -> object:
    """Shares to four places: what a weight has beyond them is left from the search, and says nothing."""
    return {name: round(part, 4) for name, part in value.items()} if isinstance(value, dict) else value


def _lost_without(best: LearnedDistance, pairs: Pairs, columns: tuple[str, ...]) -> dict[str, float]:
    """What share of those learned from is no longer found when a column counts for nothing in the same distance.

    A weight alone says little: a column that was not changed has a large one, however few people it tells apart.
    """
    from .all_pairs import nearest_outcome

    chance, found = pairs.own_chances(), {}
    for place, column in enumerate(columns):
        kept = np.arange(len(columns)) != place
        costs = pairs.costs._replace(
            **{part: getattr(pairs.costs, part) * kept for part in ("weight", "missing", "both")}
        )
        without = nearest_outcome(replace(pairs, costs=costs), best.family, best.parameters).found
        found[column] = float((chance * (best.found & ~without)).sum() / len(chance))
    return found


def distance_notes(best: LearnedDistance, pairs: Pairs, lessons: TrainingPairs) -> tuple[str, ...]:
    """What the intruder could not use, and what no distance can do."""
    said = []
    links, used = len(lessons.rows), len(best.found)
    if used < links:
        said.append(f"learned from {used:,} of {links:,} links, drawn at random")
    records = np.bincount(lessons.sides.group_of)
    twins = int((records[lessons.sides.group_of[lessons.own]] > 1).sum())
    if twins:
        said.append(f"{twins:,} people share their released record with others, from whom no distance tells them")
    tied = _tied_seekers(best, pairs)
    if tied:
        said.append(
            f"{tied:,} of the links learned from tie with others: the headline counts a tie by its chance, resubstitution and its bound as not found"
        )
    return tuple(said)


def _tied_seekers(best: LearnedDistance, pairs: Pairs) -> int:
    """How many seekers are as near to other places as to their own, and to none nearer."""
    from .all_pairs import nearest_by

    start, places, _, _ = nearest_by(pairs, best.family, best.parameters, np.arange(len(pairs.seekers)))
    sizes = np.diff(start)
    own = places == np.repeat(pairs.own, sizes)
    return int((own & (np.repeat(sizes, sizes) > 1)).sum())
