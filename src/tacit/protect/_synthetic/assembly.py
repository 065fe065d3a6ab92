"""New values put together to a release: household columns first, then those of the people, then totals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError
from ...progress import sub_progress as part_of
from ...release.files.header import PRIVATE
from ...release.households import household_level, one_per_household
from ...release.masked import Masked
from ...release.trace import Finding, Trace
from .._bounds import at_bounds
from .._numbers import as_numbers, from_numbers
from .._totals import with_totals
from ..parameters import drop_metadata, make_rng
from .params import Synthesis, SynthesisTargets, resolve_targets
from .part import MEMBER, SIZE, Generator, Part, SyntheticValues, is_amount

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release
    from ...seed import Seed


def synthesise_release(
    method: Synthesis,
    release: Release,
    draw: Generator,
    *,
    members: int | None = None,
    fewest: int = 1,
    seed: Seed | None,
    progress: Progress | None,
) -> Masked:
    """The release with new values by a generator, and what was captured; the one way in which they are put together.

    Columns that are equal within every household are made once for each household and given to those of the people; in
    a full synthesis the sizes of the households are kept (drawn from those there are, for another number of rows), and
    with ``members``, as many as a model of theirs needs, each member is drawn given the one before. What
    is missing is made anew in a full synthesis and stays missing in a partial one. What fewer than ``fewest`` people hold is
    not learnt (:mod:`tacit.protect._synthetic.assembly`). The lineage of a full synthesis is −1
    throughout: its records are nobody's. O(n · columns) time and memory beside the generator's.
    """
    asked, rng = resolve_targets(method, release), make_rng(method, seed)
    learn, coded = _training_records(release, asked, fewest, rng)
    made, homes = _draw_targets(release, asked, learn, draw, members, rng, progress)
    bounded = {column: _clip_to_bounds(values, method.bounds.get(column)) for column, values in made.values.items()}
    new = _release_of_new(release, asked, bounded, homes) if asked.full else _replace_targets(release, asked, bounded)
    summed = with_totals(new, method.totals)
    if not asked.full and method.totals:
        summed = new.with_columns(
            {
                total: _replace_rows(new.series(total), summed.series(total)[asked.rows], asked.rows)
                for total in method.totals
            }
        )
    found = {
        "synthetic_columns": Finding([*asked.targets, *method.totals], publishable=True),
        "synthetic_records": Finding(asked.count, publishable=True, counts=True),
        "captured": Finding(dict(made.captured), publishable=True),
        **({"rare_values_coded": Finding(coded, publishable=False)} if fewest > 1 else {}),
        **at_bounds(summed, method.bounds),
    }
    numbers = [column for column in asked.targets if release.types[column] in ("integer", "number")]
    lineage = np.full(summed.size, -1) if asked.full else None
    return Masked(drop_metadata(summed, numbers, hierarchies=False), (Trace.of(method, **found),), lineage)


def _training_records(
    release: Release, asked: SynthesisTargets, fewest: int, rng: np.random.Generator
) -> tuple[pl.DataFrame, Mapping[str, int]]:
    """The records to learn from, the targets without what few people hold; and how many values that are, by column."""
    learn = pl.DataFrame([release.series(column) for column in (*asked.given, *asked.targets)])[asked.rows]
    if fewest < 2:
        return learn, {}
    units = np.arange(len(asked.rows)) if release.household is None else homes_of(release.take(asked.rows)).of_row
    targets = learn.select(asked.targets)
    kinds = {column: release.kinds.get(column, "ordinal") for column in asked.targets}
    amounts = [column for column in asked.targets if is_amount(kinds[column], targets.schema[column])]
    found = code_rare(targets, kinds, amounts, fewest=fewest, units=units, full=asked.full, rng=rng)
    return learn.with_columns(found.learn.get_columns()), found.coded


def _draw_targets(
    release: Release,
    asked: SynthesisTargets,
    learn: pl.DataFrame,
    draw: Generator,
    members: int | None,
    rng: np.random.Generator,
    progress: Progress | None,
) -> tuple[SyntheticValues, SyntheticHouseholds | None]:
    """New values of all targets, and the households of the new records."""
    known = learn.select(asked.given)
    kinds = {SIZE: "ordinal", MEMBER: "ordinal"} | {
        column: release.kinds.get(column, "ordinal") for column in learn.columns
    }
    holes = {} if asked.full else {column: learn[column].is_null().to_numpy() for column in asked.targets}
    everybody = Part(asked.targets, asked.given, learn, known, asked.count, kinds, holes)
    if release.household is None:
        return draw(everybody, rng, progress), None
    old = homes_of(release.take(asked.rows))
    new = new_homes(old, None if asked.count == len(asked.rows) else asked.count, rng) if asked.full else old
    at_home = replace(
        everybody,
        learn=learn.with_columns(old.columns()),
        known=pl.DataFrame([*known.get_columns(), *new.columns()]),
    )
    return _at_home(
        at_home, _household_columns(release, asked), old, new, draw, members if asked.full else None, rng, progress
    ), new


def _at_home(
    part: Part,
    shared: tuple[str, ...],
    old: SyntheticHouseholds,
    new: SyntheticHouseholds,
    draw: Generator,
    members: int | None,
    rng: np.random.Generator,
    progress: Progress | None,
) -> SyntheticValues:
    """Columns of the households first, then those of their people."""
    targets, given = (tuple(column for column in side if column in shared) for side in (part.targets, part.given))
    homes = SyntheticValues({}, {})
    if targets:
        first = {column: rows[old.first] for column, rows in part.holes.items()}
        asked = Part(
            targets, (*given, SIZE), part.learn[old.first], part.known[new.first], len(new.size), part.kinds, first
        )
        found = draw(asked, rng, part_of(progress, 0.0, 0.3))
        homes = SyntheticValues({column: values[new.of_row] for column, values in found.values.items()}, found.captured)
    rest = tuple(column for column in part.targets if column not in targets)
    if not rest:
        return homes
    known = part.known.with_columns(values.alias(column) for column, values in homes.values.items())
    people = replace(part, targets=rest, given=(*part.given, *targets, SIZE, MEMBER), known=known)
    then = part_of(progress, 0.3 if targets else 0.0, 1.0)
    theirs = (
        draw(people, rng, then) if members is None else one_after_the_other(people, old, new, draw, members, rng, then)
    )
    return SyntheticValues({**homes.values, **theirs.values}, _merge_captured(homes.captured, theirs.captured))


def _merge_captured(homes: Mapping[str, Any], people: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was captured of households and of people, apart from one another."""
    return {"households": dict(homes), "people": dict(people)} if homes else people


def _household_columns(release: Release, asked: SynthesisTargets) -> tuple[str, ...]:
    """The columns of the household; its members must have been chosen together when one of them is made anew."""
    found = household_level(release, [*asked.given, *asked.targets])
    targets = [column for column in asked.targets if column in found]
    if targets and len(asked.rows) < release.size:
        of_row = homes_of(release).of_row
        if np.isin(of_row, of_row[asked.rows]).sum() > len(asked.rows):
            raise TacitError(
                "is equal within households, and where chooses some members without the others",
                code="missing_parameter",
                column=targets[0],
                fix="choose by columns of the household, or leave the column out",
            )
    return found


def _clip_to_bounds(values: pl.Series, bounds: Sequence[float | str | None] | None) -> pl.Series:
    if bounds is None:
        return values
    return from_numbers(as_numbers(values), values.name, values.dtype, (bounds[0], bounds[1]))


def _release_of_new(
    release: Release, asked: SynthesisTargets, made: Mapping[str, pl.Series], homes: SyntheticHouseholds | None
) -> Release:
    """A release of new records alone, under the description of the old one; identifiers are left out."""
    kept = release.select([column for column in release.columns if column not in release.identifiers])
    ids = {} if homes is None else {str(release.household): homes.household_ids()}
    frame = pl.DataFrame([values.alias(column) for column, values in {**made, **ids}.items()])
    empty = kept.take(np.zeros(0, dtype=np.int64))
    retyped = empty.with_columns({column: empty.series(column).cast(made[column].dtype) for column in asked.targets})
    return retyped.append(frame).with_metadata(shuffled=True)


def _replace_targets(release: Release, asked: SynthesisTargets, made: Mapping[str, pl.Series]) -> Release:
    """The release with new values in the chosen records; a cell that was missing still is."""
    changes = {}
    for column, values in made.items():
        before = release.series(column)
        missing = before[asked.rows].is_null()
        kept = pl.select(pl.when(~missing).then(values)).to_series().alias(column)
        changes[column] = _replace_rows(before, kept, asked.rows)
    return release.with_columns(changes)


def _replace_rows(before: pl.Series, after: pl.Series, rows: np.ndarray) -> pl.Series:
    """The column with new values in some rows, the others bit by bit as they were."""
    if len(rows) == len(before):
        return after
    place = np.arange(len(before))
    place[rows] = len(before) + np.arange(len(rows))
    return pl.concat([before.cast(after.dtype), after]).gather(place)


def one_after_the_other(
    part: Part,
    old: SyntheticHouseholds,
    new: SyntheticHouseholds,
    draw: Generator,
    fewest: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> SyntheticValues:
    """New values of the people: the first members of all households, then the second given the first, and so on.

    Couples are of like age, and children younger than both: what one member tells of the next is learnt from members
    of the same place in their households, as long as ``fewest`` of them, and of those after them, have a value in every
    column that any of them has; from there on all are learnt from together. New households stand one after the other.
    """
    places = _own_models(part, old, fewest)
    if places == 1:
        return draw(part, rng, progress)
    before, made = _one_before(old), pl.DataFrame()
    order, captured, done = np.zeros(0, dtype=np.int64), {}, 0.0
    for place in range(1, int(new.member.max()) + 1):
        wanted = np.flatnonzero(new.member == place)
        like = np.flatnonzero(old.member == place if place < places else old.member >= places)
        asked = replace(part, learn=part.learn[like], known=part.known[wanted], count=len(wanted))
        if place > 1:
            last = made[np.searchsorted(order, wanted - 1)]
            asked = _given_before(asked, part.learn.select(part.targets)[before[like]], last)
        found = draw(asked, rng, part_of(progress, done, done + len(wanted) / part.count))
        made = made.vstack(pl.DataFrame([found.values[target].alias(target) for target in part.targets]))
        order, done = np.append(order, wanted), done + len(wanted) / part.count
        in_rows = np.argsort(order)
        made, order = made[in_rows], order[in_rows]
        if place <= places:
            captured[f"member {place}" + (" and later" if place == places else "")] = dict(found.captured)
    return SyntheticValues({target: made[target] for target in part.targets}, captured)


def _given_before(asked: Part, learn: pl.DataFrame, known: pl.DataFrame) -> Part:
    """The part with the values of the member before among those given."""
    names = {target: f"{PRIVATE}{target} of the one before" for target in asked.targets}
    return replace(
        asked,
        given=(*asked.given, *names.values()),
        learn=asked.learn.hstack(learn.rename(names)),
        known=asked.known.hstack(known.rename(names)),
        kinds={**asked.kinds, **{name: asked.kinds[target] for target, name in names.items()}},
    )


def _own_models(part: Part, old: SyntheticHouseholds, fewest: int) -> int:
    """The place in the household up to which members have a model of their own; the last is of all from there on."""
    known = part.learn.select(pl.col(part.targets).is_not_null()).to_numpy()
    place = 1
    while _has_enough(known[old.member == place], fewest) and _has_enough(known[old.member > place], fewest):
        place += 1
    return place


def _has_enough(known: np.ndarray, fewest: int) -> bool:
    counts = known.sum(axis=0)
    return len(known) >= fewest and bool(((counts == 0) | (counts >= fewest)).all())


def _one_before(old: SyntheticHouseholds) -> np.ndarray:
    """The record of the member before each record, itself for the first of a household."""
    order = np.lexsort((old.member, old.of_row))
    found = np.arange(len(order))
    found[order[1:]] = np.where(old.member[order[1:]] > 1, order[:-1], order[1:])
    return found


@dataclass(frozen=True, eq=False)
class SyntheticHouseholds:
    """Households one after the other: how many people each has, and whether it has an id; and where each record lives.

    ``first`` has one record of every household, ``of_row`` the household of every record, ``member`` its place in it
    from 1 on.
    """

    size: np.ndarray
    named: np.ndarray
    first: np.ndarray
    of_row: np.ndarray
    member: np.ndarray

    def columns(self) -> list[pl.Series]:
        """What generators are told of the household of every record."""
        return [pl.Series(SIZE, self.size[self.of_row]), pl.Series(MEMBER, self.member)]

    def household_ids(self) -> pl.Series:
        """A new id for every record, the number of its household; none where there was none."""
        number = np.where(self.named, np.arange(len(self.size)) + 1, 0)[self.of_row]
        return pl.Series(number).replace(0, None)


def homes_of(release: Release) -> SyntheticHouseholds:
    """The households of a release; O(n log n). Members stand in the order of the file, the head usually first."""
    first, of_row = one_per_household(release)
    size = np.bincount(of_row, minlength=len(first))
    named = release.valid(str(release.household))[first]
    order = np.argsort(of_row, kind="stable")
    member = np.empty(release.size, dtype=np.int64)
    member[order] = np.arange(release.size) - np.repeat(np.cumsum(size) - size, size) + 1
    return SyntheticHouseholds(size, named, first, of_row, member)


def new_homes(old: SyntheticHouseholds, rows: int | None, rng: np.random.Generator) -> SyntheticHouseholds:
    """Households for new records: those of the file in random order, or drawn from them until there are ``rows`` people.

    The last one drawn is cut to fit.
    """
    chosen = rng.permutation(len(old.size))
    if rows is not None:
        chosen = rng.integers(0, len(old.size), rows)  # of one person or more each, so that these are enough
        chosen = chosen[: int(np.searchsorted(np.cumsum(old.size[chosen]), rows)) + 1]
    size = old.size[chosen].copy()
    if rows is not None:
        size[-1] -= int(size.sum()) - rows
    first = np.cumsum(size) - size
    of_row = np.repeat(np.arange(len(size)), size)
    return SyntheticHouseholds(size, old.named[chosen], first, of_row, np.arange(len(of_row)) - first[of_row] + 1)


OTHER = "other"


"""The category of all rare ones together."""


MOSTLY = 0.9


"""Levels of an ordinal column join their neighbours where so many people hold common ones; else its ends are cut off alone."""


@dataclass(frozen=True, slots=True, eq=False)
class RareHandling:
    """The records to learn from, and how many values of each column were coded, for internal eyes."""

    learn: pl.DataFrame
    coded: Mapping[str, int]


def code_rare(
    learn: pl.DataFrame,
    kinds: Mapping[str, str],
    amounts: Collection[str],
    *,
    fewest: int,
    units: np.ndarray,
    full: bool,
    rng: np.random.Generator,
) -> RareHandling:
    """The columns of ``learn`` without what fewer than ``fewest`` of the ``units`` hold; O(n log n · columns)."""
    made, coded = [], {}
    for series in learn.get_columns():
        new = _fill_rare_missing(series, fewest, units, rng) if full else series
        if series.name not in amounts:
            new = _merge_rare(new, fewest, units, rng)
        elif kinds.get(series.name) == "ordinal" and (levels := _merge_rare_levels(new, fewest, units)) is not None:
            new = levels
        else:
            new = _code_extremes(new, fewest, units, rng)
        made.append(new)
        changed = int(new.ne_missing(series).sum())
        if changed:
            coded[series.name] = changed
    return RareHandling(pl.DataFrame(made), coded)


def _count_holders(values: pl.Series, units: np.ndarray) -> tuple[pl.Series, np.ndarray]:
    """The different values, in order, and of how many units each is."""
    counts = (
        pl.DataFrame({"value": values, "unit": units})
        .drop_nulls("value")
        .group_by("value")
        .agg(pl.col("unit").n_unique())
        .sort("value")
    )
    return counts["value"], counts["unit"].to_numpy()


def _fill_rare_missing(series: pl.Series, fewest: int, units: np.ndarray, rng: np.random.Generator) -> pl.Series:
    gone = series.is_null().to_numpy()
    known = np.flatnonzero(~gone)
    if not gone.any() or not len(known) or len(np.unique(units[gone])) >= fewest:
        return series
    place = np.arange(len(series))
    place[gone] = rng.choice(known, int(gone.sum()))
    return series.gather(place)


def _merge_rare(series: pl.Series, fewest: int, units: np.ndarray, rng: np.random.Generator) -> pl.Series:
    values, holders = _count_holders(series, units)
    rare = holders < fewest
    if not rare.any():
        return series
    old = values.filter(pl.Series(rare))
    among = series.is_in(old.implode()).fill_null(value=False).to_numpy()
    if series.dtype == pl.String and len(np.unique(units[among])) >= fewest:
        new = pl.Series([OTHER] * len(old))
    elif rare.all():
        return series
    else:
        common = np.flatnonzero(~rare)
        new = values.gather(rng.choice(common, len(old), p=holders[common] / holders[common].sum()))
    return series.replace(old, new)


def _merge_rare_levels(series: pl.Series, fewest: int, units: np.ndarray) -> pl.Series | None:
    """Rare levels at the nearest common one; None where too few people hold common ones."""
    values, holders = _count_holders(series, units)
    rare = holders < fewest
    if not len(values) or holders[~rare].sum() < MOSTLY * holders.sum():
        return None
    numbers = values.to_physical().cast(pl.Float64).to_numpy()
    common = np.flatnonzero(~rare)
    nearest = common[np.abs(numbers[rare][:, None] - numbers[common][None]).argmin(axis=1)]
    return series.replace(values.filter(pl.Series(rare)), values.gather(nearest))


def _code_extremes(series: pl.Series, fewest: int, units: np.ndarray, rng: np.random.Generator) -> pl.Series:
    """The ends of a column that fewer than ``fewest`` units reach, coded; unchanged where there are too few records to cut."""
    known = np.flatnonzero(series.is_not_null().to_numpy())
    numbers = series.to_physical().cast(pl.Float64).to_numpy()
    order = known[np.argsort(numbers[known], kind="stable")]
    made = numbers.copy()
    for way, sign in ((order, -1), (order[::-1], 1)):
        ends = [_reach_position(units[way], count) for count in (fewest, 2 * fewest)]
        if ends[0] is None or 2 * ends[0] + 2 > len(order):
            return series
        near, inner = (numbers[way[ends[0] if one is None else one]] for one in ends)
        if inner != near and len(np.unique(units[known[numbers[known] == near]])) < fewest:
            own = known[sign * (numbers[known] - inner) > 0]
            drawn = np.sort(near + rng.random(len(own)) * (inner - near))
            made[own[np.argsort(numbers[own], kind="stable")]] = drawn  # the order of all is kept
        else:  # many hold it: it is nobody's own
            made[known[sign * (numbers[known] - near) > 0]] = near
    coded = made != numbers
    changed = pl.Series(series.name, made).fill_nan(None)
    whole = changed if series.dtype.is_float() else changed.round(0).cast(series.to_physical().dtype)
    return (
        pl.select(pl.when(pl.Series(coded & ~np.isnan(made))).then(whole.cast(series.dtype)).otherwise(series))
        .to_series()
        .alias(series.name)
    )


def _reach_position(units: np.ndarray, fewest: int) -> int | None:
    """The place of the record with which so many units have been met; None where there are fewer."""
    first = np.sort(np.unique(units, return_index=True)[1])
    return int(first[fewest - 1]) if len(first) >= fewest else None
