"""Distances learned on the files of the experiment: each family from what smaller ones found, or by itself, and held out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np
from learned_files import FAMILY, FOLDS, WITHIN, part, sample

from tacit.attack.learning.all_pairs import nearest_outcome
from tacit.attack.learning.families import Family, embed_parameters, family_of
from tacit.attack.learning.learn import Effort, LearnedDistance, learn_distance
from tacit.attack.learning.pairs import Pairs, column_differences
from tacit.attack.learning.rows import TIE


def named(name: str) -> Family:
    """A family by its name in the literature."""
    return family_of(FAMILY[name])


def run(
    pairs: Pairs,
    name: str,
    *,
    seed: int,
    effort: Effort = "high",
    seconds: float = 60.0,
    starts: Iterable[np.ndarray] = (),
) -> LearnedDistance:
    """A family by itself, given nothing but ``starts``."""
    rng = np.random.default_rng(seed)
    return learn_distance(pairs, named(name), rng=rng, effort=effort, seconds=seconds, starts=tuple(starts))


def nested(
    pairs: Pairs, seconds: Mapping[str, float], *, seed: int, prove: Collection[str] = ()
) -> dict[str, LearnedDistance]:
    """Families one after the other, each from the optima of those that it contains, whose bounds are at most its own.

    ``seconds`` say which families, and how long; those of ``prove`` are searched to the optimum.
    """
    found: dict[str, LearnedDistance] = {}
    for name, limit in seconds.items():
        smaller = (
            embed_parameters(found[one].parameters, found[one].family, named(name), pairs.columns)
            for one in _below(name)
            if one in found
        )
        starts, effort = [one for one in smaller if one is not None], "exact" if name in prove else "high"
        found[name] = run(pairs, name, seed=seed, effort=effort, seconds=limit, starts=starts)  # type: ignore[arg-type]
    for name in reversed(found):
        for one in _below(name):
            if one in found:
                found[one] = replace(found[one], bound=min(found[one].bound, found[name].bound))
    return found


def _below(name: str) -> tuple[str, ...]:
    """All families that one contains."""
    found = dict.fromkeys(WITHIN.get(name, ()))
    for one in tuple(found):
        found |= dict.fromkeys(_below(one))
    return tuple(found)


def held_out(pairs: Pairs, name: str, *, seed: int) -> np.ndarray:
    """Who is found by a distance learned fast from the other folds; each masked record among all originals."""
    rng = np.random.default_rng(seed)
    fold = rng.permutation(len(pairs.seekers)) % FOLDS
    found = np.zeros(len(pairs.seekers), dtype=bool)
    for number in range(FOLDS):
        learnt = run(part(pairs, np.flatnonzero(fold != number)), name, seed=seed, effort="fast")
        rest = np.flatnonzero(fold == number)
        found[rest] = nearest_outcome(part(pairs, rest), named(name), learnt.parameters).found
    return found


def counted(pairs: Pairs, found: LearnedDistance) -> np.ndarray:
    """Who is found, seeker by seeker from the terms of all pairs: another way than the attack's own.

    A tie is as everywhere: what differs by less than 1e-12 of what it was computed from.
    """
    family, hits = found.family, np.zeros(len(pairs.seekers), dtype=bool)
    everybody = np.arange(len(pairs.places))
    for seeker, own in enumerate(pairs.own):
        apart = column_differences(pairs, np.full(len(everybody), seeker), everybody, signed=family.signed)
        terms = family.terms(apart)
        more = np.delete(terms - terms[own], own, axis=0)
        sizes = np.delete(np.abs(terms) + np.abs(terms[own]), own, axis=0)
        more[np.abs(more) <= TIE * sizes] = 0.0
        hits[seeker] = (more @ found.parameters > TIE * (np.abs(more) @ np.abs(found.parameters))).all()
    return hits


def warm(names: Iterable[str], *, large: bool = False) -> None:
    """Compile before the clock runs."""
    pairs = sample("M4-33", 0)
    few = part(pairs, np.arange(40))
    for name in names:
        for effort in ("high", "exact"):
            run(few, name, seed=0, effort=effort, seconds=3.0)  # type: ignore[arg-type]
    if large:
        many = Pairs(*(np.tile(side, (2, 1)) for side in (pairs.seekers, pairs.places)), np.arange(800), pairs.costs)
        run(many, "WM", seed=0, seconds=1.0)
