"""Sole contributors know their own cells: patterns that lean on these are widened."""

from dataclasses import replace

import numpy as np
import pytest

from tacit.tables.audit.insiders import insider_disclosures
from tacit.tables.problem import Status
from tacit.tables.suppress.heuristics import by_flow
from tacit.tables.suppress.suppress import against_insiders, suppress

from .instances import flat, random_problem


def with_contributors(problem, alone):
    """Some inner cells have one contributor, all others many."""
    contributors = np.full(problem.size, 20)
    contributors[alone] = 1
    return replace(problem, table=replace(problem.table, contributors=contributors))


@pytest.mark.parametrize("seed", range(4))
def test_no_sole_contributor_sees_through_the_pattern(seed):
    # catalogue: G-04, G-02
    problem = random_problem([flat(6, "a"), flat(6, "b")], share=0.12, seed=seed, level=0.1)
    first = by_flow(problem).hidden
    problem = with_contributors(problem, np.flatnonzero(first)[::2])
    widened = against_insiders(problem, first)
    assert widened[problem.must_suppress].all()
    assert insider_disclosures(problem, widened) == ()
    found = suppress(problem, method="flow")
    assert found.safe and found.audit.insiders == ()


def test_a_pair_in_one_row_is_widened():
    # catalogue: G-02: two unsafe cells that protect one another only, one of them of a sole contributor
    problem = random_problem([flat(4, "a"), flat(4, "b")], share=0.0, seed=3, zero=0.0)
    cells = [problem.table.cell(a=row, b=column) for row in ("a0", "a1") for column in ("b0", "b1")]
    status = np.where(problem.table.values > 0, Status.SAFE, Status.EMPTY).astype(np.uint8)
    status[cells] = Status.UNSAFE
    need = np.where(status == Status.UNSAFE, 1.0, 0.0)
    problem = replace(problem, status=status, lower=need, upper=need)
    problem = with_contributors(problem, cells[:1])
    plain = suppress(problem, insiders=False)
    assert plain.hidden.sum() == 4 and plain.audit.insiders is None
    assert len(insider_disclosures(problem, plain.hidden)) == 1
    widened = suppress(problem)
    assert widened.hidden.sum() > 4 and widened.audit.insiders == ()
    assert "insiders" in widened.pattern.methods


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_levels_of_one_side_are_kept_from_sole_contributors(side):
    # catalogue: G-02
    problem = random_problem([flat(5, "a"), flat(5, "b")], share=0.12, seed=1, level=0.6)
    none = np.zeros(problem.size)
    problem = replace(problem, **({"lower": none, "upper": none} | {side: problem.lower}))
    first = by_flow(problem).hidden
    problem = with_contributors(problem, np.flatnonzero(first)[::2])
    assert insider_disclosures(problem, first)
    assert insider_disclosures(problem, against_insiders(problem, first)) == ()
