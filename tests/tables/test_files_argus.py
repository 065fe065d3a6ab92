"""The files of τ-ARGUS: real ones are read, mistakes are answered with their line, batches become plans that load."""

import tomllib

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.plan.table.load import table_plan
from tacit.tables.files.arb import Rule, read_arb
from tacit.tables.files.cdl import read_cdl, write_cdl
from tacit.tables.files.from_tau_argus import from_tau_argus, read_records
from tacit.tables.files.hst import read_hst, with_priors
from tacit.tables.files.layout import Layout
from tacit.tables.files.ptable import read_ptable
from tacit.tables.files.rda import read_rda
from tacit.tables.files.tab import read_tab, tree_of
from tacit.tables.files.translate import plan_of, translate_rules
from tacit.tables.problem import Status
from tacit.tables.tasks.audit_file import read_given

from .instances import flat, random_problem

# catalogue: G-01, G-04, G-06
FIXED = """Year 1  2 99
  <RECODEABLE>
  <DISTANCE>  1  2  3  4  5
Industry 4  5 99999
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERLEVELS>  3 1 1 0 0
Wgt 9  4 9999
  <DECIMALS>  1
  <WEIGHT>
Turnover 13  6 "x"
  <NUMERIC>
  <DECIMALS> 2
Ask 19  1
  <REQUEST>  "1" "2"
"""
"""Metadata of records in columns of fixed width."""


def written(folder, name, text, encoding="utf-8"):
    (folder / name).write_text(text, encoding=encoding)
    return folder / name


@pytest.fixture
def argus(reference_data):
    return reference_data / "tables" / "tauargus"


def test_metadata_of_table_data(argus):
    about = read_rda(argus / "tableinput" / "pp.rda")
    assert (about.holds, about.separator) == ("cells", ";")
    parts = [(one.name, one.part) for one in about.variables]
    assert parts[:6] == [
        ("Size", "dimension"), ("Region", "dimension"), ("Var2", "response"), ("FreqVar", "frequency"),
        ("Var2_Shadow", "shadow"), ("Var2_Cost", "cost"),
    ]  # fmt: skip
    assert [part for _, part in parts[6:]] == ["top", "top", "status", "lower", "upper"]
    region = about.find_variable("REGION")
    assert (region.hierarchy, region.lead, region.codes, region.missing) == ("region2.hrc", "@", "REGION.CDL", ("99",))
    assert region.distance == (2, 4, 4, 4, 4) and about.find_variable("Var2").decimals == 2


def test_metadata_and_records_of_micro_data(argus):
    folder = argus / "cellkey" / "Magnitude"
    about = read_rda(folder / "microdata.rda")
    assert about.holds == "records" and [one.part for one in about.variables[-2:]] == ["weight", "key"]
    frame = read_records(folder / "microdata.csv", about)
    lines = (folder / "microdata.csv").read_text().split()
    assert frame.height == len(lines) and frame["Savings"].sum() == sum(float(line.split(";")[3]) for line in lines)
    assert tree_of(about.find_variable("Age"), frame["Age"], folder).codes == (
        "Total",
        "A1",
        "A2",
        "3",
        "4",
        "5",
        "6",
        "1",
        "2",
    )


def test_metadata_of_fixed_width(tmp_path):
    about = read_rda(written(tmp_path, "m.rda", FIXED))
    assert about.separator is None and about.find_variable("Industry").levels == (3, 1, 1)
    assert about.find_variable("Turnover").missing == ("x",) and about.find_variable("Ask").requests == ("1", "2")
    data = "01 15110 1.51234.51\n" + "02 15212 2.0    302\n"
    frame = read_records(written(tmp_path, "m.asc", data), about)
    assert frame.row(0) == ("01", "15110", 1.5, 1234.5, "1") and frame["Turnover"].to_list() == [1234.5, 30.0]
    tree = tree_of(about.find_variable("Industry"), frame["Industry"], tmp_path)
    assert tree.codes == ("Total", "151", "152", "1511", "1521", "15110", "15212")
    with pytest.raises(TacitError, match="column 'Turnover' holds text") as told:
        read_records(written(tmp_path, "m.asc", data.replace("    30", "  abcd")), about)
    assert told.value.where.endswith(":2") and "abcd" not in str(told.value)


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("<NUMERIC>", "<NUMERICAL>"), 11, "the word <NUMERICAL> is unknown"),
        (("Wgt 9  4 9999", "Wgt 9"), 7, "lacks its first place and its width"),
        (("<HIERLEVELS>  3 1", "<HIERLEVELS>  3 a"), 6, "followed by whole numbers"),
        (("Ask 19", "year 19"), 13, "'year' stands here a second time"),
        (("Year 1  2 99\n", ""), 1, "stands before any column"),
    ],
)
def test_mistakes_in_metadata(tmp_path, change, line, said):
    with pytest.raises(TacitError, match=said) as told:
        read_rda(written(tmp_path, "m.rda", FIXED.replace(*change)))
    assert int(told.value.where.rsplit(":", 1)[1]) >= line


def test_code_lists(argus, tmp_path):
    region = read_cdl(argus / "tableinput" / "region.cdl")
    assert region[" 1"] == "Groningen" and region["Zd"] == "South" and len(region) == 16
    assert read_cdl(argus / "GK.CDL")["6"] == "size 2"
    file = written(tmp_path, "c.cdl", '"a,b",x, y\né,"Île"\n', encoding="windows-1252")
    assert read_cdl(file, encoding="windows-1252") == {"a,b": "x, y", "é": "Île"}
    for text, said in (("a,1\na,2\n", "'a' stands here a second time"), ("a\n", "no code stands here")):
        with pytest.raises(TacitError, match=said):
            read_cdl(written(tmp_path, "d.cdl", text))


def test_code_lists_come_back(tmp_path):
    labels = {" 1": "Groningen, and around", "a,b": "", "é": "Île"}
    write_cdl(labels, tmp_path / "c.cdl")
    assert read_cdl(tmp_path / "c.cdl") == labels
    with pytest.raises(TacitError, match="cannot write"):
        write_cdl({'a"b': "x"}, tmp_path / "d.cdl")
    assert not (tmp_path / "d.cdl").exists()


def test_table_data(argus):
    """Its figures do not add up: three sums are off by 1, of which τ-ARGUS is told to compute the totals itself."""
    file = argus / "tableinput" / "pp.tab"
    with pytest.raises(TacitError, match="3 of 63 equations"):
        read_given(file)
    given = read_tab(file, layout=Layout(tolerance=1))
    table = given.problem.table
    assert table.size == 9 * 18 and table.values[table.cell()] == 16847646.84 and given.is_complete
    assert table.contributors[table.cell()] == 42723 and table.contributions.values[table.cell()].tolist() == [
        175677,
        141482,
    ]
    assert len(given.problem.primaries) == 9 == given.hidden.sum()
    cell = table.cell(Size=" 2", Region="Nr")
    assert given.problem.status[cell] == Status.UNSAFE and given.problem.upper[cell] == 0.75
    assert given.problem.upper[table.cell()] == 0, "levels are for unsafe cells"
    assert given.problem.status[table.cell(Region="99")] == Status.EMPTY


def test_a_priori_files(tmp_path):
    text = '"r0";"c1";u\nr0;c1;pl;1,5;2\nr1;c0;p\nr1;"";m\n r1; c1;c;7\nr0;c0;ab;0;50\n;;s\n'
    priors = read_hst(written(tmp_path, "a.hst", text), dimensions=2, separator=";", decimal=",")
    problem = random_problem([flat(2, "r"), flat(2, "c")], share=0.01, zero=0)
    found = with_priors(problem, priors, margin=10)
    table = problem.table
    cell = table.cell(r="r0", c="c1")
    assert found.status[cell] == Status.UNSAFE and (found.lower[cell], found.upper[cell]) == (1.5, 2)
    assert found.status[table.cell(r="r1", c="c0")] == Status.PUBLISHED
    assert found.status[table.cell(r="r1")] == Status.HIDDEN and found.cost[table.cell(r="r1", c="c1")] == 7
    assert (found.low[table.cell(r="r0", c="c0")], found.high[table.cell(r="r0", c="c0")]) == (0, 50)
    assert problem.status[cell] != Status.UNSAFE or problem.upper[cell] != 2, "the problem itself is not changed"
    margin = with_priors(problem, [one for one in priors if one.word == "u"], margin=10)
    assert margin.upper[cell] == pytest.approx(table.values[cell] / 10) or problem.status[cell] == Status.UNSAFE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("r0,c1\n", "2 codes and then a word; this one has 2"),
        ("r0,c1,q\n", "the word 'q' is unknown"),
        ("r0,c1,pl,1\n", "'pl' is followed by 2 numbers"),
        ("r0,c1,c,x\n", "'c' is followed by 1 numbers"),
        ("r0,c7,u\n", "column 'c' has no code 'c7'"),
        ("r1,c1,s\nr1,c1,pl,1,1\n", "not unsafe"),
    ],
)
def test_mistakes_in_a_priori_files(tmp_path, text, said):
    problem = random_problem([flat(2, "r"), flat(2, "c")], zero=0)
    with pytest.raises(TacitError, match=said):
        with_priors(problem, read_hst(written(tmp_path, "a.hst", text), dimensions=2))


def test_lines_about_no_cell_can_be_skipped(tmp_path):
    problem = random_problem([flat(2, "r"), flat(2, "c")], zero=0)
    priors = read_hst(written(tmp_path, "a.hst", "r0,c7,u\n"), dimensions=2)
    assert (with_priors(problem, priors, skip=True).status == problem.status).all()


BATCH = """//a comment
<OPENMICRODATA> "firms.asc"
<OPENMETADATA> "firms.rda"
<SPECIFYTABLE> "Industry""Year"|"Turnover"||"-1"
<SAFETYRULE> P(15,100,1)|P(0,100,0)|NK(3,75)|NK(0,0)|FREQ(3,30)|ZERO(10)|MIS(1)|WGT(1)|MAN(20)
<READMICRODATA>
<APRIORI> "marks.hst", 1, ";", 0, 0
<SUPPRESS> MOD(1,5,1,0,0)
<WRITETABLE> (1, 4, AS+SE-, "out.sbs")
<GOINTERACTIVE>
"""


def test_a_batch_is_read(argus, tmp_path):
    batch = read_arb(argus / "tableinput" / "TestTable.arb")
    (table,) = batch.tables
    assert (table.by, table.response, table.shadow, table.cost) == (("Size", "Region"), "Var2", "Var2_Shadow", "Var2")
    assert (table.data, table.metadata, table.holds, batch.add_totals) == ("pp.tab", "pp.rda", "cells", True)
    batch = read_arb(written(tmp_path, "a.arb", BATCH))
    (table,) = batch.tables
    assert table.rules[0] == Rule(name="P", numbers=(15, 100, 1)) and len(table.rules) == 9 and table.cost == "-1"
    assert (batch.marks[0].path, batch.marks[0].separator, batch.marks[0].skip) == ("marks.hst", ";", False)
    assert (batch.protections[0].method, batch.protections[0].numbers) == ("MOD", (5, 1, 0, 0))
    assert (batch.outputs[0].form, batch.outputs[0].options, batch.outputs[0].path) == (4, "AS+SE-", "out.sbs")


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("<READMICRODATA>", "<READMICRODATEN>"), 6, "<READMICRODATEN> is unknown"),
        (("//a comment", "a comment"), 1, "begins with a <KEYWORD>"),
        (("NK(3,75)", "NL(3,75)"), 5, "the rule 'NL' is unknown"),
        (("NK(3,75)", "NK(3)"), 5, "NK has 2 numbers, here 1"),
        (("MOD(1,5", "MODE(1,5"), 8, "the method 'MODE' is unknown"),
        (("MOD(1,5", "MOD(2,5"), 8, "MOD does not name one of the 1 tables"),
        (("FREQ(3,30)", "FREQ(three,30)"), 5, "a number is expected"),
        (('"Industry""Year"|"Turnover"||"-1"', '"Industry"'), 4, "dimensions, a bar and a response"),
        (('(1, 4, AS+SE-, "out.sbs")', "1, 4"), 9, "the file to write"),
    ],
)
def test_mistakes_in_a_batch(tmp_path, change, line, said):
    with pytest.raises(TacitError, match=said) as told:
        read_arb(written(tmp_path, "a.arb", BATCH.replace(*change)))
    assert told.value.where.endswith(f":{line}")


def test_rules_in_our_words():
    def sections(text):
        from tacit.tables.files.arb import CALL

        rules = [CALL.fullmatch(one) for one in text.split("|")]
        found = translate_rules(
            [Rule(name=one[1], numbers=tuple(float(number) for number in one[2].split(","))) for one in rules]
        )
        return [dict(section) for section in found.sections], found

    found, _ = sections("P(10)|P(10,2)|P(10,50,3)|NK(0,0)|FREQ(3,0)")
    assert found == [
        {"method": '"p_percent"', "p": "10"},
        {"method": '"p_percent"', "p": "10", "n": "2"},
        {"method": '"pq"', "p": "10", "q": "50", "n": "3"},
        {"method": '"minimum_frequency"', "n": "3"},
    ]
    _, more = sections("FREQ(3,15)|FREQ(2,15)|REQ(70,80,3,10)|MAN(12)|ZERO(5)|WGT(0)")
    assert more.holding and more.margin == 12 and more.zeros == 5 and not more.weighted and len(more.remarks) == 2


def test_a_batch_of_micro_data_becomes_a_plan(tmp_path):
    written(tmp_path, "firms.rda", FIXED)
    written(tmp_path, "firms.asc", "01 15110 1.51234.51\n02 15212 2.0    302\n")
    written(tmp_path, "marks.hst", "15110;01;u\n15110;01;pl;5;6\n15212;;p\n15212;02;c;9\n")
    plan = tomllib.loads(plan_of(written(tmp_path, "a.arb", BATCH)))
    assert plan["data"]["path"] == "firms.csv" and plan["data"]["noun"] == "table"
    assert plan["table"] == {
        "holds": "records", "by": ["Industry", "Year"], "response": "Turnover", "weight": "Wgt", "total": "Total", "zeros": 10,
    }  # fmt: skip
    assert plan["hierarchies"] == {"Industry": {"prefix": [4, 3]}}
    assert [one["method"] for one in plan["rule"]] == ["p_percent", "dominance", "minimum_frequency"]
    assert plan["rule"][2] == {"method": "minimum_frequency", "n": 3, "level": 30}
    assert plan["mark"] == [
        {"Industry": "15110", "Year": "01", "as": "unsafe", "lower": 5.0, "upper": 6.0},
        {"Industry": "15212", "as": "published"},
        {"Industry": "15212", "Year": "02", "cost": 9.0},
    ]
    assert plan["protect"] == {"method": "suppress", "search": "auto", "cost": "count"}


@pytest.mark.parametrize(
    ("method", "protect"),
    [
        ("OPT(1,5)", {"method": "suppress", "search": "exact", "cost": "count"}),
        ("GH(1,75,0,1)", {"method": "suppress", "search": "hypercube", "cost": "count"}),
        ("NET(1)", {"method": "suppress", "search": "flow", "cost": "count"}),
        ("RND(1,5,0,10)", {"method": "round_controlled", "base": 5}),
        ("CTA(1)", {"method": "adjust"}),
    ],
)
def test_methods_in_our_words(tmp_path, method, protect):
    written(tmp_path, "firms.rda", FIXED)
    text = plan_of(written(tmp_path, "a.arb", BATCH.replace("MOD(1,5,1,0,0)", method)))
    assert tomllib.loads(text)["protect"] == protect
    assert table_plan(text).way.method == protect["method"], "the plan is one that we read"
    assert "marks.hst" in text, "an a priori file that is not there is a remark"


def test_cell_keys_take_the_noise_of_the_p_table(argus, tmp_path):
    # catalogue: G-06
    for name in ("Frequency/20160511_szenario_5a.txt", "Magnitude/ptab_freq.txt", "Frequency/tau_testW_ptable.txt"):
        file = argus / "cellkey" / name
        rows = [[float(cell) for cell in line.split(";")] for line in file.read_text().splitlines()[1:]]
        last = max(row[0] for row in rows)
        noise = read_ptable(file)
        assert noise.largest == max(abs(row[3]) for row in rows) and noise.forbidden == 2
        told = sum(row[2] * row[3] ** 2 for row in rows if row[0] == last)
        assert noise.variances()[-1] == pytest.approx(told, abs=1e-5)
    written(tmp_path, "firms.rda", FIXED)
    (tmp_path / "p.txt").write_bytes((argus / "cellkey" / "Magnitude" / "ptab_freq.txt").read_bytes())
    batch = BATCH.replace('"Turnover"||"-1"', "<FREQ>||").replace("MOD(1,5,1,0,0)", 'CKM(1) "p.txt"')
    text = plan_of(written(tmp_path, "a.arb", batch))
    plan = tomllib.loads(text)
    assert table_plan(text).way.method == "cell_key", "the plan is one that we read"
    assert plan["protect"] == {
        "method": "cell_key",
        "largest": 5,
        "variance": pytest.approx(read_ptable(tmp_path / "p.txt").variances()[-1], abs=1e-6),
        "forbidden": 2,
    }
    assert "response" not in plan["table"]
    for text, said in (
        ("i;j;p;v\n1;0;x;-1\n", "no row of a p-table"),
        ("i;j;p;v\n0;0;1;0\n1;0;0.5;-1\n", "count 1 do not add up to 1"),
        ("i;j;p;v\n1;0;1;-1\n", "no row for a count of 0"),
        ("i;j;p;v\n0;0;1;1\n", "j − i is not v"),
        ("i;j;p;v\n0;0;1;0\n1;-1;1;-2\n", "below 0"),
        ("i;j;p;v\n", "no rows"),
    ):
        with pytest.raises(TacitError, match=said):
            read_ptable(written(tmp_path, "q.txt", text))


def test_linked_tables_are_one_plan(tmp_path):
    written(tmp_path, "firms.rda", FIXED)
    second = '<SPECIFYTABLE> "Year"|"Turnover"||\n<SAFETYRULE> NK(1,75)\n<READMICRODATA>'
    text = plan_of(written(tmp_path, "a.arb", BATCH.replace("<READMICRODATA>", second)))
    plan = tomllib.loads(text)
    assert [one["by"] for one in plan["table"]["linked"]] == [["Industry", "Year"], ["Year"]] and "by" not in plan[
        "table"
    ]
    assert "different rules" in text and "protected together" in text


def test_tables_of_several_responses_are_one_plan(tmp_path):
    written(tmp_path, "firms.rda", FIXED)
    second = '<SPECIFYTABLE> "Year"|<freq>||\n<SAFETYRULE> FREQ(3,10)\n<READMICRODATA>'
    plan = tomllib.loads(plan_of(written(tmp_path, "a.arb", BATCH.replace("<READMICRODATA>", second))))
    assert [one["response"] for one in plan["table"]["linked"]] == ["Turnover", "counts"]
    with pytest.raises(TacitError, match="'Profit' is named by the batch, and its metadata lack it(.|\\n)*Turnover"):
        plan_of(written(tmp_path, "b.arb", BATCH.replace('"Turnover"', '"Profit"')))


SEPARATE = 'A 1\n <RECODEABLE>\n <HIERARCHICAL>\n <HIERCODELIST> "a.hrc"\nT 5\n <NUMERIC>\n'


def test_a_batch_is_taken_over_whole_or_not_at_all(tmp_path):
    job = tmp_path / "job"
    job.mkdir()
    text = ""
    for name, figure in (("f", "5"), ("g", "six")):
        written(tmp_path, f"{name}.asc", f"x;4\ny;{figure}\n")
        written(tmp_path, f"{name}.rda", '<SEPARATOR> ";"\n' + SEPARATE)
        text += f'<OPENMICRODATA> "{name}.asc"\n<OPENMETADATA> "{name}.rda"\n<SPECIFYTABLE> "A"|"T"||\n<SAFETYRULE> P(9,1)\n'
    written(tmp_path, "a.hrc", "x\ny\n")
    batch = written(tmp_path, "two.arb", text)
    with pytest.raises(TacitError, match="g.asc:2: column 'T' holds text where a number is needed"):
        from_tau_argus(batch, job)
    assert not list(job.iterdir())
    written(tmp_path, "g.asc", "x;4\ny;6\n")
    assert from_tau_argus(batch, job) == job / "two.toml"
    assert {one.name for one in job.iterdir()} == {"two.toml", "f.csv", "g.csv", "a.hrc"}
    with pytest.raises(TacitError, match="exists already"):
        from_tau_argus(batch, job)
    from_tau_argus(batch, job, replace=True)
    with pytest.raises(TacitError, match="exists already"):
        from_tau_argus(batch, tmp_path)
    assert not (tmp_path / "two.toml").exists() and not (tmp_path / "f.csv").exists()


def test_the_plan_of_table_data_loads_with_its_files(argus, tmp_path):
    from tacit.plan.table.load import load_table_plan

    path = from_tau_argus(argus / "tableinput" / "TestTable.arb", tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["TestTable.toml", "pp.csv", "region2.hrc"]
    loaded = load_table_plan(path)
    assert len(loaded.plan.mark) == 9 and loaded.plan.table.value == "Var2"
    given = read_given(
        tmp_path / "pp.csv", by=["Size", "Region"], value="Var2", hierarchies={"Region": {"hrc": "region2.hrc"}},
        layout=Layout(tolerance=1, contributors="FreqVar"),
    )  # fmt: skip
    first = read_tab(argus / "tableinput" / "pp.tab", layout=Layout(tolerance=1))
    assert np.sort(given.problem.table.values).tolist() == np.sort(first.problem.table.values).tolist()
    with pytest.raises(TacitError, match="exists already"):
        from_tau_argus(argus / "tableinput" / "TestTable.arb", tmp_path)
