"""What some of the columns tell of people whose own records were not learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...claims.scenario import Scenario
from ...claims.truth import Truth
from ...errors import TacitError
from ...loss.learning.estimators import Estimator
from ...loss.learning.features import Features
from ...loss.learning.predicted import predicted
from ...release.release import Release
from ...seed import child, generator
from ..columns import common
from ..values.single_guess import single_guess
from ..values.target import target_of
from .by_class import BY_CLASS, binned, by_class, joined_keys
from .features import features_of


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """Everything that does not depend on which columns are taken, prepared once."""

    column: str
    estimator: Estimator
    features: Mapping[str, Features]
    keys: Mapping[str, np.ndarray]
    values: np.ndarray
    known: np.ndarray
    true: np.ndarray
    within: float
    last: float
    fold_of_release: np.ndarray
    fold_of_people: np.ndarray
    seed: bytes

    @staticmethod
    def of(
        release: Release,
        scenario: Scenario,
        truth: Truth,
        *,
        column: str,
        estimator: Estimator,
        folds: int,
        seed: int | bytes | None,
    ) -> Subsets:
        """For the people of the scenario whose true value is known; invented records are learnt from in every fold."""
        assert truth.values is not None
        numbers = truth.values.dtype.kind == "f"
        asked = ~np.isnan(truth.values) if numbers else truth.values >= 0
        if not asked.any():
            raise TacitError("is missing for everybody attacked", column=column, fix="give a file that has its values")
        own = child(0 if seed is None else seed, "folds")
        fold = generator(own).permutation(len(truth.intruder)) % folds
        target = target_of(release, column)
        values = target.codes if target.codes is not None else target.numbers
        assert values is not None
        people = scenario.file.taken(np.flatnonzero(asked))
        features = {name: features_of(release, people, (name,)) for name in common(release, scenario.file)}
        return Subsets(
            column=column,
            estimator=estimator,
            features=features,
            keys={name: _keys(one) for name, one in features.items()} if estimator == BY_CLASS else {},
            values=values,
            known=target.known(),
            true=truth.values[asked].astype(float),
            within=truth.within * (1 + 1e-12),
            last=target.count - 1 if target.codes is not None else np.inf,  # a code beyond is no value of the release
            fold_of_release=np.append(fold, -1)[truth.released],
            fold_of_people=fold[asked],
            seed=own,
        )

    def guess(self) -> np.ndarray:
        """1 for each person of whom the best single guess is true: the value that hits most of the people.

        It is that of the true values, not of the release: of two values that are about as frequent, the release may have the
        wrong one in front, and a guess that is wrong more often than it need be would make every set look good.
        """
        named = np.where(self.true <= self.last, self.true, np.nan)
        return single_guess(named, within=self.within)

    def hits(self, columns: tuple[str, ...]) -> np.ndarray:
        """1 for each person of whom the columns tell the true value."""
        said = np.full(len(self.true), np.nan)
        keys = self._joined(columns)
        for number in np.unique(self.fold_of_people):
            learnt = np.flatnonzero(self.known & (self.fold_of_release != number))
            asked = np.flatnonzero(self.fold_of_people == number)
            if len(learnt):
                said[asked] = self._said(columns, keys, learnt, asked)
        return self._right(said)

    def _right(self, said: np.ndarray) -> np.ndarray:
        right: np.ndarray = np.abs(said - self.true) <= self.within
        return right.astype(float)

    def _said(self, columns: tuple[str, ...], keys: np.ndarray, learnt: np.ndarray, asked: np.ndarray) -> np.ndarray:
        if self.estimator != BY_CLASS and len(np.unique(self.values[learnt])) > 1:
            parts = [self.features[name] for name in columns]
            together = replace(parts[0], sides=tuple(side for part in parts for side in part.sides))
            rng = generator(child(self.seed, "estimator"))
            return predicted(self.estimator, together, self.values, learnt=learnt, asked=asked, rng=rng).single()
        return by_class(keys[learnt], self.values[learnt], keys[len(self.values) + asked], within=self.within)

    def _joined(self, columns: tuple[str, ...]) -> np.ndarray:
        keys = np.zeros(len(self.values) + len(self.true), dtype=np.int64)
        for name in columns if self.estimator == BY_CLASS else ():
            keys = joined_keys(keys, self.keys[name])
        return keys


def _keys(features: Features) -> np.ndarray:
    """One column as the numbers of its classes, in the release and then in the people's file."""
    keys = np.zeros(features.release_size + features.people_size, dtype=np.int64)
    for side in features.sides:
        pair = side.release, side.people
        if side.codes:
            gap = np.nanmax(side.release) + 1
            pair = np.where(np.isnan(pair[0]), gap, pair[0]), np.where(np.isnan(pair[1]), gap, pair[1])
        else:
            pair = binned(*pair)
        keys = joined_keys(keys, np.concatenate(pair).astype(np.int64))
    return keys
