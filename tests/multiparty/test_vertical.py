"""Statistics over columns of different parties are those of the joined table (I-06), over real sockets and at one table."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from tacit import TacitError
from tacit.kernels.mersenne import PRIME
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task, task_of

from .over_tls import agreed, joined
from .parties import everybody, house

AGE = {"party": "A", "low": 0, "high": 120}
INCOME = {"party": "B", "low": -50, "high": 500, "decimals": 1}
WEIGHT = {"party": "C", "low": 0, "high": 200}


def files(rows, seed=3):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, rows)
    return {
        "A": pl.DataFrame({"id": [f"p{i}" for i in range(rows)], "age": age}),
        "B": pl.DataFrame(
            {"id": [f"p{i}" for i in range(rows)], "income": (age * 0.7 + rng.normal(0, 9, rows) - 40).round(1)}
        ),
        "C": pl.DataFrame({"id": [f"p{i}" for i in range(rows)], "weight": (age + rng.integers(0, 40, rows))}),
    }


def at_a_table(frames, task, modulus=PRIME):
    """Everybody's figures, without sockets."""
    names = list(frames)
    made = task_of(agreed(names, "scalar_product", task, modulus=modulus))
    inputs = {name: made.load_input(frame, name) for name, frame in frames.items()}
    return run_protocol(lambda seat, own: made.run(seat, own), inputs, LocalNetwork(names, Ring(modulus)))


def pooled(frames):
    """The rows that all have, in one table."""
    first, *rest = frames.values()
    for frame in rest:
        first = first.join(frame, on="id", how="inner")
    return first


@pytest.mark.parametrize("names", ["AB", "ABC"])
def test_correlation_and_regression_are_those_of_the_joined_table(names):
    frames = {
        name: frame.sample(fraction=1, shuffle=True, seed=ord(name))
        for name, frame in files(60).items()
        if name in names
    }
    frames["B"] = frames["B"].head(45)
    columns = {"A": {"age": AGE}, "B": {"income": INCOME}, "C": {"weight": WEIGHT}}
    task = {"rows": 100, "join": "id", "columns": {k: v for name in names for k, v in columns[name].items()}}
    table, chosen = pooled(frames), list(task["columns"])
    found = at_a_table(frames, task | {"compute": "correlation"})
    matrix = table.select(chosen).to_numpy()
    assert table.height == 45 and all(one["rows"] == 45 for one in found.values())
    for figures in found.values():
        assert figures["correlation"]["age, income"] == pytest.approx(np.corrcoef(matrix.T)[0, 1], rel=1e-12)
        assert figures["covariance"]["age"] == pytest.approx(np.cov(matrix.T)[0, 0], rel=1e-12)
        assert figures["mean"]["income"] == pytest.approx(matrix[:, 1].mean(), rel=1e-12)
    found = at_a_table(frames, task | {"compute": "regression", "target": "income"})
    used = [name for name in chosen if name != "income"]
    fit = LinearRegression().fit(table.select(used).to_numpy(), table["income"].to_numpy())
    for figures in found.values():
        got = figures["coefficients"]
        assert [got[name] for name in used] == pytest.approx(fit.coef_, rel=1e-9)
        assert got["intercept"] == pytest.approx(fit.intercept_, rel=1e-9)
        assert figures["R²"] == pytest.approx(
            fit.score(table.select(used).to_numpy(), table["income"].to_numpy()), rel=1e-9
        )


def test_standard_errors_are_those_of_the_textbook():
    from scipy.stats import linregress

    frames = {name: frame for name, frame in files(30).items() if name != "C"}
    task = {"compute": "regression", "target": "income", "rows": 30, "columns": {"age": AGE, "income": INCOME}}
    figures = at_a_table(frames, task, 2**64)["A"]
    fit = linregress(frames["A"]["age"].to_numpy(), frames["B"]["income"].to_numpy())
    assert figures["standard errors"]["age"] == pytest.approx(fit.stderr, rel=1e-9)


FLAG = st.lists(st.integers(0, 1), min_size=6, max_size=6)


@settings(max_examples=15)
@given(st.tuples(FLAG, FLAG, FLAG, FLAG))
def test_supports_of_item_sets_are_counts_of_joined_rows(flags):
    frames = {name: pl.DataFrame({name.lower(): one}) for name, one in zip("ABC", flags, strict=False)}
    frames["A"] = frames["A"].with_columns(d=pl.Series(flags[3]))
    columns = {name: {"party": name.upper(), "low": 0, "high": 1} for name in "abc"} | {
        "d": {"party": "A", "low": 0, "high": 1}
    }
    sets = [["a"], ["a", "d"], ["a", "b"], ["a", "b", "c", "d"], ["b", "c"]]
    found = at_a_table(frames, {"compute": "support", "rows": 6, "least_rows": 1, "sets": sets, "columns": columns})
    joint = pl.concat(frames.values(), how="horizontal")
    ideal = {", ".join(names): joint.filter(pl.all_horizontal(pl.col(names) == 1)).height for names in sets}
    assert {name: figures["support"] for name, figures in found.items()} == dict.fromkeys("ABC", ideal)


def test_over_tls_two_parties_open_a_product_to_one():
    frames = {"A": pl.DataFrame({"age": [30, 41, 50]}), "B": pl.DataFrame({"income": [1.5, 0.0, 2.5]})}
    columns = {"age": AGE, "income": INCOME | {"low": 0}}
    task = {"compute": "product", "rows": 3, "least_rows": 3, "to": "B", "columns": columns}
    found = joined(frames, "scalar_product", task, accept=True)
    assert found["B"].figures["product"] == {"age · income": 170.0} and "product" not in found["A"].figures


def test_over_tls_three_parties_find_a_correlation():
    task = {
        "compute": "correlation",
        "join": "id",
        "rows": 50,
        "columns": {"age": AGE, "income": INCOME, "weight": WEIGHT},
    }
    frames = files(20)
    found = joined(frames, "scalar_product", task, modulus=PRIME, accept=True)
    matrix = pooled(frames).select("age", "income", "weight").to_numpy()
    assert found["C"].figures["correlation"]["income, weight"] == pytest.approx(np.corrcoef(matrix.T)[1, 2], rel=1e-12)


class Heard:
    """A seat that keeps the steps of all that it sends."""

    def __init__(self, seat, steps):
        self.seat, self.steps = seat, steps

    def __getattr__(self, name):
        return getattr(self.seat, name)

    async def send(self, to, step, words, *, sealed=False):
        self.steps.append(step)
        await self.seat.send(to, step, words, sealed=sealed)

    async def send_bytes(self, to, step, data):
        self.steps.append(step)
        await self.seat.send_bytes(to, step, data)


@pytest.mark.parametrize("to", [None, "B"])
@pytest.mark.parametrize(
    ("compute", "common", "least", "needed"),
    [
        ("correlation", 0, 1, 2),
        ("correlation", 1, 1, 2),
        ("correlation", 9, None, 10),
        ("regression", 3, 1, 4),
        ("support", 4, 5, 5),
        ("product", 9, None, 10),
    ],
)
@pytest.mark.parametrize("names", ["AB", "ABC"])
def test_too_few_common_rows_are_refused_by_all_before_any_value_counts(names, compute, common, least, needed, to):
    """Whoever gets the result: each party says so itself, and has sent nothing but what matches the rows."""
    if compute == "regression" and names == "AB":
        common, needed = common - 1, needed - 1
    ids = {name: [*map(str, range(common)), *(f"{name}{at}" for at in range(12 - common))] for name in names}
    frames = {name: pl.DataFrame({"id": ids[name], name: [1, 0] * 6}) for name in names}
    columns = {name: {"party": name, "low": 0, "high": 1} for name in names}
    own = {"support": {"sets": [["A", "B"]]}, "regression": {"target": "A"}}.get(compute, {})
    own |= ({"to": to} if to else {}) | ({"least_rows": least} if least else {})
    task = {"compute": compute, "join": "id", "rows": 12, "columns": columns} | own
    made = check_task(agreed(names, "scalar_product", task, modulus=PRIME), accept_output_disclosure=True)
    said, steps = {}, []

    async def told(seat, own):
        try:
            return await made.run(Heard(seat, steps), own)
        except TacitError as problem:
            said[seat.me] = str(problem)

    run_protocol(
        told,
        {name: made.load_input(frame, name) for name, frame in frames.items()},
        LocalNetwork(list(names), Ring(PRIME)),
    )
    assert set(said) == set(names) and len(set(said.values())) == 1
    assert f"{common} rows match, and {needed} are needed" in said["A"]
    assert all(step.startswith(("set", "points to be peeled", "peeling for")) for step in steps)


def test_over_tls_everybody_says_why_there_is_no_result():
    frames = {name: pl.DataFrame({"id": [f"{name}1"], "age": [3], "income": [1.0]}) for name in "AB"}
    task = {"compute": "correlation", "join": "id", "rows": 50, "to": "B", "columns": TWO}
    agreement, secrets = house("AB", "scalar_product", task=task)
    found = asyncio.run(everybody(agreement, secrets, frames=frames))
    assert {type(one) for one in found.values()} == {TacitError}
    assert all("0 rows match, and 10 are needed" in str(one) for one in found.values())


def test_least_rows_is_part_of_what_is_agreed_on():
    one, other = (
        agreed("AB", "scalar_product", {"compute": "correlation", "rows": 50, "columns": TWO} | more)
        for more in ({}, {"least_rows": 20})
    )
    assert one.digest != replace(other, members=one.members).digest


TWO = {"age": AGE, "income": INCOME}
WRONG = {
    "one party": ({"compute": "correlation", "rows": 50, "columns": {"age": AGE}}, "lie with one party"),
    "a stranger": (
        {"compute": "correlation", "rows": 50, "columns": TWO | {"x": AGE | {"party": "Z"}}},
        "lies with 'Z'",
    ),
    "no target": ({"compute": "regression", "rows": 50, "columns": TWO}, "target = None is unknown"),
    "no bounds": ({"compute": "correlation", "rows": 50, "columns": TWO | {"x": {"party": "A"}}}, "has no bounds"),
    "rows": ({"compute": "correlation", "rows": 0, "columns": TWO}, "rows=0"),
    "a set of nothing": ({"compute": "support", "rows": 50, "columns": TWO, "sets": [["z"]]}, "names no columns"),
    "no sets": ({"compute": "support", "rows": 50, "columns": TWO}, "no item sets are given"),
    "an empty list of sets": ({"compute": "support", "rows": 50, "columns": TWO, "sets": []}, "no item sets are given"),
    "a number of sets": ({"compute": "support", "rows": 50, "columns": TWO, "sets": 5}, "no item sets are given"),
    "a set in a set": ({"compute": "support", "rows": 50, "columns": TWO, "sets": [[["age"]]]}, "names no columns"),
    "no table of columns": ({"compute": "correlation", "rows": 50, "columns": 5}, "no column is agreed on"),
    "a join of numbers": (
        {"compute": "correlation", "rows": 50, "columns": TWO, "join": 5},
        "join = 5 names no column",
    ),
    "least rows": ({"compute": "correlation", "rows": 50, "least_rows": 0, "columns": TWO}, "least_rows=0"),
    "few rows": (
        {"compute": "correlation", "rows": 9, "columns": TWO},
        "at most 9 rows are agreed on, and 10 are needed",
    ),
    "no flags": ({"compute": "support", "rows": 50, "columns": TWO, "sets": [["age"]]}, "no column of yes and no"),
    "negative": ({"compute": "product", "rows": 50, "columns": TWO}, "may be negative"),
    "too large": ({"compute": "correlation", "rows": 10**14, "columns": TWO}, "too small"),
    "accepted": (
        {"compute": "product", "rows": 50, "columns": {"age": AGE, "b": AGE | {"party": "B"}}},
        "an equation in",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_task_is_told(name):
    task, said = WRONG[name]
    with pytest.raises(TacitError, match=said):
        check_task(agreed("AB", "scalar_product", task, modulus=2**64))


def test_three_parties_need_a_prime():
    with pytest.raises(TacitError, match="prime modulus"):
        check_task(agreed("ABC", "scalar_product", {"compute": "correlation", "rows": 50, "columns": TWO}))


@pytest.mark.parametrize("compute", ["product", "correlation", "regression", "support"])
@pytest.mark.parametrize("names", ["AB", "ABC"])
def test_what_every_result_tells_has_to_be_accepted(compute, names):
    """From covariance, means and n follows Σxy, so none of them tells less than the bare product."""
    flags = {name: {"party": name, "low": 0, "high": 1} for name in names}
    own = {"support": {"sets": [["A", "B"]]}, "regression": {"target": "A"}}.get(compute, {})
    agreement = agreed(names, "scalar_product", {"compute": compute, "rows": 50, "columns": flags} | own, modulus=PRIME)
    with pytest.raises(TacitError, match="in a single row|an equation in the others' values") as caught:
        check_task(agreement)
    assert "--accept-output-disclosure" in str(caught.value)
    assert check_task(agreement, accept_output_disclosure=True).leakage in str(caught.value)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"id": [1, 1], "age": [3, 4]}, "repeats an earlier item in row 2"),
        ({"id": [1, 2], "age": [3, 400]}, "beyond the agreed bounds in row 2"),
        ({"id": [1, 2, 3], "age": [3, 4, 5]}, "3 rows where 2"),
        ({"id": [1, 2], "income": [3.0, 4.0]}, "'age' is not in the table"),
        ({"id": [1, 2], "age": ["3", "4"]}, "holds no numbers"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(frame, said):
    task = task_of(agreed("AB", "scalar_product", {"compute": "correlation", "rows": 2, "join": "id", "columns": TWO}))
    with pytest.raises(TacitError, match=said):
        task.load_input(pl.DataFrame(frame), "A")
