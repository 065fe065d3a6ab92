"""The mode input: exact figures of a file that a release masked and published, told with each answer, and of no other."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from tacit.dp.cost import Cost
from tacit.errors import TacitError
from tacit.examples import clinic
from tacit.plan import from_text, run
from tacit.query.answer import Answer
from tacit.query.column import Column
from tacit.query.condition import Condition
from tacit.query.engines import DuckDB
from tacit.query.modes.input import InputMode
from tacit.query.question import Aggregate, Key
from tacit.query.refusal import Refusal
from tacit.query.value_set import Codes
from tacit.release.files import save
from tacit.report import publish

from .noisy_case import ask
from .row_source import RowSource, schema_of

# catalogue: H-06, H-07

PLAN = """\
[data]
path = "clinic.parquet"
missing = "own"
[roles]
identifier = ["name", "phone"]
quasi = ["sex", "education"]
confidential = ["income"]
[kinds]
education = "ordinal"
[require]
k_anonymity = {k}
[[protect]]
method = "suppress_cells"
k = 3
[[protect]]
method = "rank_swap"
columns = ["income"]
percent = 10
[output]
directory = "out"
"""
INCOME = Column(name="income", kind="number", low=0, high=100_000_000, step=Fraction(1, 100), confidential=True)
SEX = Column(name="sex", kind="text")
SCHEMA = schema_of(INCOME, SEX)
HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder in which a plan was carried out."""
    folder = tmp_path_factory.mktemp("release")
    save(clinic(300, seed=5).frame, folder / "clinic.parquet")
    publish(run(from_text(PLAN.format(k=3), folder=folder), seed=5), folder / "out")
    return folder


@pytest.fixture(scope="module")
def mode(released):
    file = released / "out" / "public" / "clinic.parquet"
    source = DuckDB(SCHEMA, file, time_limit=10)
    yield InputMode(SCHEMA, source, file.parent)
    source.close()


def test_figures_are_those_of_the_masked_file_and_not_of_the_original(released, mode):
    masked = pl.read_parquet(released / "out" / "public" / "clinic.parquet")
    original = clinic(300, seed=5).frame
    whats = ("count", "sum", "mean", "variance", "quantile")
    question = ask(
        *(Aggregate(w, "" if w == "count" else "income", HALF if w == "quantile" else 0) for w in whats),
        by=(Key("sex"),),
    )
    answer = mode.answer(mode.quote(question, None))
    assert len(answer.keys) == masked["sex"].n_unique()
    for (sex,), (count, mean, quantile, total, variance) in zip(answer.keys, answer.figures, strict=True):
        part = masked.filter(pl.col("sex").is_null() if sex is None else pl.col("sex") == sex)
        income = part["income"].drop_nulls().to_numpy()
        assert count == len(part)
        assert total == pytest.approx(income.sum())
        assert mean == pytest.approx(income.mean())
        assert variance == (pytest.approx(income.var(ddof=1)) if len(income) > 1 else None)
        assert quantile == pytest.approx(np.quantile(income, 0.5, method="inverted_cdf"))
    women = original.filter(pl.col("sex") == answer.keys[-1][0])["income"].drop_nulls().sum()
    assert women != pytest.approx(answer.figures[-1][3])


def test_every_answer_repeats_how_the_file_was_masked_and_costs_nothing(mode):
    quote = mode.quote(ask(Aggregate("count")), Fraction(1))
    assert quote.cost == Cost(Fraction(0))
    assert quote.accuracy == (None,)
    answer = mode.answer(quote)
    assert "rank_swap" in answer.notes[0]
    assert "suppress_cells" in answer.notes[0]
    assert mode.decide(quote.question, None) is None
    assert Answer.from_json(answer.as_json()) == answer


def test_any_column_may_be_a_key_and_a_set_of_nobody_is_answered(mode):
    everybody = mode.answer(mode.quote(ask(Aggregate("count"), by=(Key("income"),)), None))
    assert sum(row[0] for row in everybody.figures) == 300
    nobody = Condition.of(INCOME, Codes.of([(100_000_000, 100_000_000)]))
    asked = ask(
        Aggregate("count"), *(Aggregate(w, "income", HALF) for w in ("mean", "variance", "quantile")), where=nobody
    )
    assert mode.answer(mode.quote(asked, None)).figures == ((0, None, None, None),)


def test_the_file_of_a_release_is_told_by_its_folder(released, tmp_path):
    source = RowSource(SCHEMA, {"income": [1], "sex": ["f"]})
    found = InputMode(SCHEMA, source, released / "out" / "public").trace
    assert [step.method for step in found] == ["drop_identifiers", "suppress_cells", "rank_swap", "shuffle"]
    for folder in (released, released / "out", released / "out" / "internal", tmp_path, None):
        with pytest.raises(TacitError, match="tacit release PLAN"):
            InputMode(SCHEMA, source, folder)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '[{"method": "drop_identifiers"}, {"method": "shuffle"}]',
        "{",
        "3",
        '[{"parameters": {}}]',
        '["rank_swap"]',
        "\ud800",
    ],
)
def test_a_trace_that_does_not_say_how_is_refused(text, tmp_path):
    (tmp_path / "report.html").write_text("<html>")
    (tmp_path / "trace.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(TacitError, match=r"trace\.json"):
        InputMode(SCHEMA, RowSource(SCHEMA, {"income": [], "sex": []}), tmp_path)


def test_a_release_that_fails_its_requirements_leaves_nothing_to_answer_from(tmp_path):
    save(clinic(300, seed=5).frame, tmp_path / "clinic.parquet")
    publish(run(from_text(PLAN.format(k=200), folder=tmp_path)), tmp_path / "out")
    with pytest.raises(TacitError, match="tacit release PLAN"):
        InputMode(SCHEMA, RowSource(SCHEMA, {"income": [], "sex": []}), tmp_path / "out" / "public")


def test_joins_and_sums_without_bounds_are_refused_before_the_data_are_touched(released):
    free = schema_of(Column(name="income", kind="number"), SEX)
    source = RowSource(free, {"income": [1], "sex": ["f"]})
    mode = InputMode(free, source, released / "out" / "public")
    with pytest.raises(Refusal) as caught:
        mode.quote(ask(Aggregate("sum", "income")), None)
    assert caught.value.code == "undeclared_bounds"
    with pytest.raises(Refusal) as caught:
        mode.quote(ask(Aggregate("count"), joined=("wards",)), None)
    assert caught.value.code == "mode"
    assert source.touched == 0


def test_an_answer_with_too_many_groups_is_refused(released):
    source = RowSource(SCHEMA, {"income": [1] * 10_001, "sex": [str(place) for place in range(10_001)]})
    mode = InputMode(SCHEMA, source, released / "out" / "public")
    with pytest.raises(Refusal) as caught:
        mode.answer(mode.quote(ask(Aggregate("count"), by=(Key("sex"),)), None))
    assert caught.value.code == "too_complex"


def test_the_published_trace_is_what_is_repeated(released, mode):
    steps = json.loads((released / "out" / "public" / "trace.json").read_text())
    assert [step["method"] for step in steps] == [step.method for step in mode.trace]
