"""The models that the databases of a population give, each with its generators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import TacitError, typed
from ...progress import report
from ...result import Shown, shown
from .learner import Key
from .population import Population
from .recurring import Recurring

if TYPE_CHECKING:
    from ...progress import Progress
    from .integral_privacy import IntegralPrivacy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelSpace(Shown):
    """All models found, the most recurrent first; of equally recurrent ones the better first.

    ``whole`` is the model of all records of the population together, which is a candidate only if smaller databases give
    it too. ``exact``: all databases of the sizes were looked at, not a sample. ``without`` of them gave no model.
    """

    population: Population
    sizes: tuple[int, ...]
    looked: int
    without: int
    exact: bool
    candidates: tuple[Recurring, ...]
    whole: Key | None
    delta: float = 0.0

    @property
    def best(self) -> float:
        """The best score of all models found, that of the whole population among them."""
        found = [one.score for one in self.candidates]
        return max([*found, *([] if self.whole is None else [self.population.score(self.whole)])])

    def pareto(self) -> tuple[Recurring, ...]:
        """The candidates that no other one surpasses in generators without being worse; the most recurrent first."""
        found: list[Recurring] = []
        for one in self.candidates:  # by generators, then by score
            if not found or one.score > found[-1].score:
                found.append(one)
        return tuple(found)

    def chosen(self, model: IntegralPrivacy) -> Recurring | None:
        """The best candidate of which the model holds; of equally good ones the most recurrent. None if there is none."""
        fits = [one for one in self.candidates if one.count >= model.k]
        for one in sorted(fits, key=lambda one: (-one.score, -one.count)):  # the costly questions only until one holds
            if model.holds(one):
                return one
        return None

    def given(self, candidate: Recurring, known: Iterable[int]) -> Recurring:
        r"""A candidate as an intruder sees it who knows of some records that they are members (``known``, rows from 0).

        .. math:: Gen(G, S^*) = \{X \subseteq P : S^* \subseteq X, A(X) = G\}

        The generators that have these records, and what else they have: whether :class:`IntegralPrivacy` still holds of them.
        O(generators · n / 8).
        """
        return replace(candidate, generators=candidate.generators.given(self.population.places(known)))

    def relaxed(self, delta: float, *, progress: Progress | None = None) -> ModelSpace:
        r"""Each model with the generators of all models within a distance of it: Δ-integral privacy.

        .. math:: Gen_\Delta(G) = \{X : d(A(X), G) \le \Delta\}

        Distances are the learner's: of parameters the largest difference in steps of their rounding, of trees the share of
        the judged records on which they differ. The model that is published stays as it is; an intruder who is told that
        it is one of those within Δ of the truth cannot tell these databases apart. O(models²) distances.

        References
        ----------
        Varshney and Torra (2023), Integrally private model selection for deep neural networks, DEXA, LNCS 14147, 408–422,
        who call it ε-integral privacy.
        """
        if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta < math.inf:
            raise TacitError(
                f"delta={typed(delta)} is no distance", fix="a number from 0 on: steps of rounding, for trees a share"
            )
        if self.delta:
            raise TacitError(
                "these models have the generators of their neighbours already", fix="relax the first space"
            )
        learner, judged = self.population.learner, self.population.judged[0]
        positions = learner.positions([one.key for one in self.candidates], judged)
        found = []
        for place, one in enumerate(self.candidates):
            report(progress, "comparing models", place / len(positions))
            near = learner.apart(positions[place], positions) <= delta
            others = (self.candidates[other].generators for other in near.nonzero()[0].tolist())
            found.append(replace(one, generators=one.generators.joined(others)))
        return replace(self, candidates=in_order(found), delta=float(delta))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees: how many models there are, and those that are best for their generators."""
        yield "population", f"{shown(self.population.size)} records"
        if self.population.left_out:
            yield "left out", f"{shown(self.population.left_out)} records with gaps"
        how = "all of them" if self.exact else "drawn"
        yield "databases", f"{shown(self.looked)} of {_said(self.sizes)} records, {how}"
        if self.without:
            yield "without a model", shown(self.without)
        yield "different models", shown(len(self.candidates))
        if self.delta:
            yield "generators of models within", shown(self.delta)
        measured = self.population.learner.MEASURED
        guess = self.population.guess()
        if guess is not None:
            yield f"{measured} of the best guess", shown(guess)
        if self.whole is not None:
            yield f"{measured} of the model of all records", shown(self.population.score(self.whole))
        yield f"best {measured}", shown(self.best)
        for one in self.pareto():
            yield "generators", f"{shown(one.count)}, {measured} {shown(one.score)}"

    def as_json(self) -> dict[str, Any]:
        """Counts, and the candidates that are best for their generators."""
        return {
            "population": self.population.size,
            "left out": self.population.left_out,
            "databases": self.looked,
            "sizes": list(self.sizes),
            "all databases": self.exact,
            "without a model": self.without,
            "different models": len(self.candidates),
            "delta": self.delta,
            "score of the best guess": self.population.guess(),
            "score of the model of all records": None if self.whole is None else self.population.score(self.whole),
            "best score": self.best,
            "pareto": [{"generators": one.count, "score": one.score} for one in self.pareto()],
        }

    def __repr__(self) -> str:
        return f"<ModelSpace of {shown(len(self.candidates))} models, {shown(self.looked)} databases>"


def in_order(candidates: Sequence[Recurring]) -> tuple[Recurring, ...]:
    """By generators, then by score, then by key, so that no draw decides."""
    return tuple(sorted(candidates, key=lambda one: (-one.count, -one.score, repr(one.key))))


def _said(sizes: tuple[int, ...]) -> str:
    return " or ".join(shown(size) for size in sizes)
