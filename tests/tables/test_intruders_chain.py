"""Rules, suppression and attacks together: what the rule calls unsafe is found before, and no longer after."""

import numpy as np
import polars as pl
import pytest

from tacit.tables.build.records import tabulate
from tacit.tables.intruders import External, Knowledge, OwnValue, Rival, judge_claims, tighten_bounds
from tacit.tables.published import Published
from tacit.tables.rules import MinimumFrequency, PPercent, build_problem
from tacit.tables.suppress.flow import flow_pattern


def found(problem, hidden, within):
    """How many respondents the outsider, the second largest and every respondent find, after doing the sums."""
    published = tighten_bounds(Published.from_suppression(problem, hidden))
    known = Knowledge.of(problem.table)
    attacks = (External(), Rival(), OwnValue())
    return [
        judge_claims(one.claims(published, known), problem, within=within)["respondents disclosed"].value
        for one in attacks
    ]


# catalogue: G-02
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [60, 220])
def test_what_the_rule_marks_is_found_before_the_suppression_and_not_after(seed, size):
    rng = np.random.default_rng([seed, size])
    firms = pl.DataFrame(
        {
            "town": rng.choice([*"abcde"], size),
            "trade": rng.choice([*"uvwxyz"], size),
            "sales": np.round(rng.lognormal(3, 1.6, size), 1),
        }
    )
    table = tabulate(firms, by=["town", "trade"], response="sales")
    problem = build_problem(table, [PPercent(15), MinimumFrequency(2, level=15)])
    outsider, rival, anybody = found(problem, np.zeros(table.size, dtype=bool), 0.15)
    assert outsider == (table.contributors == 1).sum()
    assert outsider + rival == len(problem.primaries)
    assert anybody >= rival
    assert found(problem, flow_pattern(problem), 0.15) == [0, 0, 0]
