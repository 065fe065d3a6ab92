"""A server computes on what it cannot read: results against plain arithmetic, and no secret key on its side (J-01)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty.faults import BadMessage
from tacit.multiparty.homomorphic.ckks import CURVE, CkksOwner, CkksServer
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task, task_of
from tacit.multiparty.tasks.outsource_task import PackedOwner, PackedServer, split_parts
from tacit.multiparty.tasks.outsource_task import join_parts as packed_up

from .over_tls import agreed, joined
from .test_products import Answers

PATIENTS = pl.DataFrame({"age": [34, 71, 52, 45], "cost": [81.5, 0.25, 199.0, 42.0]})
WEIGHTS = pl.DataFrame({"column": ["cost", "age", "intercept"], "weight": [-3, 2, 7]})
COLUMNS = {"age": {"low": 0, "high": 120}, "cost": {"low": 0, "high": 1000, "decimals": 2}}
TASK = {"owner": "O", "rows": 100, "weight": 10, "columns": COLUMNS}


def outsourced(compute, scheme, weights=WEIGHTS, patients=PATIENTS, table=None, columns=COLUMNS):
    task = TASK | {"compute": compute, "scheme": scheme, "columns": columns}
    made = check_task(agreed("OS", "outsourced", task), accept_output_disclosure=True)
    inputs = {"O": made.load_input(patients, "O"), "S": made.load_input(weights, "S")}
    return run_protocol(made.run, inputs, table or LocalNetwork("OS", Ring(2**64)))


@pytest.mark.parametrize("scheme", ["ckks", "paillier"])
def test_sums_and_means_are_those_of_the_plain_columns(scheme):  # catalogue: J-01
    close = {"rel": 1e-6} if scheme == "ckks" else {"rel": 1e-15}
    assert outsourced("sum", scheme)["O"]["sum"] == pytest.approx({"age": 202, "cost": 322.75}, **close)
    found = outsourced("mean", scheme)
    assert found["O"]["mean"] == pytest.approx({"age": 50.5, "cost": 80.6875}, **close)
    assert set(found["S"]) == {"bytes of the answer"}


@pytest.mark.parametrize("compute", ["sum", "mean"])
@pytest.mark.parametrize(("scheme", "server"), [("ckks", CkksServer), ("paillier", PackedServer)])
def test_a_server_whose_sums_are_beyond_the_bounds_is_named(scheme, server, compute, monkeypatch):
    """It adds every column up several times: more than four patients of up to 120 years."""
    adds = server.sum_column
    monkeypatch.setattr(server, "sum_column", lambda made, column: adds(made, [*column] * 20))
    with pytest.raises(BadMessage, match=f"party 'S' sent a {compute} of column 'age' beyond its agreed bounds"):
        outsourced(compute, scheme)


def test_scores_are_weighted_sums():
    found = outsourced("score", "ckks")["O"]["score"]
    plain = 2 * PATIENTS["age"] - 3 * PATIENTS["cost"] + 7
    assert found == pytest.approx(plain.to_list(), abs=1e-3)
    assert outsourced("score", "paillier")["O"]["score"] == plain.to_list()


@settings(max_examples=25)
@given(st.data())
def test_scores_of_columns_with_different_decimals_are_those_of_plain_arithmetic(one_key, data):
    """Also with values and weights at their bounds, where a place of the packed number is full."""
    decimals = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    names, rows = [f"c{at}" for at in range(len(decimals))], data.draw(st.integers(1, 3))
    units = [data.draw(st.lists(st.integers(0, 7 * 10**d), min_size=rows, max_size=rows)) for d in decimals]
    weights = data.draw(st.lists(st.integers(-10, 10), min_size=len(names) + 1, max_size=len(names) + 1))
    task = {"compute": "score", "scheme": "paillier", "owner": "O", "rows": 3, "weight": 10}
    columns = {name: {"low": 0, "high": 7, "decimals": d} for name, d in zip(names, decimals, strict=True)}
    made = task_of(agreed("OS", "outsourced", task | {"columns": columns}))
    values = [[unit / 10**d for unit in column] for column, d in zip(units, decimals, strict=True)]
    model = pl.DataFrame({"column": [*names, "intercept"], "weight": weights})
    inputs = {
        "O": made.load_input(pl.DataFrame(dict(zip(names, values, strict=True))), "O"),
        "S": made.load_input(model, "S"),
    }
    found = run_protocol(made.run, inputs, LocalNetwork("OS", Ring(2**64)))["O"]["score"]
    for row in range(rows):
        parts = zip(weights[:-1], units, decimals, strict=True)
        exact = weights[-1] + sum(w * Fraction(column[row], 10**d) for w, column, d in parts)
        assert found[row] == float(exact)


@pytest.mark.parametrize("weight", [10, -10])
def test_scores_at_all_bounds_fill_no_place_over(one_key, weight):
    task = {"compute": "score", "scheme": "paillier", "owner": "O", "rows": 3, "weight": 10}
    columns = {"x": {"low": 0, "high": 7}, "y": {"low": 0, "high": 7, "decimals": 9}}
    made = task_of(agreed("OS", "outsourced", task | {"columns": columns}))
    model = pl.DataFrame({"column": ["x", "y", "intercept"], "weight": [weight] * 3})
    inputs = {"O": made.load_input(pl.DataFrame({"x": [7] * 3, "y": [7] * 3}), "O"), "S": made.load_input(model, "S")}
    assert run_protocol(made.run, inputs, LocalNetwork("OS", Ring(2**64)))["O"]["score"] == [15 * weight] * 3


@pytest.mark.parametrize("compute", ["sum", "mean"])
def test_sums_beyond_the_precision_of_floats_are_exact(one_key, compute):
    columns = {"x": {"low": 0, "high": 2**60}, "y": {"low": 0, "high": 1, "decimals": 1}}
    task = TASK | {"compute": compute, "scheme": "paillier", "columns": columns}
    made = check_task(agreed("OS", "outsourced", task))
    own = made.load_input(pl.DataFrame({"x": [2**53 + 1, 2**53 + 1], "y": [0.5, 0.1]}), "O")
    found = run_protocol(made.run, {"O": own, "S": {}}, LocalNetwork("OS", Ring(2**64)))["O"][compute]
    assert found == ({"x": 2**54 + 2, "y": 0.6} if compute == "sum" else {"x": 2**53 + 1, "y": 0.3})


NARROW = {"age": {"low": 0, "high": 100}, "cost": {"low": 0, "high": 200, "decimals": 2}}


def test_a_logistic_score_is_within_its_stated_error():
    weights = pl.DataFrame({"column": ["age", "cost", "intercept"], "weight": [0.1, 0.02, -7.0]})
    found = outsourced("logistic_score", "ckks", weights, columns=NARROW)["O"]["logistic score"]
    scores = 0.1 * PATIENTS["age"].to_numpy() + 0.02 * PATIENTS["cost"].to_numpy() - 7
    assert np.abs(scores).max() < 8
    assert np.abs(np.array(found) - 1 / (1 + np.exp(-scores))).max() < 0.04


def test_scores_that_would_wrap_around_are_refused_before_anything_is_sent():
    model = pl.DataFrame({"column": ["age", "cost"], "weight": [9e12, -1.0]})
    task = TASK | {"compute": "score", "scheme": "ckks", "columns": NARROW}
    made = check_task(agreed("OS", "outsourced", task), accept_output_disclosure=True)
    assert made.load_input(model, "S")
    with pytest.raises(TacitError, match=r"beyond −1e\+15 to 1e\+15"):
        made.load_input(model.with_columns(weight=pl.Series([-1.1e13, 1.0])), "S")


def test_the_curve_is_that_of_the_paper():
    """Within 0.033 of 1/(1 + e^−x) from −8 to 8: so near only with all the digits of its coefficients."""
    x = np.linspace(-8, 8, 4001)
    gaps = np.abs(np.polynomial.Polynomial(CURVE)(x) - 1 / (1 + np.exp(-x)))
    assert gaps.max() == pytest.approx(0.032145, abs=1e-5)


@pytest.mark.parametrize(
    ("weights", "reached"),
    [([0.1, 0.02, -6.0], True), ([0.1, 0.02, -6.1], True), ([0.1, 0.02, -5.9], False), ([-0.1, 0.0, 2.0], True)]
    + [([-0.1, -0.02, 5.0], False), ([0.0, 0.0, 8.5], False), ([0.08, 0.04, None], False), ([0.04, 0.02, None], True)],
)
def test_scores_that_may_leave_the_curve_are_refused_before_anything_is_sent(weights, reached):
    """By the agreed bounds 0 … 100 and 0 … 200; the error does not show the weights."""
    rows = [(name, w) for name, w in zip(["age", "cost", "intercept"], weights, strict=True) if w is not None]
    model = pl.DataFrame(rows, schema=["column", "weight"], orient="row")
    task = TASK | {"compute": "logistic_score", "scheme": "ckks", "columns": NARROW}
    made = check_task(agreed("OS", "outsourced", task), accept_output_disclosure=True)
    if reached:
        assert made.load_input(model, "S")
        return
    with pytest.raises(TacitError, match='beyond −8 to 8(.|\n)*compute = "score"') as caught:
        made.load_input(model, "S")
    assert not any(str(w) in str(caught.value) for w in weights if w)


@settings(max_examples=4)
@given(st.lists(st.integers(0, 500), min_size=1, max_size=90), st.integers(-9, 9), st.integers(-500, 500))
def test_whole_numbers_are_exact(values, weight, intercept):
    owner = PackedOwner(most=90 * 5000)
    server = PackedServer(owner.public, most=90 * 5000)
    column = owner.encrypt(values)
    assert owner.decrypt(server.score_rows([column], [weight], intercept), len(values)) == [
        weight * v + intercept for v in values
    ]
    assert sum(owner.decrypt([server.sum_column(column)], 10**6)) == sum(values)


def test_results_at_the_bound_do_not_run_into_the_next_place():
    owner = PackedOwner(most=1000)
    server, column = PackedServer(owner.public, most=1000), owner.encrypt([500, 500, 0])
    assert owner.decrypt(server.score_rows([column], [2], 0), 3) == [1000, 1000, 0]
    assert owner.decrypt(server.score_rows([column], [-2], 0), 3) == [-1000, -1000, 0]


def test_columns_longer_than_a_ciphertext_are_added_up():
    owner = CkksOwner()
    values = np.linspace(-1, 3, owner.places + 5)
    column = owner.encrypt(values.tolist())
    assert len(column) == 2
    server = CkksServer(owner.public)
    assert sum(owner.decrypt([server.sum_column(column)], owner.places)) == pytest.approx(values.sum(), rel=1e-6)
    assert owner.decrypt(server.score_rows([column], [2.0], 0.5), len(values)) == pytest.approx(
        2 * values + 0.5, abs=1e-5
    )


def test_the_server_holds_no_secret_key_and_refuses_one():
    import tenseal

    owner = CkksOwner()
    context = tenseal.context_from(owner.public)
    assert not context.is_private() and not context.has_secret_key()
    with pytest.raises(ValueError, match="secret_key"):
        tenseal.ckks_vector_from(context, owner.encrypt([1.0])[0]).decrypt()
    with pytest.raises(ValueError, match="a secret key"):
        CkksServer(owner._context.serialize(save_secret_key=True))
    assert len(PackedOwner(most=5).public) == 256


def test_an_owner_that_sends_its_secret_is_stopped():
    """Planted: the context is sent whole."""
    table = LocalNetwork("OS", Ring(2**64))
    whole = CkksOwner()._context.serialize(save_secret_key=True)
    table.seats["O"] = Answers(table.seats["O"], "public keys", whole)
    with pytest.raises(BadMessage, match="party 'O' sent a secret key"):
        outsourced("sum", "ckks", table=table)


@pytest.mark.parametrize("scheme", ["ckks", "paillier"])
@pytest.mark.parametrize(
    ("who", "step", "data"),
    [
        ("O", "public keys", b"no keys"),
        ("O", "encrypted column", packed_up([bytes(512)])),
        ("S", "encrypted result", b"\0\0\0\1x"),
        ("S", "encrypted result", b"\0\0\1"),
        ("S", "encrypted result", b""),
        ("S", "encrypted result", bytes(40)),
    ],
)
def test_nonsense_is_refused_by_sender(scheme, who, step, data):
    table = LocalNetwork("OS", Ring(2**64))
    table.seats[who] = Answers(table.seats[who], step, data)
    with pytest.raises(BadMessage, match=f"party '{who}' sent"):
        outsourced("sum", scheme, table=table)


@pytest.mark.parametrize("nonsense", [b"x" * 512, b"", bytes(10), b"abc"])
def test_what_the_library_takes_for_an_empty_vector_is_no_ciphertext(nonsense):
    owner = CkksOwner()
    for read in (CkksServer(owner.public).sum_column, lambda column: owner.decrypt(column, 1)):
        with pytest.raises(ValueError, match="no ciphertexts"):
            read([nonsense])


def test_no_value_of_the_owner_reaches_the_server_in_clear():
    table = LocalNetwork("OS", Ring(2**64))
    outsourced(
        "sum", "ckks", patients=pl.DataFrame({"age": [77.0], "cost": [123.25]}).cast({"age": pl.Int64}), table=table
    )
    received = b"".join(bytes(words) for _, _, words in table.seats["S"].view)
    assert np.float64(123.25).tobytes() not in received and np.float64(77).tobytes() not in received


@given(st.lists(st.binary(max_size=5), max_size=4))
def test_pieces_come_apart_as_they_were(parts):
    assert split_parts(packed_up(parts)) == parts


def test_over_tls_a_server_computes_a_mean():  # catalogue: D-10, J-01
    found = joined({"O": PATIENTS, "S": WEIGHTS}, "outsourced", TASK | {"compute": "mean", "scheme": "ckks"})
    assert found["O"].figures["mean"]["age"] == pytest.approx(50.5, rel=1e-6)
    assert set(found["S"].figures) == {"bytes of the answer"}


WRONG = {
    "three": ("OST", {"compute": "sum", "scheme": "ckks"}, "an owner and a server"),
    "a curve of whole numbers": ("OS", {"compute": "logistic_score", "scheme": "paillier"}, "needs fractions"),
    "negative": (
        "OS",
        {"compute": "sum", "scheme": "paillier", "columns": {"x": {"low": -1, "high": 1}}},
        "may be negative",
    ),
    "beyond the modulus": (
        "OS",
        {"compute": "sum", "scheme": "ckks", "columns": {"x": {"low": -1e16, "high": 0}}},
        "too large for a ciphertext",
    ),
    "a scheme": ("OS", {"compute": "sum", "scheme": "rot13"}, "scheme = 'rot13' is unknown"),
    "an owner": ("OS", {"compute": "sum", "scheme": "ckks", "owner": "X"}, "owner = 'X' is unknown"),
    "no columns": ("OS", {"compute": "sum", "scheme": "ckks", "columns": {}}, "not agreed on"),
    "accepted": ("OS", {"compute": "score", "scheme": "ckks"}, "tell the owner the server's weights"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_task_is_told(name):
    names, change, said = WRONG[name]
    with pytest.raises(TacitError, match=said):
        check_task(agreed(names, "outsourced", TASK | change))


@pytest.mark.parametrize(
    ("me", "frame", "said"),
    [
        ("O", {"age": [1]}, "'cost' is not in the table"),
        ("O", {"age": [], "cost": []}, "0 rows"),
        ("O", {"column": ["age", "cost"], "weight": [1, 2]}, "'age' is not in the table"),
        ("S", {"column": ["age"], "weight": [1]}, "a weight for each"),
        ("S", {"column": ["age", "cost"], "weight": [1, 11]}, "whole numbers up to 10"),
        ("S", {"column": ["age", "cost"], "weight": [1.0, float("nan")]}, "holds no numbers, or misses some"),
        ("S", {"column": ["age", "cost"], "weight": ["1", "2"]}, "holds no numbers"),
        ("S", {"age": [1], "cost": [2]}, "'column' is not in the table"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_to_owner_and_server(me, frame, said):
    task = check_task(
        agreed("OS", "outsourced", TASK | {"compute": "score", "scheme": "paillier"}), accept_output_disclosure=True
    )
    with pytest.raises(TacitError, match=said):
        task.load_input(pl.DataFrame(frame), me)


def test_a_server_that_only_adds_up_brings_nothing():
    task = check_task(agreed("OS", "outsourced", TASK | {"compute": "sum", "scheme": "ckks"}))
    assert task.load_input(PATIENTS, "S") == {}
