"""Rules on data of others, whose unsafe cells were found by others, and on tables built from records."""

import numpy as np
import polars as pl
import pytest

from tacit.tables.build.records import tabulate
from tacit.tables.equations import Equations
from tacit.tables.problem import Status
from tacit.tables.rules import Dominance, MinimumFrequency, PPercent, build_problem
from tacit.tables.table import Contributions, Table


# catalogue: G-03
@pytest.mark.parametrize(("name", "cells"), [("datatest1", 689), ("datatest2", 5612)])
def test_the_unsafe_cells_of_the_french_pizzas_are_those_that_their_makers_found(reference_data, name, cells):
    """Fewer than 3 (weighted) respondents, or a largest one above 85 %: flags that come with the data of rtauargus.

    Negative sums are left out: there they compare with the signed sum, and we with its size.
    """
    frame = pl.read_csv(reference_data / "tables" / "rtauargus" / f"{name}.csv")
    assert frame.height == cells
    table = Table(
        labels=frame.select(pl.first().cast(pl.String)),
        values=frame["pizzas_tot"].to_numpy(),
        equations=Equations.of(np.zeros((0, cells))),
        response="pizzas",
        contributors=frame["nb_obs"].to_numpy(),
        contributions=Contributions(
            values=frame["pizzas_max"].to_numpy()[:, None], owners=np.full((cells, 1), -1), weights=np.ones((cells, 1))
        ),
    )
    assert MinimumFrequency(3).judge(table).unsafe.tolist() == frame["is_secret_freq"].to_list()
    usual = table.values >= 0
    theirs = frame["is_secret_dom"].to_numpy()
    assert Dominance(1, 85).judge(table).unsafe[usual].tolist() == theirs[usual].tolist()
    problem = build_problem(table, [MinimumFrequency(3), Dominance(1, 85)])
    assert (problem.status == Status.UNSAFE)[usual].tolist() == frame["is_secret_prim"].to_numpy()[usual].tolist()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("holding", [None, "owner"])
def test_rules_on_records_are_those_of_loops_over_them(seed, holding):
    rng = np.random.default_rng(seed)
    size = 60
    firms = pl.DataFrame(
        {
            "region": rng.choice(list("NS"), size),
            "trade": rng.choice(["food", "steel", "toys"], size),
            "sales": np.round(rng.lognormal(3, 1.5, size), 1),
            "owner": rng.integers(0, 25, size),
        }
    )
    table = tabulate(firms, by=["region", "trade"], response="sales", holding=holding, top=3)
    dominance, percent, few = (rule.judge(table) for rule in (Dominance(2, 70), PPercent(30), MinimumFrequency(8)))
    for cell, (region, trade) in enumerate(table.labels.iter_rows()):
        here = firms.filter(
            (pl.col("region") == region) | (region == "Total"), (pl.col("trade") == trade) | (trade == "Total")
        )
        if holding:
            here = here.group_by("owner").agg(pl.col("sales").sum())
        sizes = sorted(here["sales"].to_list(), reverse=True)
        assert dominance.unsafe[cell] == (sum(sizes[:2]) > 0.7 * sum(sizes))
        assert percent.unsafe[cell] == (sum(sizes[2:]) < 0.3 * sizes[0])
        assert few.unsafe[cell] == (0 < len(sizes) < 8)
        if percent.unsafe[cell]:
            assert percent.upper[cell] == pytest.approx(0.3 * sizes[0] - sum(sizes[2:]))
