"""What analysts may write, and what it means. catalogue: H-07."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.query.answer import Answer
from tacit.query.answer_table import laid_out
from tacit.query.question import Aggregate, Key, PostProcessing
from tacit.query.sql import parse

from .declared import SCHEMAS


def asked(sql):
    return parse(sql, SCHEMAS)[0]


def where(text):
    return asked(f"SELECT COUNT(*) FROM patients WHERE {text}").where


def test_a_grouped_question_with_all_its_parts():
    question, after = parse(
        """select p.sex, bin(age, 10) as decade, COUNT(*) AS n, AVG(income), quantile(income, 0.9), Count(DISTINCT patient)
           from Patients AS p inner join wards w using (WARD)
           where beds >= 3 and w.kind = 'icu'
           group by sex, decade having n > 5.5 and 10 >= avg(income) order by n desc, decade limit 7;""",
        SCHEMAS,
    )
    assert question.dataset == "patients"
    assert question.version == "2026-01"
    assert question.joined == ("wards",)
    assert question.by == (Key("age", 10), Key("sex"))
    assert question.where.columns == ("wards.beds", "wards.kind")
    assert question.aggregates == (
        Aggregate("count"),
        Aggregate("mean", "income"),
        Aggregate("quantile", "income", Fraction(9, 10)),
        Aggregate("units"),
    )
    assert after == PostProcessing(
        shown=(
            ("key", 1, "sex"),
            ("key", 0, "decade"),
            ("aggregate", 0, "n"),
            ("aggregate", 1, "mean_income"),
            ("aggregate", 2, "quantile_0.9_income"),
            ("aggregate", 3, "units"),
        ),
        having=(("n", ">", Fraction(11, 2)), ("mean_income", "<=", Fraction(10))),
        order=(("n", True), ("decade", False)),
        limit=7,
    )


@pytest.mark.parametrize(
    "written, what",
    [
        ("MEDIAN(age)", "quantile"),
        ("VARIANCE(age)", "variance"),
        ("VAR_SAMP(age)", "variance"),
        ("VAR(age)", "variance"),
    ],
)
def test_aggregates_have_several_spellings(written, what):
    assert asked(f"SELECT {written} FROM people").aggregates[0].what == what


@pytest.mark.parametrize(
    "one, other",  # attack 6: an equivalent text must not buy a second draw of the noise
    [
        ("age >= 3", "age > 2"),
        ("age >= 3", "2 < age"),
        ("age > 2.5", "NOT age <= 2"),
        ("age >= 3 AND sex = 'f'", "sex = 'f' AND (age >= 3)"),
        ("age >= 3", "age >= 3 OR 1 = 0"),
        ("age >= 3", "NOT NOT age >= 3"),
        ("age BETWEEN 3 AND 5", "age IN (5, 4, 3, 3)"),
        ("age <= 110", "age IS NOT NULL"),
        ("age < 0 OR age > 1e30", "1 = 0"),
        ("sex <> 'f'", "sex = 'm'"),
        ("NOT (sex = 'f' OR age > 7)", "sex = 'm' AND age <= 7"),
        ("income > 0.3", "income >= 0.5"),
        ("income = 0.3", "FALSE"),
        ("visit > DATE '2024-02-28'", "visit >= '2024-02-29'"),
        ("ok", "ok = TRUE"),
        ("NOT ok", "ok <> TRUE"),
        ("town = 'x' OR town <> 'x'", "town IS NOT NULL"),
        ("patients.age = 3", '"age" = 3.0'),
        ("age IS NULL OR age IS NOT NULL", "TRUE"),
    ],
)
def test_texts_that_ask_the_same_are_one_question(one, other):
    assert where(one) == where(other)
    assert (
        asked(f"SELECT COUNT(*) FROM patients WHERE {one}").digest()
        == asked(f"SELECT COUNT( * ) AS c FROM patients x WHERE {other.replace('patients.', 'x.')}").digest()
    )


def test_texts_that_ask_otherwise_are_not():
    assert where("age > 2.5") != where("age > 3")
    assert where("sex = 'f'") != where("NOT sex <> 'f' OR sex IS NULL")
    assert asked("SELECT COUNT(*) FROM people").digest() != asked("SELECT SUM(age) FROM people").digest()


def test_a_question_comes_back_from_json():
    question = asked(
        "SELECT bin(visit, 30), SUM(income) FROM patients WHERE town IN ('a', 'b') GROUP BY bin(visit, 30)"
    )
    assert type(question).from_json(question.as_json()) == question


def test_an_aggregate_asked_twice_is_paid_once():
    question, after = parse("SELECT COUNT(*) AS a, COUNT(*) AS b FROM people", SCHEMAS)
    assert question.aggregates == (Aggregate("count"),)
    assert [place for _, place, _ in after.shown] == [0, 0]


def test_a_bin_wider_than_the_column_is_the_whole_column():
    assert asked("SELECT COUNT(*) FROM people GROUP BY BIN(age, 1e9)").by == (Key("age", 111),)


def test_the_answer_is_laid_out_after_the_noise():  # attack 21: HAVING, ORDER BY and LIMIT read the noisy figures only
    answer = Answer(
        keys=(("f",), ("m",), (None,)),
        figures=((7, 1.5), (-2, None), (9, 0.25)),
        accuracy=((3.0, 0.1), (3.0, None), (3.0, 0.2)),
    )
    after = parse(
        "SELECT AVG(age) AS a, sex, COUNT(*) AS n FROM people GROUP BY sex HAVING n > -3 ORDER BY a DESC LIMIT 2",
        SCHEMAS,
    )[1]
    shown = laid_out(answer, after)
    assert shown.names == ("a", "sex", "n")
    assert shown.rows == ((1.5, "f", 7), (0.25, None, 9))
    assert shown.accuracy == ((0.1, None, 3.0), (0.2, None, 3.0))
    kept = parse("SELECT sex, COUNT(*) AS n FROM people GROUP BY sex HAVING n <= 7 ORDER BY n", SCHEMAS)[1]
    assert laid_out(answer, kept).rows == (("m", -2), ("f", 7))


def test_an_interval_meets_a_comparison_when_all_of_it_does():
    after = PostProcessing(shown=(("aggregate", 0, "s"),), having=(("s", ">", Fraction(3)),), order=(("s", True),))
    answer = Answer(keys=((), ()), figures=(([2, 5],), ([4, 5],)), accuracy=((None,), (None,)))
    assert laid_out(answer, after).rows == (([4, 5],),)
