"""The decision about an exact sum: 2,000 atoms, 1,000 independent answers before it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from bars import Bars, spent

from tacit.query.column import Column, Schema
from tacit.query.condition import Condition
from tacit.query.modes.exact import Exact
from tacit.query.question import Aggregate, Question
from tacit.query.refusal import Refusal
from tacit.query.restriction.rules import Rules
from tacit.query.units import Units
from tacit.query.value_set import Codes

ATOMS, RANK, DECISIONS = 2000, 1000, 20
SCHEMA = Schema(
    name="bench",
    version="1",
    columns={
        "place": Column(name="place", kind="integer", low=0, high=ATOMS - 1),
        "amount": Column(name="amount", kind="number", low=0, high=10**6, step=Fraction(1, 100), confidential=True),
    },
    joins={},
)


class Places:
    """Three units in each of the atoms; decisions read nothing else of it."""

    version = "1"

    def units(self, columns: tuple[str, ...]) -> Units:
        codes = {"place": np.repeat(np.arange(ATOMS), 3), "amount": np.arange(1, 3 * ATOMS + 1)}
        return Units(size=3 * ATOMS, names=(), codes={name: codes[name] for name in columns})


class Charged:
    """A past of so many questions."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def since(self, number: int) -> Iterator[tuple[int, str, Question]]:
        return iter([(place + 1, "a", question) for place, question in enumerate(self.questions) if place >= number])


def random_question(rng: np.random.Generator) -> Question:
    """The sum over a random half of the atoms: equations as dense as they get."""
    chosen = np.flatnonzero(rng.random(ATOMS) < 0.5)
    where = Condition.of(SCHEMA.columns["place"], Codes.of((int(place), int(place)) for place in chosen))
    return Question(dataset="bench", version="1", aggregates=(Aggregate("sum", "amount"),), where=where)


def bars(bars: Bars) -> None:
    """The bars of this part."""
    rng, mode, past = np.random.default_rng(7), Exact(SCHEMA, Places(), rules=Rules(least=5)), Charged()
    past.questions = [random_question(rng) for _ in range(RANK)]
    filling, _ = spent(lambda: mode.decide(random_question(rng), past))
    questions, refused = [random_question(rng) for _ in range(DECISIONS)], 0
    seconds = []
    for question in questions:
        try:
            seconds.append(spent(lambda: mode.decide(question, past))[0])  # noqa: B023
        except Refusal:
            refused += 1
    facts = {"decisions": DECISIONS, "refused": refused, "worst": 1000 * max(seconds)}
    bars.at_most(
        "audit decision, 2,000 atoms, rank 1,000: CPU ms", 1000 * float(np.median(seconds)), 20, at_scale=True, **facts
    )
    bars.stated("audit: 1,000 answers replayed after a start: CPU s", filling)
