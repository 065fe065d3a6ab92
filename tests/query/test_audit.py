"""The audit of sums: after any accepted questions nothing about few units follows, by exact fractions.

catalogue: H-06
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.query.column import Column
from tacit.query.modes.exact import Exact
from tacit.query.question import Key
from tacit.query.refusal import Refusal
from tacit.query.restriction.public import PublicClasses
from tacit.query.restriction.restriction import check_difference, drawn_prime, in_common, is_prime
from tacit.query.restriction.rules import Rules
from tacit.query.restriction.sum_audit import RowSpace, SumAudit

from .memory_source import MemorySource
from .people import Asking, MemoryPast, ask, people, schema, source, where


def follows(rows, target):
    """Whether the target is a combination of the rows, by elimination with fractions."""
    basis = {}
    for row in [*rows, target]:
        left = [Fraction(int(entry)) for entry in row]
        for pivot, kept in basis.items():
            if left[pivot]:
                left = [a - left[pivot] * b for a, b in zip(left, kept, strict=True)]
        pivot = next((place for place, entry in enumerate(left) if entry), None)
        if row is target:
            return pivot is None
        if pivot is not None:
            basis = {
                place: [a - kept[pivot] * b / left[pivot] for a, b in zip(kept, left, strict=True)]
                for place, kept in basis.items()
            }
            basis[pivot] = [entry / left[pivot] for entry in left]
    return False


def accepted(units, questions, least, prime=None):
    """The sets that the audit alone lets pass, one after the other."""
    audit, passed = SumAudit.empty(np.array(units), prime or drawn_prime()), []
    for chosen in questions:
        after = audit.with_sums([np.flatnonzero(chosen)])
        if not after.exposed_sets(least) - audit.exposed_sets(least):
            audit = after
            passed.append(chosen)
    return audit, passed


@settings(max_examples=60)
@given(st.data())
def test_attack_3_after_any_accepted_questions_no_small_atom_follows(data):
    atoms = data.draw(st.integers(2, 9))
    units = data.draw(st.lists(st.integers(1, 7), min_size=atoms, max_size=atoms))
    question = st.lists(st.booleans(), min_size=atoms, max_size=atoms).filter(any)
    questions = data.draw(st.lists(question, min_size=1, max_size=2 * atoms))
    least = data.draw(st.integers(2, 5))
    audit, passed = accepted(units, questions, least)
    vectors = np.array(passed, int).reshape(-1, atoms)
    for atom in range(atoms):
        known = follows(vectors, np.eye(atoms, dtype=int)[atom])
        assert not (known and units[atom] < least)
        assert known == (
            (audit.cell == audit.cell[atom]).sum() == 1 and audit.cell[atom] in audit.space.determined_unknowns()
        )
    assert audit.space.rows.shape[0] == np.linalg.matrix_rank(vectors) if passed else not len(audit.space.rows)
    for cell in set(audit.cell.tolist()):  # what questions do not tell apart is protected as one
        inside = audit.cell == cell
        if np.array(units)[inside].sum() < least:
            assert not follows(vectors, inside.astype(int))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
def test_attack_3_holds_for_the_mode_as_a_whole(seed, least, grouped):
    """The same through conditions and groups, where every set of accepted questions is looked at unit by unit."""
    rng = np.random.default_rng(seed)
    codes = people(24, seed, age=rng.integers(0, 6, 24), region=rng.integers(0, 2, 24))
    asking, vectors = Asking(Exact(schema(), source(codes), rules=Rules(least=least))), []
    for _ in range(25):
        low = int(rng.integers(0, 6))
        question = ask(
            "sum income",
            of=where(age=[(low, int(rng.integers(low, 6)))], region=[(0, int(rng.integers(0, 2)))]),
            by=(Key("sex"),) if grouped else (),
        )
        try:
            asking(question)
        except Refusal:
            continue
        chosen = question.where.holds(codes)
        vectors += [chosen & (codes["sex"] == sex) for sex in (0, 1)] if grouped else [chosen]
    atoms = np.unique(np.stack([codes[name] for name in ("age", "region", "sex")]), axis=1, return_inverse=True)[1]
    for atom in range(atoms.max() + 1):
        members = atoms == atom
        assert members.sum() >= least or not follows(np.array(vectors, int).reshape(-1, 24), members.astype(int))


def test_a_repeated_or_derived_sum_is_answered():
    audit, passed = accepted([3] * 4, [[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0]], least=5)
    assert len(passed) == 4 and audit.space.rows.shape[0] == 2


def test_the_field_must_not_be_known_to_those_who_ask():
    """Three questions of determinant 2 are independent over the fractions, and dependent modulo 2."""
    questions = [[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]]
    units = [1, 1, 1, 9]
    assert len(accepted(units, questions, least=2)[1]) == 3
    assert len(accepted(units, questions, least=2, prime=2)[1]) == 4  # a small known prime is blind to it
    assert follows(np.array(questions), np.array([1, 0, 0, 0]))


def test_primes_are_prime_and_not_always_the_same():
    small = [n for n in range(2, 2000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    assert [n for n in range(2000) if is_prime(n)] == small
    assert not is_prime(341550071728321) and not is_prime(3825123056546413051)  # strong pseudoprimes to 7 and 9 bases
    drawn = {drawn_prime() for _ in range(5)}
    assert len(drawn) == 5 and all(2**49 < prime < 2**50 for prime in drawn)


def test_products_modulo_a_large_prime_are_exact():
    """Rows of random residues: the reduced form times the inverse of its pivots gives them back, by Python's integers."""
    prime, rng = drawn_prime(), np.random.default_rng(5)
    vectors = rng.integers(0, prime, (6, 9))
    space = RowSpace.empty(9, prime)
    for vector in vectors:
        space = space.with_vector(vector)
    for vector in vectors:
        factors = [int(vector[pivot]) for pivot in space.pivots]
        rebuilt = [sum(f * int(row[j]) for f, row in zip(factors, space.rows, strict=True)) % prime for j in range(9)]
        assert rebuilt == vector.tolist()
    assert (space.rows[:, space.pivots] == np.eye(6, dtype=int)).all()


def test_attack_4_decisions_are_the_same_for_all_data_with_the_same_public_part():
    rng = np.random.default_rng(9)
    codes = people(50, seed=9, age=rng.integers(0, 9, 50))
    other = codes | {name: people(50, seed=10)[name] for name in ("income", "debt", "illness")}
    sides = [Asking(Exact(schema(), source(one), rules=Rules(least=4, overlap=30))) for one in (codes, other)]
    found = [[], []]
    for _ in range(120):
        low = int(rng.integers(0, 9))
        of = where(age=[(low, int(rng.integers(low, 9)))], region=[(0, int(rng.integers(0, 4)))])
        question = ask(str(rng.choice(["sum income", "mean debt", "count"])), of=of)
        for side, told in zip(sides, found, strict=True):
            try:
                side(question)
                told.append("answered")
            except Refusal as refusal:
                told.append(str(refusal.as_json()))
    assert found[0] == found[1]
    assert 10 < found[0].count("answered") < 110


def test_another_process_decides_the_same_from_the_past():
    rng = np.random.default_rng(11)
    codes = people(40, seed=11, age=rng.integers(0, 8, 40))
    first = Asking(Exact(schema(), source(codes), rules=Rules(least=4)))
    for step in range(60):
        low = int(rng.integers(0, 8))
        question = ask(
            "sum income", of=where(age=[(low, int(rng.integers(low, 8)))], sex=[(0, int(rng.integers(0, 2)))])
        )
        fresh, past = Exact(schema(), source(codes), rules=Rules(least=4)), MemoryPast()
        past.charged = list(first.past.charged)
        told = []
        for decide in (lambda: first(question), lambda: fresh.decide(question, past)):  # noqa: B023
            try:
                decide()
                told.append("")
            except Refusal as refusal:
                told.append(refusal.code)
        assert told[0] == told[1], step


def test_overlap_is_counted_in_units_and_the_same_set_is_nothing_new():
    codes = people(60, seed=12, age=np.arange(60))
    asking = Asking(Exact(schema(), source(codes), rules=Rules(least=5, overlap=5)))
    asking(ask("sum income", of=where(age=[(0, 19)])))
    asking(ask("mean income", of=where(age=[(0, 19)])))
    asking(ask("sum income", of=where(age=[(15, 30)])))
    with pytest.raises(Refusal) as found:
        asking(ask("sum income", of=where(age=[(14, 28)])))
    assert found.value.code == "overlap"
    asking(ask("sum debt", of=where(age=[(14, 28)])))


def test_units_in_common_are_those_of_sets():
    rng = np.random.default_rng(13)
    units, sets = rng.integers(1, 9, 12), rng.random((7, 12)) < 0.5
    members = [{(atom, unit) for atom in np.flatnonzero(one) for unit in range(units[atom])} for one in sets]
    common = in_common(np.flatnonzero(sets[0]), sets, units)
    assert common.tolist() == [len(members[0] & other) for other in members]


def test_a_coalition_that_knows_its_own_values_learns_no_others():
    """Two people share a region; each of them is one more than the least for the other."""
    codes = people(
        30, seed=14, region=np.r_[0, 0, np.full(14, 1), np.full(14, 2)], sex=np.r_[0, 1, np.tile([0, 1], 14)]
    )
    pair = ask("sum income", of=where(region=[(0, 1)]))
    rest = ask("sum income", of=where(region=[(1, 1)]))
    free = Asking(Exact(schema(columns=NO_AGE), source(codes), rules=Rules(least=2)))
    free(pair)
    free(rest)  # the sum of two people is known: each of them can compute the other
    wary = Asking(
        Exact(schema(columns=NO_AGE), source(codes), rules=Rules(least=2, known=where(region=[(0, 0)], sex=[(0, 0)])))
    )
    wary(pair)
    with pytest.raises(Refusal):
        wary(rest)


def test_what_a_coalition_knows_is_taken_out_of_every_equation():
    """x + k + y, x + z and y + z give x + k/2: nothing, unless k is known."""
    ages = np.r_[0, 1, np.repeat([2, 3, 4], 10)]
    codes = people(32, seed=17, age=ages, region=np.zeros(32), sex=np.zeros(32))
    steps = [where(age=[(0, 2)]), where(age=[(0, 0), (3, 3)]), where(age=[(2, 3)])]
    for known, answered in ((None, 3), (where(age=[(1, 1)]), 2)):
        asking, told = Asking(Exact(schema(), source(codes), rules=Rules(least=2, known=known))), 0
        for step in steps:
            try:
                asking(ask("sum income", of=step))
                told += 1
            except Refusal as refusal:
                assert refusal.code == "would_disclose"
        assert told == answered


@given(st.integers(0, 10**6))
def test_sets_of_all_versions_have_the_people_in_common_that_they_have(seed):
    rng, versions, held = np.random.default_rng(seed), {}, {}
    for version in ("1", "2", "3"):
        names = [f"p{number}" for number in np.flatnonzero(rng.random(30) < 0.8)]
        codes = people(len(names), seed, age=rng.integers(0, 3, len(names)), sex=rng.integers(0, 2, len(names)))
        versions[version] = source(codes, version, names).units(("age", "region", "sex"))
        held[version] = names, codes
    found = PublicClasses.of(schema("3", "name"), versions)
    sets, members = [], []
    for version, (names, codes) in held.items():
        assert found.versions[version][0].units.sum() == len(names)
        for age, sex in product(range(3), range(2)):
            of = where(age=[(age, age)], sex=[(sex, sex)])
            sets.append(found.groups(ask("count", of=of, version=version))[0][1])
            members.append({name for name, inside in zip(names, of.holds(codes), strict=True) if inside})
    masks = np.array([np.isin(np.arange(len(found.units)), one) for one in sets])
    for chosen, who in zip(sets, members, strict=True):
        assert in_common(chosen, masks, found.units).tolist() == [len(who & other) for other in members]


def test_a_difference_is_small_up_to_the_least():
    ten = np.array([10])
    for size in (11, 14):
        with pytest.raises(Refusal):
            check_difference(size, ten, ten, 5)
    for size in (10, 15):
        check_difference(size, ten, ten, 5)
    check_difference(12, ten, np.array([9]), 5)  # neither lies within the other


def test_more_groups_than_can_be_audited_are_refused_before_any_work():
    codes = people(20_000, seed=18, age=np.arange(20_000) % 100)
    fine = {**schema().columns, "debt": Column(name="debt", kind="integer", low=0, high=20_000)}
    codes["debt"] = np.arange(20_000) // 2
    mode = Exact(schema(columns=fine), MemorySource(schema(columns=fine), codes), rules=Rules(least=2))
    with pytest.raises(Refusal) as found:
        mode.decide(ask("sum income", by=(Key("debt"),)), MemoryPast())
    assert found.value.code == "too_complex"
    mode.decide(ask("sum income", by=(Key("debt", 1000),)), MemoryPast())


NO_AGE = {name: column for name, column in schema().columns.items() if name not in ("age",)}


def test_a_smaller_least_in_the_past_closes_nothing_that_is_still_safe():
    codes = people(40, seed=15, age=np.repeat(np.arange(10), 4))
    past = MemoryPast(ask("sum income", of=where(age=[(3, 3)])))  # four people, answered when the least was 3
    mode = Exact(schema(), source(codes), rules=Rules(least=6))
    mode.decide(ask("sum income", of=where(age=[(0, 4)])), past)
    with pytest.raises(Refusal):
        mode.decide(ask("sum income", of=where(age=[(3, 4)])), past)  # the other four would follow


def test_sets_of_one_question_are_audited_together():
    units = np.array([1, 6, 6])
    audit = SumAudit.empty(units, drawn_prime()).with_sums([np.arange(3)])
    assert audit.with_sums([np.array([1]), np.array([2])]).exposed_sets(2) == {(0, -1)}
