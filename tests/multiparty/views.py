"""All random tapes of a protocol at a tiny modulus: what a coalition sees, counted exactly (no chance, no flakiness).

A protocol works on each word of a vector by itself, so one run over a vector with a word for every tape goes through all of
them at once.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring

NAMES = "ABCDE"


def views(program, values, modulus) -> dict[str, np.ndarray]:
    """For each party a row for each tape: its own random words and all that it received."""
    ring, names = Ring(modulus), NAMES[: len(values)]
    count = number_of_draws(program, len(values), ring)
    tapes = (
        np.indices((modulus,) * count).reshape(count, -1).astype(np.uint64) if count else np.zeros((0, 1), np.uint64)
    )
    places = {}

    def draw(name, _):
        return tapes[places.setdefault((name, len([key for key in places if key[0] == name])), len(places))]

    length = tapes.shape[1]
    table = LocalNetwork(names, ring, draw)
    run_protocol(
        program, {name: ring.words([value] * length) for name, value in zip(names, values, strict=True)}, table
    )
    seen = {name: [words for _, _, words in seat.view] for name, seat in table.seats.items()}
    return {name: np.array(words or [[0] * length]).T for name, words in seen.items()}


def number_of_draws(program, parties, ring) -> int:
    drawn = []

    def draw(name, count):
        drawn.append(name)
        return np.zeros(count, np.uint64)

    names = NAMES[:parties]
    run_protocol(program, {name: ring.words([0]) for name in names}, LocalNetwork(names, ring, draw))
    return len(drawn)


def leaks(program, modulus, coalition, inputs) -> bool:
    """Whether the joint view tells apart two of the inputs."""
    rows = [np.hstack([of[name] for name in coalition]) for of in (views(program, one, modulus) for one in inputs)]
    base = max(int(one.max()) for one in rows) + 1
    weights = [base**place for place in range(rows[0].shape[1])]
    assert base * weights[-1] < 2**63, "a view must fit into one number"
    found = [np.unique(one.astype(np.int64) @ np.array(weights, np.int64), return_counts=True) for one in rows]
    return not all(np.array_equal(mine, first) for one in found[1:] for mine, first in zip(one, found[0], strict=True))


def equal_for(coalition, parties, modulus):
    """All inputs with the same sum in which the coalition's own words are 0."""
    choices = [range(modulus) if name not in coalition else (0,) for name in NAMES[:parties]]
    return [values for values in product(*choices) if sum(values) % modulus == 0]


def coalitions(parties, size):
    return ["".join(chosen) for chosen in combinations(NAMES[:parties], size)]
