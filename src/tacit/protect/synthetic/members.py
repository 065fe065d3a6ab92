"""The people of a household one after the other, each given the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...progress import part as part_of
from ...release.files.header import PRIVATE
from .part import Generator, Made, Part

if TYPE_CHECKING:
    from ...progress import Progress
    from .homes import Homes

__all__ = ["one_after_the_other"]


def one_after_the_other(
    part: Part,
    old: Homes,
    new: Homes,
    draw: Generator,
    fewest: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Made:
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
    return Made({target: made[target] for target in part.targets}, captured)


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


def _own_models(part: Part, old: Homes, fewest: int) -> int:
    """The place in the household up to which members have a model of their own; the last is of all from there on."""
    known = part.learn.select(pl.col(part.targets).is_not_null()).to_numpy()
    place = 1
    while _enough(known[old.member == place], fewest) and _enough(known[old.member > place], fewest):
        place += 1
    return place


def _enough(known: np.ndarray, fewest: int) -> bool:
    counts = known.sum(axis=0)
    return len(known) >= fewest and bool(((counts == 0) | (counts >= fewest)).all())


def _one_before(old: Homes) -> np.ndarray:
    """The record of the member before each record, itself for the first of a household."""
    order = np.lexsort((old.member, old.of_row))
    found = np.arange(len(order))
    found[order[1:]] = np.where(old.member[order[1:]] > 1, order[:-1], order[1:])
    return found
