"""The minimality attack: levels are no higher than they had to be, and that tells who has which value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb, lgamma, log
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from ..claims.claims import ValueClaims
from ..errors import TacitError, check_int, format_value
from ..models.load import models_of
from ..progress import report_progress
from ..release.hierarchy.base import label_expression
from ..release.step_effects import adds_records, drops_records, flatten_steps, published_outcome, step_effect
from ..seed import make_generator, seed_or_default
from ._columns import engine_limit
from .masking_models.knowledge import step_parameter

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..models.demand import Demand
    from ..progress import Progress
    from ..release.release import Release
    from ..release.trace import Trace
    from ..seed import Seed

KINDS = ("distinct", "entropy", "recursive", "largest")

MOST = 8
"""Levels below that are reckoned with; more would only tell more."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedGeneralisation:
    """What was published of a full-domain generalisation: its levels, and what it demanded of every class."""

    levels: Mapping[str, int]
    lowest: Mapping[str, int]
    demands: tuple[Demand, ...]
    column: str

    @property
    def min_class_size(self) -> int:
        """The fewest records of a class."""
        return max([one.least for one in self.demands], default=1)

    @property
    def diversity_demands(self) -> tuple[Demand, ...]:
        """What is demanded of the confidential values of a class."""
        return tuple(one for one in self.demands if one.column is not None)


@dataclass(frozen=True, slots=True, eq=False)
class RefinedClasses:
    """Everybody's class and, for each of the levels below that only confidential values can have ruled out, the part
    of it where the person would be. ``cell`` is the finest of all these parts.
    """

    of_person: np.ndarray
    of_record: np.ndarray
    parts: tuple[np.ndarray, ...]
    cell: np.ndarray


def told_of(release: Release, scenario: Scenario, column: str | None) -> PublishedGeneralisation | str:
    """What the trace tells of the generalisation and of one confidential column, or why that is not enough."""
    steps = flatten_steps(scenario.told)
    searched = [step for step in steps if step.model == "full_domain"]
    if len(searched) != 1:
        return "no step of full_domain was told, or several"
    if any(step_effect(one, release).kind != "nothing" for one in steps if one is not searched[0]):
        return "other steps changed values, too"
    if drops_records(scenario.told) or adds_records(scenario.told) or step_parameter(searched[0], "suppression", 0):
        return (
            "records were left out or invented, or might have been: a level below may have failed for too many of them"
        )
    return _of_step(searched[0], release, column)


def _of_step(step: Trace, release: Release, column: str | None) -> PublishedGeneralisation | str:
    if step_parameter(step, "seconds") is not None or step_parameter(step, "objective", "loss") == "accuracy":
        return "the levels need not be minimal: the search was cut short, or its objective does not fall with them"
    levels = published_outcome(step, "levels")
    if not isinstance(levels, Mapping):
        return "the levels were not published"
    try:
        demands = tuple(one for model in models_of(step_parameter(step, "models")) for one in model.demands(release))
    except TacitError:
        return "the models that were met were not published"
    about = tuple(dict.fromkeys(one.column for one in demands if one.column is not None))
    if not about:
        return "no model asks anything of confidential values, so that levels tell nothing about them"
    if len(about) > 1 or (column is not None and about != (column,)):
        return "models ask something of several confidential columns, or of another one: each may be the reason"
    if any(one.mapped or one.low or one.high < 1 or (one.column and one.kind not in KINDS) for one in demands):
        return f"only counts and the spreads {', '.join(KINDS)} are reckoned with"
    weights: Any = step_parameter(step, "weights", {})
    free = {name: 0 for name, weight in weights.items() if not weight}
    lowest = {name: int(level) for name, level in step_parameter(step, "lowest", {}).items()}
    lowest |= {name: int(levels[name]) for name in free if name in levels}
    return PublishedGeneralisation(dict(levels), lowest, demands, str(about[0]))


def refine_classes(release: Release, scenario: Scenario, known: PublishedGeneralisation) -> RefinedClasses:
    """Everybody's class in the release, and where they would be one level lower in each column.

    A level below that leaves the classes as they are, or a class with too few people, needs no confidential value to
    explain why it was not taken; neither does one below the lowest level allowed. O(n log n) for each column.
    """
    file, quasi = scenario.file, release.quasi
    published = [_level_labels(file, release, column, release.levels.get(column, 0)) for column in quasi]
    shown = [release.series(column).cast(pl.String) for column in quasi]
    both = _number_rows([pl.concat([one, other]) for one, other in zip(shown, published, strict=True)])
    of_record, of_person = both[: release.size], both[release.size :]
    size = int(both.max()) + 1
    if (np.bincount(of_record, minlength=size) != np.bincount(of_person, minlength=size)).any():
        raise TacitError(
            "the intruder's people do not fall into the classes of the release as its records do",
            code="out_of_range",
            fix="give the quasi-identifiers of everybody in the release, and nobody else",
        )
    parts: list[np.ndarray] = []
    for place, column in enumerate(quasi):
        level = release.levels.get(column, 0)
        if level <= known.lowest.get(column, 0):
            continue
        lower = [*published[:place], _level_labels(file, release, column, level - 1), *published[place + 1 :]]
        part = _number_rows(lower)
        counts = np.bincount(part)
        if counts.min() >= known.min_class_size and len(counts) > len(np.unique(of_person)):
            parts.append(part)
    parts = parts[:MOST]
    cell = _number_rows([pl.Series(part) for part in (of_person, *parts)])
    return RefinedClasses(of_person, of_record, tuple(parts), cell)


def _level_labels(file: Release, release: Release, column: str, level: int) -> pl.Series:
    """The intruder's values of a column at a level, as text."""
    if not level:
        return file.series(column).cast(pl.String)
    one = file.select(column)
    return (
        one.with_columns({column: label_expression(release.hierarchies[column], column, level)})
        .series(column)
        .cast(pl.String)
    )


def _number_rows(columns: list[pl.Series]) -> np.ndarray:
    """Equal rows have equal numbers, from 0 on."""
    frame = pl.DataFrame([one.alias(str(place)) for place, one in enumerate(columns)])
    found: np.ndarray = frame.select(pl.struct(pl.all()).rank("dense")).to_series().cast(pl.Int64).to_numpy() - 1
    return found


EXACT = 20_000
"""Classes whose values can be dealt out in so many ways are reckoned through completely."""

NEVER = 1e-12

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimality:
    r"""Infer confidential values from the fact that less generalisation would not have done.

    A full-domain generalisation with a proof takes the least levels at which the models hold. Whoever knows the
    quasi-identifiers of everybody in the release, the hierarchies and the models, knows for every level below that
    **some** class there would have failed. Where its counts alone explain nothing, its confidential values must have:
    two people who would have been a class of their own, and would have failed ℓ-diversity, have the same value. (Levels
    that are lower in one column and higher in another, and were not taken either, are not used.)

    Each class of the release shows which values it holds; a priori every way to deal them out to its people is equally
    likely. Let :math:`V_p` say that the levels p, one below the published in one column, fail. The claim about a person
    with value v is the share

    .. math:: \Pr(v \mid V_1 \cap \dots \cap V_d), \qquad V_p = \bigcup_G V_p(G),

    over the classes G, which are independent. With :math:`F_G(S)` the chance that G fails at no level outside S,
    inclusion and exclusion give :math:`\Pr(V_1 \cap \dots) = \sum_S (-1)^{d - |S|} \prod_G F_G(S)`. Classes whose values
    can be dealt out in 20 000 ways at most are enumerated, larger ones sampled by ``draws`` (``seed``), which has
    a standard error of up to :math:`1/(2\sqrt{draws})` in each :math:`F_G`. In a release of many classes some class fails
    almost surely anyway, and the claims are near those of anybody who sees the class.

    ``column`` is the confidential column; it may be left out when the models speak of one alone. It is the codes of that
    column in the release that are claimed. Time O(ways or draws · people · 2^d), memory by class.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> from tacit.protect import FullDomain
    >>> table = pl.DataFrame({"zip": ["N1"] * 2 + ["N2"] * 5, "ill": ["hiv", "hiv", "flu", "cold", "acne", "gout", "mumps"]})
    >>> r = Release(table, quasi="zip", confidential="ill", hierarchies={"zip": {"prefix": [2, 1]}})
    >>> m = r.protect(FullDomain(models={"l_diversity": 2}))
    >>> claims = Minimality().claims(m.release, Scenario.worst_case(r, told=m.trace))
    >>> m.to_native()["zip"].unique().to_list(), claims.shares[:2].tolist()
    (['N*'], [1.0, 1.0])

    References
    ----------
    Wong, Fu, Wang and Pei (2007), Minimality attack in privacy preserving data publishing, VLDB, 543–554.
    """

    makes: ClassVar = ValueClaims
    linkage: ClassVar = "specific"
    column: str | None = None
    draws: int = 2000

    def __post_init__(self) -> None:
        if self.column is not None and (not isinstance(self.column, str) or not self.column):
            raise TacitError(
                f"column={format_value(self.column)} names no column",
                code="no_usable_column",
                parameter="column",
                fix="e.g. column='diagnosis'",
            )
        check_int("draws", self.draws, least=1)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        limit = engine_limit(release, scenario.file)
        if limit is not None:
            return limit
        if not (scenario.inside and scenario.covers) or release.size != scenario.file.size:
            return "the intruder does not know everybody in the release"
        if not release.quasi or any(column not in scenario.file.columns for column in release.quasi):
            return "the intruder does not know all quasi-identifiers"
        if any(scenario.file.levels.get(column) for column in release.quasi) or release.mixed:
            return "labels stand where the intruder needs values"
        known = told_of(release, scenario, self.column)
        if isinstance(known, str):
            return known
        lacking = [
            column for column in release.quasi if release.levels.get(column) and column not in release.hierarchies
        ]
        if lacking or dict(known.levels) != {column: release.levels.get(column, 0) for column in known.levels}:
            return "the release does not stand at the published levels of hierarchies that it has"
        keys = [side.valid(column).all() for side in (release, scenario.file) for column in release.quasi]
        if known.column not in release.columns or not release.valid(known.column).all() or not all(keys):
            return "cells of the keys or of the confidential column are missing"
        return None

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> ValueClaims:
        """The chance of every value for each person of the intruder's file."""
        why_not = self.applies(release, scenario)
        known = told_of(release, scenario, self.column)
        if why_not or isinstance(known, str):
            raise TacitError(
                f"an attack by minimality is not possible: {why_not}", code="wrong_type", fix="see what the trace tells"
            )
        people = refine_classes(release, scenario, known)
        values = release.codes(known.column)
        chances = _Chances(people, values.codes.astype(np.int64), len(values.dictionary), known, self.draws)
        # Without a seed the draws are always the same: they decide nothing, and are no secret.
        shares = chances.value_posterior(make_generator(seed_or_default(seed)), progress)
        person, code = np.nonzero(shares > 0)
        start = np.append(0, np.cumsum(np.bincount(person, minlength=len(shares))))
        return ValueClaims(column=known.column, start=start, codes=code, shares=shares[person, code])


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """The people of all classes, the values there are to deal out, and what was demanded."""

    people: RefinedClasses
    values: np.ndarray
    count: int
    known: PublishedGeneralisation
    draws: int

    def value_posterior(self, rng: np.random.Generator, progress: Progress | None) -> np.ndarray:
        """For each person the chance of each value."""
        sets = 1 << len(self.people.parts)
        order = np.argsort(self.people.of_person, kind="stable")
        begins = np.flatnonzero(np.diff(self.people.of_person[order], prepend=-1))
        groups = np.split(order, begins[1:])
        never = np.ones((len(groups), sets))
        within: list[tuple[np.ndarray, np.ndarray]] = []
        for number, rows in enumerate(groups):
            report_progress(progress, "dealing out values", number / len(groups))
            never[number], *cells = self._class_likelihoods(rows, sets, rng)
            within.append((cells[0], cells[1]))
        sign = np.array([(-1.0) ** (len(self.people.parts) - one.bit_count()) for one in range(sets)])
        found = np.zeros((len(order), self.count))
        others = _product_of_others(never)
        happens = float(sign @ never.prod(axis=0))
        for number, rows in enumerate(groups):
            weights = sign * others[number] if happens > NEVER else np.eye(sets)[-1]
            _, cell = np.unique(self.people.cell[rows], return_inverse=True)
            codes, shares = within[number]
            claimed = np.maximum(np.einsum("s,scv->cv", weights, shares), 0.0)
            total = claimed.sum(axis=1, keepdims=True)
            settled = np.where(total > NEVER, claimed / np.maximum(total, NEVER), shares[-1])
            found[np.ix_(rows, codes)] = settled[cell]
        return np.where(found < NEVER, 0.0, found)

    def _class_likelihoods(self, rows: np.ndarray, sets: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """F(S) for every set S of levels; the values there are; F(S) together with each cell's chance of each value."""
        cells, of_row, sizes = np.unique(self.people.cell[rows], return_inverse=True, return_counts=True)
        here = self.values[self.people.of_record == self.people.of_person[rows[0]]]
        codes, totals = np.unique(here, return_counts=True)
        tables, ways = sample_tables(sizes, totals, most=EXACT, draws=self.draws, rng=rng)
        failed = np.zeros(len(tables), dtype=np.int64)
        first = np.zeros(len(cells), dtype=np.int64)
        first[of_row] = rows
        for bit, part in enumerate(self.people.parts):
            _, sub = np.unique(part[first], return_inverse=True)
            counts = np.stack([tables[:, sub == one].sum(axis=1) for one in range(int(sub.max()) + 1)], axis=1)
            bad = np.logical_or.reduce(
                [demand_violations(counts, one).any(axis=1) for one in self.known.diversity_demands]
            )
            failed |= bad.astype(np.int64) << bit
        chance = np.bincount(failed, weights=ways, minlength=sets)
        share = np.zeros((sets, len(cells), len(codes)))
        parts = tables / sizes[None, :, None] * ways[:, None, None]
        for code in np.unique(failed):
            share[code] = parts[failed == code].sum(axis=0)
        for bit in range(len(self.people.parts)):  # sums over all subsets
            inside = np.flatnonzero(np.arange(sets) >> bit & 1)
            chance[inside] += chance[inside ^ (1 << bit)]
            share[inside] += share[inside ^ (1 << bit)]
        return chance, codes, share


def _product_of_others(never: np.ndarray) -> np.ndarray:
    """For each class the product over all others; from both sides, because a factor may be 0."""
    before = np.vstack([np.ones(never.shape[1]), np.cumprod(never, axis=0)[:-1]])
    after = np.vstack([np.cumprod(never[::-1], axis=0)[::-1][1:], np.ones(never.shape[1])])
    found: np.ndarray = before * after
    return found


def sample_tables(
    sizes: np.ndarray, totals: np.ndarray, *, most: int, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Tables of how many people of each cell have each value, and the share of all ways to deal that each stands for.

    All of them when there are at most ``most`` ways, else ``draws`` random ones. O(tables · people) time.
    """
    if lgamma(totals.sum() + 1) - sum(lgamma(one + 1) for one in totals) <= log(most):
        listed = list(_enumerate_tables(tuple(int(one) for one in sizes), tuple(int(one) for one in totals)))
        ways = np.array([float(way) for _, way in listed])
        return np.array([table for table, _ in listed]), ways / ways.sum()
    values = np.repeat(np.arange(len(totals)), totals)
    cells = np.repeat(np.arange(len(sizes)), sizes)
    mixed = rng.permuted(np.tile(values, (draws, 1)), axis=1)
    place = (np.arange(draws)[:, None] * len(sizes) + cells) * len(totals) + mixed
    tables = np.bincount(place.ravel(), minlength=draws * len(sizes) * len(totals))
    return tables.reshape(draws, len(sizes), len(totals)), np.full(draws, 1.0 / draws)


def _enumerate_tables(sizes: tuple[int, ...], totals: tuple[int, ...]) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """Every table with these margins, and in how many ways people can make it."""
    if not sizes:
        yield [], 1
        return
    for row in _enumerate_rows(sizes[0], totals):
        ways, left = 1, sizes[0]
        for count in row:
            ways *= comb(left, count)
            left -= count
        rest = tuple(total - count for total, count in zip(totals, row, strict=True))
        for table, more in _enumerate_tables(sizes[1:], rest):
            yield [row, *table], ways * more


def _enumerate_rows(size: int, totals: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to take ``size`` values from what is there."""
    if len(totals) == 1:
        if size <= totals[0]:
            yield (size,)
        return
    for count in range(min(size, totals[0]) + 1):
        if size - count <= sum(totals[1:]):
            for rest in _enumerate_rows(size - count, totals[1:]):
                yield (count, *rest)


def demand_violations(counts: np.ndarray, demand: Demand) -> np.ndarray:
    """Whether classes with these counts of values (along the last axis) miss what is demanded of their spread.

    >>> from tacit.models.demand import Demand
    >>> demand_violations(np.array([[2, 0], [1, 1]]), Demand(column="ill", kind="distinct", bound=2.0)).tolist()
    [True, False]
    """
    total = counts.sum(axis=-1)
    found: np.ndarray
    if demand.kind == "distinct":
        found = (counts > 0).sum(axis=-1) < demand.bound - ROUNDING
    elif demand.kind == "entropy":
        share = counts / np.maximum(total, 1)[..., None]
        entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=-1)
        found = np.exp(entropy) < demand.bound - ROUNDING
    elif demand.kind == "largest":
        found = counts.max(axis=-1) > (demand.bound + ROUNDING) * total
    else:
        ordered = np.sort(counts, axis=-1)[..., ::-1]
        tail = ordered[..., int(demand.bound) - 1 :].sum(axis=-1)
        found = ~(ordered[..., 0] < demand.extra * tail)
    found &= total > 0
    return found
