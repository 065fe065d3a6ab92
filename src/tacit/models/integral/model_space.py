"""Which models the databases of a population give: from a sample of the databases, or from all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError, check_int, format_value
from ...interval import wilson
from ...progress import report_progress
from ...result import DisplayMixin, format_fact
from ...seed import child_seed, make_generator
from .generators import Generators, pack_members
from .learner import Key, Learner
from .population import Population, population_of
from .published import PublishedModel
from .recurring_model import RecurringModel

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.masked import Masked
    from ...release.release import Release
    from .integral_privacy import IntegralPrivacy

HELD_OUT = 0.2
"""The share of the records that judges models which predict or cluster."""

ALL = 200_000
"""More databases than these are not listed."""

USUAL = 0.1
"""The share of the population that a database has unless its size is said."""


def find_recurrent_models(
    release: Release | Masked,
    learner: Learner,
    *,
    draws: int,
    sizes: int | Iterable[int] | None = None,
    held_out: float | None = None,
    seed: int | bytes,
    progress: Progress | None = None,
) -> ModelSpace:
    r"""The models that many different databases give, found by drawing ``draws`` of them.

    The file is the population P. Databases are subsets of it of the given ``sizes`` (a tenth of it when none is said); each
    is learnt from by a deterministic algorithm A, and those with the same model are its generators:

    .. math:: Gen(G) = \{X \subseteq P : A(X) = G\}

    A model with many generators and no record in all of them can be published without telling which database it came
    from. Databases are drawn in rounds that share no record within a round, so that disjoint generators can be found;
    each is uniform by itself. Generators that were drawn exist, so that :class:`IntegralPrivacy` that holds here holds;
    what was not found may exist nevertheless.

    A fifth of the records (``held_out``) is kept from all databases to judge models that predict or cluster; moments are
    judged by the population. Records with a gap in an amount or in the target are left out; a missing label is a label.
    Weights are not used. The order of rows and columns in the file changes nothing.

    ``draws`` times the cost of the learner, O(draws · n / 8) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.models.integral import IntegralPrivacy, Moments
    >>> pay = Release(pl.DataFrame({"pay": [float(30 + i % 7) for i in range(100)]}))
    >>> space = find_recurrent_models(pay, Moments(on="pay", grid={"pay": 1}), draws=200, sizes=10, seed=7)
    >>> print(space.select_candidate(IntegralPrivacy(k=50)).model)
    mean of pay                33
    standard deviation of pay  2

    References
    ----------
    Torra and Navarro-Arribas (2016), Integral privacy, CANS, LNCS 10052, 661–669. Torra, Navarro-Arribas and Galván
    (2020), Explaining recurrent machine learning models: integral privacy revisited, PSD, LNCS 12276, 62–73.
    """
    check_int("draws", draws, least=1)
    population = population_of(release, learner, held_out=_held_out(learner, held_out), seed=seed)
    chosen = checked_sizes(sizes, population.size)
    every = drawn_subsets(population.size, chosen, draws, make_generator(child_seed(seed, "databases")))
    return _build_space(population, chosen, every, draws, exact=False, progress=progress)


def enumerate_models(
    release: Release | Masked,
    learner: Learner,
    *,
    sizes: int | Iterable[int],
    held_out: float = 0.0,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> ModelSpace:
    """The models that all databases of the ``sizes`` give, with all their generators: exact, for tiny populations.

    At most 200,000 databases. Models are judged by the population itself unless records are ``held_out``, by a ``seed``.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.models.integral import Moments
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 10.0, 20.0, 60.0]}))
    >>> [(one.count, one.common) for one in enumerate_models(pay, Moments(grid={"pay": 10}), sizes=2).candidates]
    [(2, 1), (2, 1), (1, 2), (1, 2)]

    References
    ----------
    Torra and Navarro-Arribas (2016), Integral privacy, CANS, LNCS 10052, 661–669.
    """
    population = population_of(release, learner, held_out=held_out, seed=seed)
    chosen = checked_sizes(sizes, population.size)
    count, every = every_subset(population.size, chosen)
    return _build_space(population, chosen, every, count, exact=True, progress=progress)


def _held_out(learner: Learner, given: float | None) -> float:
    if given is not None:
        return given
    return HELD_OUT if getattr(learner, "HELD_OUT", False) else 0.0


def _build_space(
    population: Population,
    sizes: tuple[int, ...],
    databases: Iterator[np.ndarray],
    count: int,
    *,
    exact: bool,
    progress: Progress | None,
) -> ModelSpace:
    ((everybody, _),) = _learn_keys(population, iter([np.arange(population.size)]))
    found: dict[Key, dict[bytes, None]] = {}
    for number, (key, database) in enumerate(_learn_keys(population, databases)):
        report_progress(progress, "learning from databases", number / count)
        found.setdefault(key, {})[database] = None
    looked = sum(map(len, found.values()))
    without = len(found.pop(None, {}))
    if not found:
        raise TacitError(
            "no database gave a model",
            code="invalid_parameter",
            fix="draw larger databases, or ask for fewer clusters or for another target",
        )
    candidates = [_make_recurring_model(population, key, each, looked) for key, each in found.items()]
    return ModelSpace(
        population=population,
        sizes=sizes,
        looked=looked,
        without=without,
        exact=exact,
        candidates=in_order(candidates),
        whole=everybody,
    )


def _learn_keys(population: Population, databases: Iterator[np.ndarray]) -> Iterator[tuple[Key | None, bytes]]:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):  # so that sums come in one order on every machine
        for members in databases:
            yield population.key(members), pack_members(members, population.size)


def _make_recurring_model(population: Population, key: Key, databases: Iterable[bytes], looked: int) -> RecurringModel:
    score = population.score(key)
    judged = len(population.judged[1])
    return RecurringModel(
        key=key,
        model=PublishedModel.of(population.learner, population.design, key),
        generators=Generators.of(databases, population.size),
        looked=looked,
        score=score,
        interval=wilson(score * judged, judged) if population.learner.COUNTED else None,
        values=np.column_stack([population.features, population.target]),
    )


def checked_sizes(sizes: int | Iterable[int] | None, population: int) -> tuple[int, ...]:
    """The sizes of databases, each at most that of the population; a tenth of it when none is said.

    >>> checked_sizes(None, 250), checked_sizes([3, 2, 3], 250)
    ((25,), (2, 3))
    """
    if sizes is None:
        return (max(2, round(USUAL * population)),)
    found = (sizes,) if isinstance(sizes, int) else tuple(sizes) if isinstance(sizes, Iterable) else (sizes,)
    if not found:
        raise TacitError("no size of databases is given", code="missing_parameter", fix="e.g. sizes=100")
    for size in found:
        check_int("sizes", size, least=1)
        if size > population:
            raise TacitError(
                f"a database of {size:,} records cannot be drawn from {population:,}",
                code="invalid_parameter",
                fix=f"give sizes of at most {population // 2:,}, so that two databases need not share a record",
            )
    return tuple(sorted(set(found)))


def drawn_subsets(
    population: int, sizes: tuple[int, ...], draws: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """So many databases, the sizes by turns: the population in random order, cut into as many blocks as it gives.

    Each database by itself is uniform over all of its size; those of one round share no record, which independent draws of
    many records never do.

    >>> [sorted(one.tolist()) for one in drawn_subsets(4, (2,), 2, np.random.default_rng(1))]
    [[0, 1], [2, 3]]
    """
    made = 0
    while made < draws:
        for size in sizes:
            order = rng.permutation(population)
            for start in range(0, population - size + 1, size):
                if made == draws:
                    return
                yield order[start : start + size]
                made += 1


def every_subset(population: int, sizes: tuple[int, ...]) -> tuple[int, Iterator[np.ndarray]]:
    """All databases of the sizes, and how many they are; too many are refused.

    >>> count, found = every_subset(3, (2,))
    >>> count, [one.tolist() for one in found]
    (3, [[0, 1], [0, 2], [1, 2]])
    """
    count = sum(comb(population, size) for size in sizes)
    if count > ALL:
        raise TacitError(
            f"{population:,} records have {count:,} databases of these sizes, too many to list",
            code="too_large",
            fix="draw some of them: tacit.models.integral.model_space(…, draws=1000, seed=7)",
        )
    every = chain.from_iterable(combinations(range(population), size) for size in sizes)
    return count, (np.array(one, dtype=np.int64) for one in every)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelSpace(DisplayMixin):
    """All models found, the most recurrent first; of equally recurrent ones the better first.

    ``whole`` is the model of all records of the population together, which is a candidate only if smaller databases give
    it too. ``exact``: all databases of the sizes were looked at, not a sample. ``without`` of them gave no model.
    """

    population: Population
    sizes: tuple[int, ...]
    looked: int
    without: int
    exact: bool
    candidates: tuple[RecurringModel, ...]
    whole: Key | None
    delta: float = 0.0

    @property
    def best_score(self) -> float:
        """The best score of all models found, that of the whole population among them."""
        found = [one.score for one in self.candidates]
        return max([*found, *([] if self.whole is None else [self.population.score(self.whole)])])

    def pareto(self) -> tuple[RecurringModel, ...]:
        """The candidates that no other one surpasses in generators without being worse; the most recurrent first."""
        found: list[RecurringModel] = []
        for one in self.candidates:  # by generators, then by score
            if not found or one.score > found[-1].score:
                found.append(one)
        return tuple(found)

    def select_candidate(self, model: IntegralPrivacy) -> RecurringModel | None:
        """The best candidate of which the model holds; of equally good ones the most recurrent. None if there is none."""
        fits = [one for one in self.candidates if one.count >= model.k]
        for one in sorted(fits, key=lambda one: (-one.score, -one.count)):  # the costly questions only until one holds
            if model.holds(one):
                return one
        return None

    def with_known_members(self, candidate: RecurringModel, known: Iterable[int]) -> RecurringModel:
        r"""A candidate as an intruder sees it who knows of some records that they are members (``known``, rows from 0).

        .. math:: Gen(G, S^*) = \{X \subseteq P : S^* \subseteq X, A(X) = G\}

        The generators that have these records, and what else they have: whether :class:`IntegralPrivacy` still holds of them.
        O(generators · n / 8).
        """
        return replace(
            candidate, generators=candidate.generators.containing_members(self.population.positions_of(known))
        )

    def relax(self, delta: float, *, progress: Progress | None = None) -> ModelSpace:
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
                f"delta={format_value(delta)} is no distance",
                code="out_of_range",
                parameter="delta",
                fix="a number from 0 on: steps of rounding, for trees a share",
            )
        if self.delta:
            raise TacitError(
                "these models have the generators of their neighbours already",
                code="already_masked",
                fix="relax the first space",
            )
        learner, judged = self.population.learner, self.population.judged[0]
        positions = learner.positions([one.key for one in self.candidates], judged)
        found = []
        for place, one in enumerate(self.candidates):
            report_progress(progress, "comparing models", place / len(positions))
            near = learner.distances_to(positions[place], positions) <= delta
            others = (self.candidates[other].generators for other in near.nonzero()[0].tolist())
            found.append(replace(one, generators=one.generators.union_with(others)))
        return replace(self, candidates=in_order(found), delta=float(delta))

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees: how many models there are, and those that are best for their generators."""
        yield "population", f"{format_fact(self.population.size)} records"
        if self.population.left_out:
            yield "left out", f"{format_fact(self.population.left_out)} records with gaps"
        how = "all of them" if self.exact else "drawn"
        yield "databases", f"{format_fact(self.looked)} of {_format_sizes(self.sizes)} records, {how}"
        if self.without:
            yield "without a model", format_fact(self.without)
        yield "different models", format_fact(len(self.candidates))
        if self.delta:
            yield "generators of models within", format_fact(self.delta)
        measured = self.population.learner.MEASURED
        guess = self.population.majority_share()
        if guess is not None:
            yield f"{measured} of the best guess", format_fact(guess)
        if self.whole is not None:
            yield f"{measured} of the model of all records", format_fact(self.population.score(self.whole))
        yield f"best {measured}", format_fact(self.best_score)
        for one in self.pareto():
            yield "generators", f"{format_fact(one.count)}, {measured} {format_fact(one.score)}"

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
            "score of the best guess": self.population.majority_share(),
            "score of the model of all records": None if self.whole is None else self.population.score(self.whole),
            "best score": self.best_score,
            "pareto": [{"generators": one.count, "score": one.score} for one in self.pareto()],
        }

    def __repr__(self) -> str:
        return f"<ModelSpace of {format_fact(len(self.candidates))} models, {format_fact(self.looked)} databases>"


def in_order(candidates: Sequence[RecurringModel]) -> tuple[RecurringModel, ...]:
    """By generators, then by score, then by key, so that no draw decides."""
    return tuple(sorted(candidates, key=lambda one: (-one.count, -one.score, repr(one.key))))


def _format_sizes(sizes: tuple[int, ...]) -> str:
    return " or ".join(format_fact(size) for size in sizes)
