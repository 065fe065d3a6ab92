"""Plans about networks: what they may say, and what a mistake is told. catalogue: K-01, K-02"""

from __future__ import annotations

import pytest

from tacit import TacitError
from tacit.plan import from_text
from tacit.plan.graph import graph_plan

LEAST = '[graph]\nedges = "edges.csv"\n[require]\nk_degree = 5\n'


def test_the_least_plan_names_the_worst_case():
    found = graph_plan(LEAST)
    assert found.plan.intruder.structure == "network" and "refinement" in found.attacks
    assert found.requirements.bounds[0].bound == 5 and found.requirements.reidentification is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LEAST.replace("k_degree", "k_degre"), r"line 4, require.*'k_degre' is unknown[\s\S]*'k_degree'"),
        (LEAST.replace("k_degree = 5", "reidentification = 2"), "is not a share"),
        (LEAST.replace("k_degree = 5", 'k_degree = "five"'), "has no threshold"),
        (LEAST.replace("k_degree = 5", "k_degree = { threshold = 5, l = 2 }"), "takes no 'l'"),
        (LEAST.replace("k_degree = 5", "k_degree = 0"), r"line 4, require.k_degree: .*requires nothing"),
        (
            LEAST.replace("k_degree = 5", "unique_nodes = 5"),
            r"line 4, require.unique_nodes: .*not a share of the nodes",
        ),
        (LEAST.replace("k_degree = 5", ""), "nothing is required"),
        (LEAST + '[[protect]]\nmethod = "k_degres"\n', r"line 6, protect.*unknown[\s\S]*'k_degree'"),
        (LEAST + '[[protect]]\nmethod = "k_degree"\n', "lacks its parameter 'k'"),
        (LEAST + '[[protect]]\nmethod = "k_degree"\nkk = 3\n', "no parameter 'kk'"),
        (LEAST + "[[protect]]\nk = 3\n", "has no method"),
        (LEAST + '[[attack]]\nmethod = "refine"\n', "is unknown"),
        (LEAST + '[intruder]\nstructure = "degree"\n[[attack]]\nmethod = "alignment"\n', "needs more than"),
        (LEAST + '[intruder]\nstructure = "all"\n', "is unknown"),
        (LEAST + "[intruder]\nwrong = 1.5\n", "is no share"),
        (LEAST.replace('"edges.csv"', '"edges.csv"\nends = ["a"]'), "two ends, not 1"),
        (LEAST.replace('"edges.csv"', '"edges.csv"\nlabel = "a"'), "none is given"),
        (
            LEAST.replace('"edges.csv"', '"edges.csv"\nweight = "calls"'),
            "line 3, graph.weight: .*no attack here judges",
        ),
        (LEAST + '[output]\nfile = "a/b.csv"\n', "is a path"),
        (LEAST + '[output]\nfile = "b.docx"\n', "names no known format"),
        ("[table]\n" + LEAST, "about table, not about graph"),
    ],
)
def test_mistakes_are_told_with_their_place(text, says):
    with pytest.raises(TacitError, match=says):
        graph_plan(text)


def test_a_plan_about_a_network_is_no_plan_about_records():
    with pytest.raises(TacitError, match="tacit graph protect"):
        from_text(LEAST)
