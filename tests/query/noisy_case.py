"""Small data sets and questions for the tests of noisy answers."""

from __future__ import annotations

from fractions import Fraction

from tacit.dp.cost import Cost
from tacit.query.column import Column
from tacit.query.condition import Condition
from tacit.query.modes.dp import design_noise
from tacit.query.noisy.sensitivity import PrivacyDefinition
from tacit.query.question import Aggregate, Question

__all__ = ["AGE", "ALL", "GROUP", "INCOME", "SEX", "TOWN", "X", "ask", "design_of", "promise"]

AGE = Column(name="age", kind="integer", low=0, high=110)
SEX = Column(name="sex", kind="category", values=("f", "m"))
TOWN = Column(name="town", kind="text")
INCOME = Column(name="income", kind="number", low=0, high=20_000_000, step=Fraction(1, 100))
X = Column(name="x", kind="integer", low=-1, high=2)
GROUP = Column(name="group", kind="integer", low=0, high=9_998)

ALL = (
    Aggregate("count"),
    Aggregate("units"),
    Aggregate("sum", "x"),
    Aggregate("mean", "x"),
    Aggregate("variance", "x"),
    Aggregate("quantile", "x", Fraction(1, 2)),
    Aggregate("quantile", "x", Fraction(9, 10)),
)


def ask(*aggregates, where=None, by=(), joined=()):
    return Question(
        dataset="d",
        version="1",
        aggregates=aggregates,
        where=where if where is not None else Condition.everything(),
        by=by,
        joined=joined,
    )


def promise(unit="epsilon", neighbours="add_remove", rows=1, size=None):
    return PrivacyDefinition(unit=unit, neighbours=neighbours, rows=rows, size=size)


def design_of(question, schema, given, spend=1, threshold_delta=None):
    cost = Cost(Fraction(spend), Fraction(0), given.unit)
    return design_noise(question, schema, cost=cost, promise=given, threshold_delta=threshold_delta)
