"""Plans about tables: what they may say, and what is said when they say it wrong."""

import json

import pytest

from tacit.errors import TacitError
from tacit.plan import from_text
from tacit.plan.table import table_plan
from tacit.tables.rules import Dominance, MinimumFrequency, PPercent

PLAN = """
[data]
path = "companies.csv"
noun = "table"
[table]
by = ["activity", "region"]
response = "turnover"
[[rule]]
method = "minimum_frequency"
n = 3
[[rule]]
method = "p_percent"
p = 10
[protect]
method = "suppress"
cost = "unit"
"""


def test_a_plan_is_read_into_rules_and_a_way():
    # catalogue: G-03
    loaded = table_plan(PLAN)
    assert loaded.rules == (MinimumFrequency(3), PPercent(10))
    assert (loaded.way.method, loaded.way.cost, loaded.way.search) == ("suppress", "unit", "auto")
    other = table_plan(PLAN.replace('method = "p_percent"\np = 10', 'method = "dominance"\nn = 2\nk = 85'))
    assert other.rules[1] == Dominance(2, 85)


def test_suppression_is_what_is_done_when_nothing_is_said():
    text = PLAN[: PLAN.index("[protect]")]
    assert table_plan(text).way.method == "suppress"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'method = "p_percent"',
            'method = "p_procent"',
            "line 11, rule.*'p_procent' is unknown.*did you mean 'p_percent'",
        ),
        ("p = 10", "", "p_percent lacks its parameter 'p'"),
        ("p = 10", "p = 0", "line 13, rule.p: p=0 is not a percentage"),
        ("p = 10", "p = 10\nq = 3", "has no parameter 'q'"),
        ('method = "p_percent"\n', "", "a rule has no method"),
        ('method = "suppress"', 'method = "supress"', "'supress' is unknown.*did you mean 'suppress'"),
        ('cost = "unit"', 'costs = "unit"', "line 16, protect.costs: the key 'costs' is unknown.*'cost'"),
        ('method = "suppress"\ncost = "unit"', 'method = "round_controlled"', "'base' is missing"),
        ('by = ["activity", "region"]', "", "no dimension"),
        ('response = "turnover"', 'value = "turnover"', "'value' says nothing about records"),
        ('response = "turnover"', 'holds = "cells"', "which column holds the figures"),
        ('response = "turnover"', 'wieght = "w"', "the key 'wieght' is unknown.*'weight'"),
        ('response = "turnover"', "zeros = 'gone'", "zeros"),
        ('noun = "table"', 'noun = "cube"', "'cube' is unknown"),
        ("[[rule]]", "[rule]", "rule"),
    ],
)
def test_a_mistake_is_answered_with_line_key_and_remedy(old, new, said):
    text = (
        PLAN.replace(old, new)
        if old != "[[rule]]"
        else PLAN.replace(old, new, 1).replace(PLAN[PLAN.index('[[rule]]\nmethod = "p') : PLAN.index("[protect]")], "")
    )
    with pytest.raises(TacitError, match=f"(?s){said}"):
        table_plan(text)


def test_without_a_rule_nothing_would_be_protected():
    text = PLAN[: PLAN.index("[[rule]]")] + PLAN[PLAN.index("[protect]") :]
    with pytest.raises(TacitError, match="nothing says which cells disclose"):
        table_plan(text)
    assert table_plan(text.replace('"suppress"\ncost = "unit"', '"round_controlled"\nbase = 5')).rules == ()


def test_a_plan_for_the_other_command_is_sent_there():
    with pytest.raises(TacitError, match="about table, not about microdata.*\n.*tacit table protect"):
        from_text(PLAN)
    with pytest.raises(TacitError, match="about microdata, not about table.*\n.*tacit release"):
        table_plan('[data]\npath = "a.csv"\n[roles]\nquasi = ["a"]\n[require]\nk_anonymity = 2\n')


def test_linked_tables_have_names_of_their_own():
    # catalogue: G-06
    two = '[[table.linked]]\nname = "a"\nby = ["activity"]\n[[table.linked]]\nname = "a"\nby = ["region"]\n'
    text = PLAN.replace('by = ["activity", "region"]\n', "").replace("[[rule]]", f"{two}[[rule]]", 1)
    with pytest.raises(TacitError, match="two tables are called 'a'"):
        table_plan(text)
    assert len(table_plan(text.replace('"a"', '"b"', 1)).plan.table.linked) == 2
    with pytest.raises(TacitError, match="both by and linked"):
        table_plan(PLAN.replace("[[rule]]", f"{two}[[rule]]", 1))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[output]\nfile = "../x.csv"\n', "output.file: '../x.csv' is not the name of a file"),
        ('[output]\nfile = ".."\n', "not the name of a file"),
        ('[output]\nfile = "x.parquet"\n', "not published as 'x.parquet'.*\\.xlsx"),
        ('[output]\nalso = ["xls"]\n', "'xls' is unknown"),
        ("[hierarchies]\nregion = 3\n", "hierarchies.region: column 'region' is no hierarchy"),
        ('[hierarchies]\nregion = { table = "r.csv" }\n', "holds the codes themselves, not a file.*nested"),
    ],
)
def test_what_would_only_be_found_out_at_the_end_is_found_before(more, said):
    with pytest.raises(TacitError, match=f"(?s){said}"):
        table_plan(PLAN + more)


@pytest.mark.parametrize("name", ["../../etc/x", "a/b", "..", "", "a\\nb", "a:b"])
def test_the_name_of_a_linked_table_is_that_of_a_file(name):
    # catalogue: G-06
    one = f"[[table.linked]]\nname = {json.dumps(name)}\nby = ['region']\n"
    text = PLAN.replace('by = ["activity", "region"]\n', "").replace("[[rule]]", f"{one}[[rule]]", 1)
    with pytest.raises(TacitError, match="cannot be the name of a file"):
        table_plan(text)


def test_a_linked_table_of_records_has_no_file_of_its_own():
    one = '[[table.linked]]\nname = "a"\nby = ["region"]\npath = "other.csv"\n'
    text = PLAN.replace('by = ["activity", "region"]\n', "").replace("[[rule]]", f"{one}[[rule]]", 1)
    with pytest.raises(TacitError, match="made from one file"):
        table_plan(text)
    with pytest.raises(TacitError, match="linked and ready-made tables make no pivot table"):
        table_plan(text.replace('path = "other.csv"\n', "") + '[output]\nform = "pivot"\n')


def test_a_ready_made_problem_is_not_judged_twice():
    jj = '[data]\npath = "a.jj"\nnoun = "table"\n'
    assert table_plan(jj).ready_made and table_plan(jj).has_rules
    for more in (
        PLAN[PLAN.index("[[rule]]") : PLAN.index("[protect]")],
        '[table]\nby = ["a"]\n',
        "[hierarchies]\na = ['b', 'c']\n",
        "[intruder]\nwithin = 10\n",
        '[protect]\ncost = "unit"\n',
    ):
        with pytest.raises(TacitError, match="leave .* out"):
            table_plan(jj + more)
    assert not table_plan(jj + "[intruder]\ninsiders = false\n").plan.intruder.insiders


def test_every_file_that_the_job_reads_is_known():
    text = PLAN.replace("[[rule]]", '[hierarchies]\nregion = { hrc = "r.hrc" }\n[[rule]]', 1)
    read = {path.name for path in table_plan(text.replace("response", 'prior = "last.hst"\nresponse', 1)).inputs}
    assert read == {"plan", "companies.csv", "r.hrc", "last.hst"}


def test_of_a_draft_dimensions_and_rules_may_be_to_come_and_nothing_else():
    bare = '[data]\npath = "x.csv"\nnoun = "table"\n'
    assert table_plan(bare, draft=True).plan.table.by == []
    assert not table_plan(bare + '[table]\nby = ["a"]\n', draft=True).has_rules
    for text, says in ((bare, "no dimension"), (bare + '[table]\nby = ["a"]\n', "nothing says which cells disclose")):
        with pytest.raises(TacitError, match=says):
            table_plan(text)
    wrong = bare + '[table]\nby = ["a"]\nresponse = "b"\n[protect]\nmethod = "cell_key"\nlargest = 2\nvariance = 1.0\n'
    with pytest.raises(TacitError, match="cell keys are for plain counts"):
        table_plan(wrong, draft=True)
