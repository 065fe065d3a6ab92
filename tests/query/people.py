"""A small data set of people for the tests of exact and interval answers, and a past in memory."""

from fractions import Fraction

import numpy as np

from tacit.query.column import Column, Schema
from tacit.query.condition import Condition
from tacit.query.question import Aggregate, Question
from tacit.query.value_set import Codes

from .memory_source import MemorySource

COLUMNS = {
    "age": Column(name="age", kind="integer", low=0, high=99),
    "region": Column(name="region", kind="category", values=("north", "east", "south", "west")),
    "sex": Column(name="sex", kind="category", values=("f", "m")),
    "job": Column(name="job", kind="text"),
    "income": Column(name="income", kind="number", low=0, high=20_000_000, step=Fraction(1, 100), confidential=True),
    "debt": Column(name="debt", kind="integer", low=-1000, high=1000, confidential=True),
    "illness": Column(name="illness", kind="category", values=("none", "some"), confidential=True),
}


def schema(version="1", unit=None, columns=COLUMNS):
    return Schema(name="people", version=version, columns=columns, unit=unit, joins={})


def people(count, seed, **fixed):
    """Random people, as codes; columns that are given stay."""
    rng = np.random.default_rng(seed)
    codes = {
        "age": rng.integers(0, 100, count),
        "region": rng.integers(0, 4, count),
        "sex": rng.integers(0, 2, count),
        "income": rng.integers(0, 10_000_000, count),
        "debt": rng.integers(-900, 900, count),
        "illness": rng.integers(0, 2, count),
    }
    return codes | {name: np.asarray(values, np.int64) for name, values in fixed.items()}


def source(codes, version="1", names=None):
    return MemorySource(schema(version, "name" if names is not None else None), codes, version=version, names=names)


def where(**intervals):
    """Rows whose columns lie in intervals of codes, e.g. ``where(age=[(0, 17)], sex=[(1, 1)])``."""
    found = Condition.everything()
    for name, values in intervals.items():
        found &= Condition.of(COLUMNS[name], Codes.of(values))
    return found


def ask(*aggregates, of=None, by=(), version="1"):
    """A question; an aggregate is ``"count"`` or e.g. ``"sum income"``."""
    parts = tuple(Aggregate(*one.split()) for one in aggregates)
    return Question(dataset="people", version=version, aggregates=parts, where=of or Condition.everything(), by=by)


class MemoryPast:
    """Charges in a list."""

    def __init__(self, *questions):
        self.charged = [(number + 1, "ana", question) for number, question in enumerate(questions)]

    def add(self, question, account="ana"):
        self.charged.append((len(self.charged) + 1, account, question))

    def since(self, number):
        return iter([one for one in self.charged if one[0] > number])


class Asking:
    """Questions in turn, as the desk asks them: quote, decide, charge, answer."""

    def __init__(self, mode):
        self.mode, self.past = mode, MemoryPast()

    def __call__(self, question, account="ana"):
        quote = self.mode.quote(question, None)
        self.past.account = account
        self.mode.decide(question, self.past)
        self.past.add(question, account)
        return self.mode.answer(quote)

    def figure(self, question, account="ana"):
        """The only figure of a question without keys."""
        return self(question, account).figures[0][0]


class Unprotected:
    """Exact answers to everything: what an attack must succeed against before its failure means anything."""

    def __init__(self, data):
        self.data = data

    def quote(self, question, spend):
        return question

    def decide(self, question, past):
        pass

    def answer(self, question):
        from tacit.query.answer import Answer
        from tacit.query.tally import Measure

        [one] = question.aggregates
        measure = Measure("sum", one.column) if one.column else Measure("rows")
        tally = self.data.tally(question.where, question.by, (measure,))
        figures = tuple(
            (value if not one.column else COLUMNS[one.column].to_number(value),) for value in tally.measures[measure]
        )
        return Answer(keys=tally.groups, figures=figures, accuracy=((0.0,),) * len(tally.groups))
