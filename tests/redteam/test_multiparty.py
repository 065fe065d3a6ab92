"""Attackers of computing together, who are parties themselves: they have the agreement, the guide, their own files and the wire.

They were written from the documentation alone. Parties are processes of ``tacit party join``, or the documented ``join`` and table, on this
machine. Every session ends with the figures of the pooled data, or with the documented exit code and without a result; each attack has a
power test.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from tests.redteam.parties import COLUMNS, NAMES, ROWS, Circle, frames, spoilt

from tacit.errors import TacitError
from tacit.multiparty import BadMessage, Fault, MissingParty, Ring, join
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.session import task_of


@pytest.fixture(scope="module")
def circle() -> Circle:
    return Circle()


def mean_task(**changed) -> dict:
    return {"compute": "mean", "rows": ROWS, "columns": COLUMNS} | changed


def pooled_means(files: dict[str, pl.DataFrame]) -> dict[str, float]:
    together = pl.concat(list(files.values()))
    return {column: together[column].mean() for column in together.columns}


def test_the_order_of_files_rows_and_columns_changes_no_figure(circle):
    files = frames()
    turned = files | {"south": files["south"].select("pay", "age").reverse()}
    for brought in (files, turned):
        ended = circle.meet(dict.fromkeys(NAMES, circle.agree(**mean_task())), brought)
        for name in NAMES:
            assert ended[name].figures["rows"] == 27
            assert ended[name].figures["mean"] == pytest.approx(pooled_means(files), abs=1e-9)


OTHER = {
    "columns in another order": mean_task(columns=dict(reversed(COLUMNS.items()))),
    "keys in another order": mean_task(columns={name: dict(reversed(at.items())) for name, at in COLUMNS.items()}),
    "other decimals": mean_task(columns=COLUMNS | {"pay": {"low": 0, "high": 100000, "decimals": 3}}),
    "wider bounds": mean_task(columns=COLUMNS | {"age": {"low": 0, "high": 10**6}}),
    "more rows": mean_task(rows=10**6),
    "another name": mean_task(columns={"agE": COLUMNS["age"], "pay": COLUMNS["pay"]}),
    "another figure": mean_task(compute="sum"),
}


@pytest.mark.parametrize("kind", [*OTHER, "parties in another order"])
def test_another_agreement_is_refused_by_all_and_gives_nobody_a_figure(circle, kind):
    """Exit 11, before a value is sent: nobody saw a message of the protocol."""
    right = circle.agree(**mean_task())
    wrong = circle.agree(**OTHER[kind]) if kind in OTHER else circle.agree(names=NAMES[::-1], **mean_task())
    assert wrong.digest != right.digest
    files = frames()
    if kind == "another name":
        files["east"] = files["east"].rename({"age": "agE"})
    ended = circle.meet({"north": right, "south": right, "east": wrong}, files)
    assert {type(one) for one in ended.values()} == {BadMessage}
    assert all("hello" in str(one) for one in ended.values())


SPOILT = ["beyond the bounds", "below the bounds", "more decimals", "missing", "not a number", "infinite", "text"]


@pytest.mark.parametrize("kind", [*SPOILT, "too many rows", "empty"])
def test_a_file_that_does_not_keep_to_the_agreement_never_leaves_its_party(circle, kind):
    """Its own error, which holds no value; nobody else need be there, since nothing is sent."""
    with pytest.raises(TacitError) as error:
        join(circle.agree(**mean_task()), circle.keys["east"][0], spoilt(kind))
    assert not isinstance(error.value, Fault)
    assert not re.search(r"77777|88888|\b121\b|-1\b", str(error.value))


def test_an_empty_file_that_is_accepted_adds_nothing(circle):
    files = frames() | {"east": spoilt("empty")}
    ended = circle.meet(dict.fromkeys(NAMES, circle.agree(**mean_task())), files, accept_empty=True)
    expected = pooled_means({name: files[name] for name in ("north", "south")})
    assert all(one.figures["mean"] == pytest.approx(expected, abs=1e-9) for one in ended.values())


def test_a_party_that_stays_away_is_named_and_gives_nobody_a_figure(circle):
    files = frames()
    del files["east"]
    ended = circle.meet(dict.fromkeys(files, circle.agree(wait=15, **mean_task())), files)
    assert all(isinstance(one, MissingParty) and "'east'" in str(one) for one in ended.values())


def test_repeated_ids_and_too_few_matches_tell_nothing():
    """Repeats are refused at home; with fewer matches than agreed both end before anything that depends on a value is sent."""
    two = Circle(("hospital", "insurer"))
    columns = {"age": {"party": "hospital", "low": 0, "high": 120}, "cost": {"party": "insurer", "low": 0, "high": 1}}
    agreed = two.agree(protocol="scalar_product", compute="correlation", join="id", rows=50, columns=columns)
    ids = [f"i{at}" for at in range(9)]
    files = {
        "hospital": pl.DataFrame({"id": ids, "age": range(9)}),
        "insurer": pl.DataFrame({"id": ids, "cost": [1] * 9}),
    }
    with pytest.raises(TacitError, match="repeats"):
        twice = files["insurer"].with_columns(id=pl.lit("i1"))
        join(agreed, two.keys["insurer"][0], twice, accept_output_disclosure=True)
    ended = two.meet(dict.fromkeys(files, agreed), files, accept_output_disclosure=True)
    assert all(isinstance(one, TacitError) and "9 rows match" in str(one) for one in ended.values())


def possible_of_others(opened: dict, own: list[int], others: int) -> bool:
    """Whether figures, less one's own rows and sums, can be those of so many parties that keep to the bounds."""
    rows = opened["rows"] - own[0]
    sums = [opened["rows"] * opened["mean"][column] for column in COLUMNS]
    left = [sums[0] - own[1], sums[1] - own[2] / 100]
    tops = [bound["high"] for bound in COLUMNS.values()]
    within = all(-1e-6 <= one <= rows * top + 1e-6 for one, top in zip(left, tops, strict=True))
    return 0 <= rows <= others * ROWS and within


def test_a_liar_gets_no_figure_that_the_bounds_exclude():
    """Whatever one party puts into the sums: the honest ones have possible figures, or nobody has any."""
    circle = Circle()
    task, rng = task_of(circle.agree(**mean_task())), np.random.default_rng(2)
    own = {name: task.load_input(frame, name) for name, frame in frames().items()}
    lies = [[9, 10**12, 0], [9, -(10**6), 0], [10**6, 0, 0], [-(10**6), 0, 0], [9, 0, 2**63], [-9, 0, 0], [1, 360, 0]]
    lies += [[int(n) for n in rng.integers(-(10**width), 10**width, 3)] for width in range(1, 18) for _ in range(6)]
    ended = {"figures": 0, "none": 0}
    for lie in lies:
        try:
            figures = run_protocol(task.run, own | {"east": lie}, LocalNetwork(NAMES, Ring(2**64)))
        except TacitError as error:
            assert type(error).__name__ == "Contradiction"
            ended["none"] += 1
            continue
        ended["figures"] += 1
        assert all(possible_of_others(figures[name], own[name], 2) for name in ("north", "south")), lie
    assert ended["none"] > len(lies) // 2 and ended["figures"] > 0


def test_power_figures_beyond_the_bounds_are_seen():
    opened = {"rows": 27, "mean": {"age": 36730.0, "pay": 10.0}}
    assert not possible_of_others(opened, [9, 400, 9000], 2)
    assert possible_of_others({"rows": 27, "mean": {"age": 40.0, "pay": 1000.0}}, [9, 400, 9000], 2)
