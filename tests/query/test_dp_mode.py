"""The mode dp: the price is what is offered, split exactly; quotes read no data; what cannot be noisy is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.dp.cost import Cost
from tacit.errors import TacitError
from tacit.query.answer import Answer
from tacit.query.column import Column
from tacit.query.condition import Condition
from tacit.query.engines import DuckDB
from tacit.query.modes.dp import DpMode
from tacit.query.noisy.part import Part
from tacit.query.question import Aggregate, Key
from tacit.query.refusal import Refusal
from tacit.query.value_set import Codes

from .noisy_case import AGE, ALL, INCOME, SEX, TOWN, X, ask
from .row_source import RowSource, schema_of

# catalogue: H-03, H-04, H-07

SCHEMA = schema_of(AGE, SEX, TOWN, INCOME, X, Column(name="free", kind="integer"))
ROWS = {"age": [30, 40], "sex": [0, 1], "town": ["a", "b"], "income": [5, 6], "x": [0, 1], "free": [1, 2]}


def mode_of(unit="epsilon", neighbours="add_remove", schema=SCHEMA, **options):
    return DpMode(schema, RowSource(schema, ROWS), unit=unit, neighbours=neighbours, **options)


aggregates = st.lists(st.sampled_from(ALL), min_size=1, max_size=7, unique=True)
spends = st.one_of(
    st.integers(10**5, 10**9).map(lambda billionths: Fraction(billionths, 10**9)),
    st.fractions(Fraction(1, 1000), 100, max_denominator=10**6),
)


@given(
    aggregates, spends, st.sampled_from(["epsilon", "rho"]), st.sampled_from(["add_remove", "replace"]), st.booleans()
)
def test_the_parts_cost_exactly_what_is_offered(asked, spend, unit, neighbours, open_key):
    """From the scales and the changes alone: Σ Δ₁/scale = ε and Σ Δ₂²/2scale² = ρ to the last digit of a float."""
    mode = mode_of(unit, neighbours, threshold_delta="1e-8")
    question = ask(*asked, by=(Key("town"),) if open_key else (Key("sex"),))
    quote = mode.quote(question, spend)
    spend = Fraction(-(-spend * 10**9 // 1), 10**9)  # on the grid of the ledger, rounded up
    assert quote.cost == Cost(spend, Fraction(1, 10**8) if open_key else Fraction(0), unit)
    spent = Fraction(0)
    for part, law in quote.plan["design"].laws.items():
        reach = part.sensitivity(groups=None if open_key else 3, promise=mode.promise)
        # a choice hides a change of both the score taken and the one left, which ρ = ε²/8 makes up for
        twice = 1 if isinstance(part, Part) else 2
        scale = Fraction(law.scale)
        spent += twice * reach.l1 / scale if unit == "epsilon" else reach.l2_squared / (2 * scale**2)
    assert spent <= spend
    assert float(spent) == pytest.approx(float(spend), rel=1e-12)
    assert mode.source.touched == 0


def test_parts_that_several_aggregates_need_are_drawn_once():
    laws = (
        mode_of().quote(ask(Aggregate("mean", "x"), Aggregate("variance", "x"), Aggregate("count")), Fraction(1)).plan
    )
    assert sorted(part.what for part in laws["design"].laws) == ["present", "rows", "squares", "sum"]


@pytest.mark.parametrize("spend", [None, 0, -1, Fraction(1, 10**7), 101, 10**40])
def test_a_spend_that_makes_no_sense_is_refused(spend):
    with pytest.raises(Refusal) as caught:
        mode_of().quote(ask(Aggregate("count")), None if spend is None else Fraction(spend))
    assert caught.value.code == "bad_request"
    assert "0.1" in caught.value.fix


@pytest.mark.parametrize("what", ["sum", "mean", "variance", "quantile"])
def test_without_declared_bounds_there_is_a_refusal_never_an_answer_without_noise(what):
    """Attack 17."""
    mode = mode_of()
    with pytest.raises(Refusal) as caught:
        mode.quote(ask(Aggregate(what, "free", Fraction(1, 2))), Fraction(1))
    assert caught.value.code == "undeclared_bounds"
    with pytest.raises(Refusal) as caught:
        mode.quote(ask(Aggregate(what, "town", Fraction(1, 2))), Fraction(1))
    assert caught.value.code == "unsupported_sql"
    with pytest.raises(Refusal) as caught:
        mode.quote(ask(Aggregate(what, "nowhere")), Fraction(1))
    assert caught.value.code == "unknown_column"
    assert mode.source.touched == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"unit": "delta"}, "epsilon"),
        ({"neighbours": "swap"}, "neighbour"),
        ({"size": 2}, "replace"),
        ({"neighbours": "replace", "size": 3}, "size = 3"),
        ({"neighbours": "replace", "size": 0}, "size=0"),
        ({"threshold_delta": 0}, "threshold_delta"),
        ({"threshold_delta": 1}, "threshold_delta"),
        ({"threshold_delta": "much"}, "threshold_delta"),
    ],
)
def test_a_promise_that_cannot_be_kept_is_refused_at_the_start(options, said):
    with pytest.raises(TacitError, match=said):
        mode_of(**options)


def test_a_public_size_that_is_right_is_taken():
    assert mode_of(neighbours="replace", size=2).promise.size == 2


def test_nothing_asked_before_changes_an_answer():
    assert mode_of().decide(ask(Aggregate("count")), None) is None


def test_answers_are_in_the_order_of_the_question_and_survive_json():
    mode = mode_of("rho", threshold_delta="1e-6")
    question = ask(*ALL, by=(Key("sex"), Key("age", 50)))
    answer = mode.answer(mode.quote(question, Fraction(90)))
    assert answer.keys[:4] == ((None, None), (None, "f"), (None, "m"), (0, None))
    assert len(answer.keys) == 3 * 4
    assert all(len(row) == len(ALL) for row in answer.figures)
    assert Answer.from_json(answer.as_json()) == answer
    found = dict(zip(answer.keys, answer.figures, strict=True))
    assert abs(found[0, "f"][0] - 1) <= 3  # ρ = 90 leaves hardly any noise


def test_a_condition_decides_which_groups_there_are():
    mode = mode_of()
    women = Condition.of(SEX, Codes.of([(0, 0)]))
    answer = mode.answer(mode.quote(ask(Aggregate("count"), where=women, by=(Key("sex"),)), Fraction(1)))
    assert answer.keys == (("f",),)


def test_a_question_about_nobody_has_no_groups_and_the_same_price():
    several = schema_of(SEX, unit="who", rows=2)
    mode = DpMode(several, RowSource(several, {"sex": [0]}, ["one"]), unit="epsilon", neighbours="replace")
    asked = ask(Aggregate("count"), Aggregate("units"), where=Condition.nothing(), by=(Key("sex"),))
    quote = mode.quote(asked, Fraction(1))
    assert quote.cost == Cost(Fraction(1))
    assert mode.answer(quote).keys == ()


def test_a_column_can_be_key_and_quantile_at_once_in_a_real_engine(tmp_path):
    file = tmp_path / "people.csv"
    ages = [3, 7, 8, 9, 9, 61, 62, 63, 64, 64, 65] * 40
    file.write_text("age\n" + "\n".join(map(str, ages)))
    schema = schema_of(AGE)
    source = DuckDB(schema, file, time_limit=10)
    mode = DpMode(schema, source, unit="rho", neighbours="add_remove")
    median = Aggregate("quantile", "age", Fraction(1, 2))
    answer = mode.answer(mode.quote(ask(Aggregate("mean", "age"), median, by=(Key("age", 60),)), Fraction(100)))
    source.close()
    found = {key: figures for (key,), figures in zip(answer.keys, answer.figures, strict=True)}
    assert found[0] == pytest.approx((7.2, 8), abs=0.5)
    assert found[60] == pytest.approx((63.17, 64), abs=1)


def test_the_notes_say_the_promise():
    several = schema_of(AGE, unit="patient", rows=3)
    mode = DpMode(several, RowSource(several, {"age": []}, []), unit="epsilon", neighbours="replace")
    notes = mode.quote(ask(Aggregate("mean", "age"), Aggregate("count")), Fraction(1)).notes
    assert notes[0] == "noise hides one 'patient' being another, of which at most 3 rows count"
    assert any("/n" in note for note in notes)
    assert any("negative" in note for note in notes)


def test_one_unit_with_a_million_rows_counts_as_its_share():
    """Attack 15: contribution bounding holds whatever the number of rows."""
    several = schema_of(AGE, unit="patient", rows=3)
    source = RowSource(several, {"age": [110] * 5_000}, ["one"] * 5_000)
    mode = DpMode(several, source, unit="rho", neighbours="add_remove")
    asked = ask(Aggregate("count"), Aggregate("sum", "age"), Aggregate("units"))
    count, total, units = mode.answer(mode.quote(asked, Fraction(100))).figures[0]
    assert abs(count - 3) < 10
    assert abs(total - 330) < 1_000
    assert units == 1  # with noise of scale 0.12
