"""The records that databases are drawn from, in an order that only their values decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, format_value
from ...release.masked import release_of
from ...seed import child_seed, make_generator
from .design import Design, Labels
from .learner import Key, Learner

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Features and target of the complete records, sorted by their values, and those held out to judge models by.

    ``rows`` are their numbers in the file; ``left_out`` records have a gap in an amount or in the target.
    """

    learner: Learner
    design: Design
    features: np.ndarray
    target: np.ndarray
    rows: np.ndarray
    judged: tuple[np.ndarray, np.ndarray]
    left_out: int

    @property
    def size(self) -> int:
        """How many records databases are drawn from."""
        return len(self.features)

    def positions_of(self, rows: Iterable[int]) -> np.ndarray:
        """The places of some rows of the file, counted from 0."""
        place = {int(row): number for number, row in enumerate(self.rows)}
        found = []
        for row in rows:
            if row not in place:
                raise TacitError(
                    f"row {format_value(row)} is in no database: it is not there, has a gap or is held out",
                    code="wrong_type",
                    fix="name rows of the population, counted from 0",
                )
            found.append(place[row])
        return np.array(sorted(set(found)), dtype=np.int64)

    def key(self, members: np.ndarray) -> Key | None:
        """The model of a database: the members' numbers are brought into canonical order."""
        chosen = np.sort(members)
        return self.learner.fit_key(self.features[chosen], self.target[chosen])

    def score(self, key: Key) -> float:
        """How good a model is on the records held out, or on the population where none are."""
        return self.learner.score(key, *self.judged)

    def majority_share(self) -> float | None:
        """The share of the judged records that have the most frequent label of the population; None where there are none."""
        if not isinstance(self.design.target, Labels):
            return None
        usual = np.bincount(self.target.astype(np.int64)).argmax()
        return float((self.judged[1] == usual).mean())


def population_of(
    release: Release | Masked, learner: Learner, *, held_out: float = 0.0, seed: int | bytes | None = None
) -> Population:
    """The population that a file is; a share of it is held out by the seed, whatever the order of its rows."""
    release = release_of(release)
    if isinstance(learner, type) or not hasattr(learner, "fit_key"):
        raise TacitError(
            f"{format_value(learner)} is no learner", code="wrong_type", fix="e.g. Tree(target='income', depth=4)"
        )
    if isinstance(held_out, bool) or not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        raise TacitError(
            f"held_out={format_value(held_out)} is no share of the records",
            code="out_of_range",
            parameter="held_out",
            fix="e.g. held_out=0.2; 0 for none",
        )
    design = learner.build_design(release)
    features, target = learner.matrix(design, release), design.target_values(release)
    whole = ~(np.isnan(features).any(axis=1) | np.isnan(target))
    rows = np.flatnonzero(whole)
    rows = rows[np.lexsort((target[rows], *features[rows].T))]
    apart = round(held_out * len(rows))
    if len(rows) - apart < 2:
        raise TacitError(
            f"{len(rows):,} of {release.size:,} records are complete, {apart:,} of them held out: no two are left to draw from",
            code="too_few_records",
            fix="fill the gaps, leave out columns with on=…, or hold out fewer",
        )
    away = np.zeros(len(rows), dtype=bool)
    if apart:
        if seed is None:
            raise TacitError(
                f"held_out={held_out} draws records at random and got no seed",
                code="seed",
                parameter="held_out",
                fix="e.g. seed=7",
            )
        away[make_generator(child_seed(seed, "held out")).permutation(len(rows))[:apart]] = True
    judged = rows[away] if apart else rows
    rows = rows[~away]
    return Population(
        learner=learner,
        design=design,
        features=features[rows],
        target=target[rows],
        rows=rows,
        judged=(features[judged], target[judged]),
        left_out=int((~whole).sum()),
    )
