"""Exact answers with restriction: right figures, and the attacks of trackers and of people who share answers.

catalogue: H-06
"""

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.query.column import NULL
from tacit.query.modes.exact import Exact
from tacit.query.question import Key
from tacit.query.refusal import Refusal
from tacit.query.restriction.rules import Rules

from .people import Asking, MemoryPast, Unprotected, ask, people, schema, source, where

TARGET = where(age=[(33, 33)])
OTHERS = where(age=[(0, 32), (34, 99)])


def one_of_33(count=40):
    """People of whom exactly one is 33 years old; the income in cents."""
    codes = people(count, seed=1)
    codes["age"] = np.r_[33, np.where(codes["age"][1:] == 33, 34, codes["age"][1:])]
    return codes, codes["income"][0] / 100


def exact(codes, **rules):
    return Exact(schema(), source(codes), rules=Rules(**({"least": 5} | rules)))


def refused(asking, question, code, account="ana"):
    with pytest.raises(Refusal) as found:
        asking(question, account)
    assert found.value.code == code
    return found.value


# --- figures


def test_figures_are_those_of_counting_by_hand():
    codes = people(200, seed=2)
    asking = Asking(exact(codes))
    answer = asking(ask("count", "sum income", "mean income", "sum debt", by=(Key("age", 25), Key("sex"))))
    assert answer.accuracy == ((0.0,) * 4,) * 8 and len(answer.keys) == 8
    for (age, sex), figures in zip(answer.keys, answer.figures, strict=True):
        chosen = (codes["age"] // 25 * 25 == age) & (codes["sex"] == "fm".index(sex))
        income, debt = codes["income"][chosen], codes["debt"][chosen]
        assert figures == (
            chosen.sum(),
            pytest.approx(income.sum() / 100 / chosen.sum(), rel=1e-15),
            debt.sum(),
            income.sum() / 100,
        )


def test_a_public_column_is_averaged_over_those_who_have_it():
    codes = people(60, seed=3)
    codes["age"][:7] = NULL
    assert Asking(exact(codes)).figure(ask("mean age")) == pytest.approx(codes["age"][7:].mean(), rel=1e-15)


def test_counts_list_the_groups_that_are_large_enough():
    codes = people(40, seed=4, region=np.r_[np.zeros(20), np.ones(16), np.full(4, 2)])
    answer = Asking(exact(codes))(ask("count", by=(Key("region"),)))
    assert answer.keys == (("north",), ("east",)) and answer.figures == ((20,), (16,))


def test_sums_by_group_are_refused_when_a_group_is_small():
    codes = people(40, seed=4, region=np.r_[np.zeros(20), np.ones(16), np.full(4, 2)])
    asking = Asking(exact(codes))
    refused(asking, ask("sum income", by=(Key("region"),)), "small_set")
    assert len(asking(ask("sum income", of=where(region=[(0, 1)]), by=(Key("region"),))).keys) == 2


# --- attacks, each first against answers without protection


def test_attack_1_small_sets_and_their_complements_are_refused():
    codes, income = one_of_33()
    open_desk = Asking(Unprotected(source(codes)))
    assert open_desk.figure(ask("sum income", of=TARGET)) == income
    tracked = open_desk.figure(ask("sum income")) - open_desk.figure(ask("sum income", of=OTHERS))
    assert tracked == pytest.approx(income)
    for what in ("count", "sum income", "mean income"):
        asking = Asking(exact(codes))
        refused(asking, ask(what, of=TARGET), "small_set")
        refused(asking, ask(what, of=OTHERS), "small_set")
        refused(
            asking, ask(what, of=where(age=[(33, 33)], sex=[(1 - codes["sex"][0], 1 - codes["sex"][0])])), "small_set"
        )


def test_attack_2_the_difference_of_one_person_is_refused():
    codes, income = one_of_33()
    wide, less = where(age=[(20, 60)]), where(age=[(20, 32), (34, 60)])
    open_desk = Asking(Unprotected(source(codes)))
    difference = open_desk.figure(ask("sum income", of=wide)) - open_desk.figure(ask("sum income", of=less))
    assert difference == pytest.approx(income)
    asking = Asking(exact(codes))
    asking(ask("sum income", of=wide))
    refused(asking, ask("sum income", of=less), "small_set")
    refused(asking, ask("mean income", of=less), "small_set")
    asking(ask("sum debt", of=less))  # about another column nothing was told yet


def test_attack_3_overlapping_sums_that_solve_for_one_person_are_refused_at_the_last():
    """x + y, x + z and y + z give 2x; no set is small, none lies within another."""
    codes, income = one_of_33(60)
    codes["region"][0] = 0
    women, men = (where(region=[(0, 1)], sex=[(sex, sex)]) & OTHERS for sex in (0, 1))
    steps = [ask("sum income", of=step) for step in (women | TARGET, men | TARGET, women | men)]
    open_desk = Asking(Unprotected(source(codes)))
    a, b, c = (open_desk.figure(step) for step in steps)
    assert (a + b - c) / 2 == pytest.approx(income)
    asking = Asking(exact(codes))
    asking(steps[0])
    asking(steps[1])
    refused(asking, steps[2], "would_disclose")
    asking(ask("sum debt", of=women | men))


def test_attack_4_the_decision_needs_no_data():
    codes, _ = one_of_33()
    data = source(codes)
    mode = Exact(schema(), data, rules=Rules(least=5))
    for name in ("tally", "units", "codes"):
        setattr(data, name, None)  # whoever reads now fails
    mode.quote(ask("sum income"), None)
    mode.decide(ask("sum income"), MemoryPast())
    with pytest.raises(Refusal):
        mode.decide(ask("sum income", of=OTHERS), MemoryPast(ask("sum income")))
    with pytest.raises(Refusal):
        mode.quote(ask("quantile income"), None)


@pytest.mark.parametrize("per_account", [False, True])
def test_attack_5_accounts_are_audited_together_unless_the_owner_says_otherwise(per_account):
    codes, income = one_of_33()
    wide, less = ask("sum income", of=where(age=[(20, 60)])), ask("sum income", of=where(age=[(20, 32), (34, 60)]))
    open_desk = Asking(Unprotected(source(codes)))
    assert open_desk.figure(wide, "ana") - open_desk.figure(less, "ben") == pytest.approx(income)
    asking = Asking(exact(codes, per_account=per_account))
    asking(wide, "ana")
    if per_account:
        note = asking(less, "ben").notes[-1]
        assert "compare" in note
        refused(asking, wide, "small_set", "ben")
    else:
        refused(asking, less, "small_set", "ben")


def test_who_asks_is_unknown_then_all_accounts_are_one():
    codes, _ = one_of_33()
    mode = exact(codes, per_account=True)
    past = MemoryPast(ask("sum income", of=where(age=[(20, 60)])))
    with pytest.raises(Refusal):
        mode.decide(ask("sum income", of=where(age=[(20, 32), (34, 60)])), past)


# --- versions


def two_versions(moved=False):
    """The same forty people twice; then one more joins, or one moves to another region."""
    codes = people(40, seed=6, region=np.arange(40) % 4)
    names = [f"p{number:02}" for number in range(40)]
    if moved:
        later = codes | {"region": np.r_[1, codes["region"][1:]]}
        return codes, names, later, names
    later = {name: np.r_[values, people(1, seed=7)[name]] for name, values in codes.items()} | {
        "region": np.r_[codes["region"], 0]
    }
    return codes, names, later, [*names, "p40"]


def second(first, names, later, later_names, known=True):
    earlier = {"1": source(first, "1", names)} if known else {}
    mode = Exact(schema("2", "name"), source(later, "2", later_names), rules=Rules(least=5), earlier=earlier)
    asking = Asking(mode)
    asking.past = MemoryPast(ask("sum income", of=where(region=[(0, 0)])))
    return asking


def test_attack_22_what_joined_between_two_versions_cannot_be_computed():
    first, names, later, later_names = two_versions()
    before, after = (
        ask("sum income", of=where(region=[(0, 0)])),
        ask("sum income", of=where(region=[(0, 0)]), version="2"),
    )
    open_desk = Asking(Unprotected(source(later))), Asking(Unprotected(source(first)))
    assert open_desk[0].figure(after) - open_desk[1].figure(before) == pytest.approx(later["income"][-1] / 100)
    asking = second(first, names, later, later_names)
    refused(asking, after, "small_set")
    asking(ask("sum income", of=where(region=[(1, 1)]), version="2"))  # nobody joined or left there, nothing was asked


def test_attack_22_the_audit_carries_over_for_those_who_stayed():
    first, names, later, later_names = two_versions()
    lone = int(np.flatnonzero(np.bincount(first["age"][1::4], minlength=100) == 1)[0])
    asking = second(first, names, later, later_names)
    asking.past = MemoryPast(ask("sum income", of=where(region=[(1, 1)])))
    less = where(region=[(1, 1)], age=[(0, lone - 1), (lone + 1, 99)])
    refused(asking, ask("sum income", of=less, version="2"), "small_set")


def test_attack_22_who_moves_counts_as_one_unknown():
    first, names, later, later_names = two_versions(moved=True)
    asking = second(first, names, later, later_names)
    refused(asking, ask("sum income", of=where(region=[(0, 0)]), version="2"), "small_set")


def test_an_earlier_version_that_is_not_at_hand_closes_the_column():
    first, names, later, later_names = two_versions()
    asking = second(first, names, later, later_names, known=False)
    refused(asking, ask("sum income", of=where(region=[(1, 1)]), version="2"), "would_disclose")
    asking(ask("sum debt", of=where(region=[(1, 1)]), version="2"))


# --- what is not offered


@pytest.mark.parametrize("what", ["variance income", "quantile income"])
def test_what_no_audit_of_sums_can_see_is_refused(what):
    refused(Asking(exact(people(40, seed=8))), ask(what), "mode")


@pytest.mark.parametrize("question", [ask("count", of=where(illness=[(1, 1)])), ask("count", by=(Key("illness"),))])
def test_counting_by_a_confidential_column_is_refused(question):
    refused(Asking(exact(people(40, seed=8))), question, "mode")


def test_grouping_by_a_column_without_a_list_is_refused():
    refused(Asking(exact(people(40, seed=8))), ask("count", by=(Key("job"),)), "mode")


def test_a_missing_confidential_value_or_a_second_row_is_told_to_the_owner():
    codes = people(40, seed=8)
    codes["income"][3] = NULL
    with pytest.raises(TacitError, match="missing"):
        exact(codes)
    with pytest.raises(TacitError, match="several rows"):
        Exact(schema("1", "name"), source(people(4, seed=8), names=["a", "b", "b", "c"]), rules=Rules(least=5))


@pytest.mark.parametrize("rules", [{"least": 1}, {"least": True}, {"least": 5, "overlap": -1}])
def test_rules_that_protect_nobody_are_refused(rules):
    with pytest.raises(TacitError):
        Rules(**rules)


def test_a_charge_without_an_answer_counts_as_answered():
    codes, _ = one_of_33()
    mode = exact(codes)
    past = MemoryPast()
    wide, less = ask("sum income", of=where(age=[(20, 60)])), ask("sum income", of=where(age=[(20, 32), (34, 60)]))
    mode.decide(wide, past)
    mode.decide(less, past)  # deciding alone remembers nothing
    past.add(wide)
    with pytest.raises(Refusal):
        mode.decide(less, past)
