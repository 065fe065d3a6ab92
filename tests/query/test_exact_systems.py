"""What one column and one cell at a time did not show: identities, sums of two or three people, values at a bound (A5, A7, A8).

catalogue: H-06
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.query.column import Column, Schema
from tacit.query.identities import found_identities, parse_identity
from tacit.query.modes.exact import Exact
from tacit.query.question import Aggregate, Question
from tacit.query.refusal import Refusal
from tacit.query.restriction.restriction import drawn_prime
from tacit.query.restriction.rules import Rules
from tacit.query.restriction.sum_audit import SumAudit

from .memory_source import MemorySource
from .people import COLUMNS, Asking, where
from .test_audit import follows

PAY = ("gross", "net", "tax")
MONEY = {name: Column(name=name, kind="integer", low=0, high=10**6, confidential=True) for name in PAY}
SCHEMA = Schema(name="people", version="1", columns={"age": COLUMNS["age"]} | MONEY, joins={})
IDENTITY = ["gross = net + tax"]


def staff(count=60, seed=3):
    rng = np.random.default_rng(seed)
    net, tax = rng.integers(100_000, 300_000, count), rng.integers(50_000, 90_000, count)
    return {"age": np.arange(count), "gross": net + tax, "net": net, "tax": tax}


def exact(codes, least=5, identities=IDENTITY, schema=SCHEMA):
    return Exact(schema, MemorySource(schema, codes), rules=Rules(least=least), identities=identities)


def total(asking, column, ages):
    question = Question(
        dataset="people",
        version="1",
        aggregates=(Aggregate("sum", column),),
        where=where(age=[(int(age), int(age)) for age in ages]),
    )
    try:
        return asking.figure(question)
    except Refusal as refusal:
        return refusal.code


def attacked(asking, codes, person):
    """tax(x) = gross(x ∪ A) − net(x ∪ A) − tax(A): every set is large, and no column alone tells anything."""
    others = [age for age in range(20) if age != person]
    gross, net, tax = total(asking, "gross", [person, *others]), total(asking, "net", [person, *others]), 0
    tax = total(asking, "tax", others)
    found = gross - net - tax if not any(isinstance(one, str) for one in (gross, net, tax)) else None
    return found == codes["tax"][person]


def test_an_identity_tells_a_value_where_columns_are_audited_apart():
    """The attack works against three audits that know nothing of each other."""
    codes = staff()
    audits = {
        name: Asking(exact({"age": codes["age"], name: codes[name]}, identities=(), schema=only(name))) for name in PAY
    }

    class Apart:
        def figure(self, question):
            return audits[question.aggregates[0].column].figure(question)

    assert attacked(Apart(), codes, 7)


def only(name):
    return Schema(name="people", version="1", columns={"age": COLUMNS["age"], name: MONEY[name]}, joins={})


def test_columns_of_an_identity_are_audited_as_one_system():
    codes = staff()
    for person in (0, 7, 19):
        assert not attacked(Asking(exact(codes)), codes, person)
    asking = Asking(exact(codes))
    assert total(asking, "gross", range(30)) == codes["gross"][:30].sum()
    assert total(asking, "net", range(30)) == codes["net"][:30].sum()
    assert total(asking, "tax", range(30)) == codes["tax"][:30].sum(), "what follows anyway is answered"


def test_an_identity_that_is_not_declared_or_not_kept_does_not_open():
    codes = staff()
    with pytest.raises(TacitError, match="which is not declared"):
        exact(codes, identities=())
    with pytest.raises(TacitError, match="does not hold"):
        exact(codes | {"tax": codes["tax"] + (codes["age"] == 3)})
    with pytest.raises(TacitError, match="'taxx' is no confidential number"):
        exact(codes, identities=["gross = net + taxx"])
    for wrong in ("gross", "gross = ", "gross = net * 2", "= net"):
        with pytest.raises(TacitError):
            exact(codes, identities=[wrong])


def test_identities_are_found_in_any_combination_and_none_is_made_up():
    rng = np.random.default_rng(5)
    a, b, c = rng.integers(0, 1000, (3, 500))
    for codes, tied in [
        ({"a": a, "b": b, "c": c}, []),
        ({"a": a, "b": 3 * a + 7}, [("a", "b")]),
        ({"a": a, "b": b, "c": a - b, "d": c}, [("a", "b", "c")]),
        ({"a": a, "b": np.full(500, 4)}, []),
        ({"a": a[:4], "b": b[:4], "c": c[:4]}, []),
    ]:
        assert found_identities(codes) == tied
    assert found_identities({"a": a, "b": b, "c": a - b}, [[1, -1, -1]]) == []


def test_steps_of_the_columns_count_in_an_identity():
    from fractions import Fraction

    cents = Column(name="tax", kind="number", low=0, high=10**8, step=Fraction(1, 100), confidential=True)
    schema = Schema(name="s", version="1", columns=MONEY | {"tax": cents}, joins={})
    assert parse_identity("gross = net + tax", schema).terms == {"gross": 100, "net": -100, "tax": -1}


@settings(max_examples=80)
@given(st.data())
def test_no_sum_over_fewer_than_four_units_follows(data):  # A7: least = 4, and the sum of two people followed
    """With ``least`` up to four, every set of fewer units is looked at: by elimination in fractions none follows."""
    atoms = data.draw(st.integers(3, 8))
    units = data.draw(st.lists(st.integers(1, 3), min_size=atoms, max_size=atoms))
    question = st.lists(st.booleans(), min_size=atoms, max_size=atoms).filter(any)
    least = data.draw(st.integers(2, 4))
    audit, passed = SumAudit.empty(np.array(units), drawn_prime()), []
    for chosen in data.draw(st.lists(question, min_size=1, max_size=2 * atoms)):
        after = audit.with_sums([np.flatnonzero(chosen)])
        if not after.exposed_sets(least) - audit.exposed_sets(least):
            audit = after
            passed.append(chosen)
    vectors = np.array(passed, int).reshape(-1, atoms)
    for size in (1, 2, 3):
        for some in combinations(range(atoms), size):
            if sum(units[one] for one in some) < least:
                target = np.zeros(atoms, int)
                target[list(some)] = 1
                assert not follows(vectors, target), (some, vectors)


def test_what_the_audit_refuses_does_follow():
    """No question is refused for nothing: each exposed set is a combination of the answers."""
    rng = np.random.default_rng(8)
    for _ in range(40):
        atoms = 7
        units = rng.integers(1, 3, atoms)
        audit, vectors = SumAudit.empty(units, drawn_prime()), []
        for _ in range(5):
            chosen = rng.random(atoms) < 0.5
            audit = audit.with_sums([np.flatnonzero(chosen)])
            vectors.append(chosen.astype(int))
        for *members, _column in audit.exposed_sets(4):
            target = np.zeros(atoms, int)
            target[members] = 1
            assert follows(np.array(vectors), target)


def test_the_sum_of_two_people_is_refused_in_the_mode():
    """{x,y}∪A, A∪B, {x,y}∪B: twice the sum of x and y; neither x nor y follows alone, for a question tells them apart."""
    codes = {"age": np.arange(40), "net": staff(40)["net"]}
    schema = only("net")
    asking = Asking(exact(codes, least=4, identities=(), schema=schema))
    left, right = range(10, 16), range(20, 26)
    assert total(asking, "net", [0, *range(30, 36)]) not in ("small_set", "would_disclose")  # tells x from y
    for ages in ([0, 1, *left], [*left, *right]):
        assert not isinstance(total(asking, "net", ages), str)
    assert total(asking, "net", [0, 1, *right]) == "would_disclose"


def test_a_column_with_many_values_at_a_bound_is_not_opened():  # A8: a sum at a bound is everybody's value
    rng = np.random.default_rng(4)
    ill = Column(name="net", kind="integer", low=0, high=1, confidential=True)
    schema = Schema(name="people", version="1", columns={"age": COLUMNS["age"], "net": ill}, joins={})
    with pytest.raises(TacitError, match="at its bound"):
        exact({"age": np.arange(80) % 40, "net": rng.integers(0, 2, 80)}, identities=(), schema=schema)
    codes = staff(40)["net"]
    codes[:4] = 0
    Asking(exact({"age": np.arange(40), "net": codes}, least=5, identities=(), schema=only("net")))
    with pytest.raises(TacitError, match="5 or more values at its bound 0"):
        codes[4] = 0
        exact({"age": np.arange(40), "net": codes}, least=5, identities=(), schema=only("net"))
