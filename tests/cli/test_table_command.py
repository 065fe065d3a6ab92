"""``tacit table``: the whole job on tables as a user types it."""

import json
import re

import polars as pl
import pytest

from .commands import tacit

COUNTS = """title = "Counts"
[data]
path = "companies.csv"
noun = "table"
[table]
by = ["region", "size"]
[hierarchies]
region = { file = "region.hierarchy.csv" }
"""
SMALL = '[[rule]]\nmethod = "minimum_frequency"\nn = 3\n'


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    assert tacit("example", "companies", "--out", folder, "--rows", 500).returncode == 0
    done = tacit("table", "protect", folder / "plan.toml", "--out", folder / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def published(folder):
    return pl.read_csv(folder / "out" / "public" / "companies.csv", infer_schema=False)


def test_the_example_is_protected_and_published(job):
    # catalogue: G-04
    public, internal = job / "out" / "public", job / "out" / "internal"
    assert {path.name for path in public.iterdir()} == {"companies.csv", "report.html", "trace.json"}
    kept = {"attempt.json", "cells.csv", "plan.toml", "report.html", "result.json"}
    assert {path.name for path in internal.iterdir()} == kept
    assert internal.stat().st_mode & 0o077 == 0
    assert (published(job)["turnover"] == "x").sum() > 10
    found = json.loads((internal / "result.json").read_text())
    assert found["holds"] and found["details"]["protected"]["audit"]["short"] == 0
    assert found["details"]["protected"]["audit"]["insiders"] == 0


def test_no_suppressed_figure_leaves_the_house(job):
    # catalogue: G-04
    cells = pl.read_csv(job / "out" / "internal" / "cells.csv")
    secret = {f"{value:.0f}" for value in cells.filter("suppressed")["value"] if value >= 10_000}
    shown = {f"{value:.0f}" for value in cells.filter(~pl.col("suppressed"))["value"]}
    total = f"{cells.filter('suppressed')['value'].sum():.0f}"
    assert len(secret - shown) > 5
    for file in (job / "out" / "public").iterdir():
        written = set(re.findall(r"\d+", file.read_text().replace(",", "" if file.suffix == ".html" else ",")))
        assert not written & (secret - shown), file.name
        assert total not in written, file.name
        assert "unsafe" not in file.read_text().split("</style>")[-1], file.name


def test_the_published_file_passes_the_audit_of_whoever_reads_it(job):
    # catalogue: G-02
    trees = [word for name in ("activity", "region") for word in ("--hierarchy", f"{name}={job / name}.hierarchy.csv")]
    given = (job / "out" / "public" / "companies.csv", "--by", "activity,region", "--value", "turnover", *trees)
    done = tacit("table", "audit", *given, "--cells", job / "cells.csv")
    assert done.returncode == 0, done.stdout + done.stderr
    theirs = pl.read_csv(job / "cells.csv")
    ours = pl.read_csv(job / "out" / "internal" / "cells.csv").filter("suppressed")
    both = theirs.join(ours, on=["activity", "region"], how="inner")
    assert both.height == ours.height == theirs.height
    assert (both["low"] <= both["value"] + 1e-6).all() and (both["high"] >= both["value"] - 1e-6).all()
    assert ((both["low"] - both["low_right"]).abs() < 1e-3).all()
    assert tacit("table", "audit", *given, "--percent", 300).returncode == 1
    assert json.loads(tacit("table", "audit", *given, "--json").stdout)["exact"] == 0


def test_a_leak_that_somebody_left_is_found(job, tmp_path):
    # catalogue: G-02
    leaky = published(job).with_columns(turnover=pl.lit("1"))
    leaky.write_csv(tmp_path / "leaky.csv")
    rows = "sex,n\nf,x\nm,4\nTotal,10\n"
    (tmp_path / "one.csv").write_text(rows)
    done = tacit("table", "audit", tmp_path / "one.csv", "--by", "sex", "--value", "n")
    assert done.returncode == 1 and "can be computed exactly  1 (f)" in done.stdout
    nothing = tacit("table", "audit", tmp_path / "one.csv", "--by", "sex", "--value", "n", "--total", "All")
    assert nothing.returncode == 2


def test_the_internal_file_can_be_audited_with_statuses_and_levels(job, tmp_path):
    # catalogue: G-04
    trees = [word for name in ("activity", "region") for word in ("--hierarchy", f"{name}={job / name}.hierarchy.csv")]
    by = ("--by", "activity,region", "--value", "value", "--status", "status", *trees)
    done = tacit("table", "audit", job / "out" / "internal" / "cells.csv", *by, "--lower", "lower", "--upper", "upper")
    assert done.returncode == 0 and "short of their levels    0 of" in done.stdout, done.stdout + done.stderr
    wide = tacit("table", "audit", job / "out" / "internal" / "cells.csv", *by, "--margin", "500")
    assert wide.returncode == 1 and "NOT protected" in wide.stdout


@pytest.mark.parametrize(("said", "code"), [((), 1), (("--no-insiders",), 0), (("--contributors", "firm"), 2)])
def test_a_sole_respondent_who_sees_through_a_table_of_somebody_else_is_told(tmp_path, said, code):
    # Two unsafe cells of one firm each hide one another: each firm computes the other.
    (tmp_path / "t.csv").write_text("d;v;firms;s\na;10;1;U\nb;20;1;U\nc;70;9;S\nTotal;100;11;S\n")
    options = ("--by", "d", "--value", "v", "--status", "s", "--margin", "10", "--contributors", "firms", *said)
    done = tacit("table", "audit", tmp_path / "t.csv", *options)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("sole contributors who learn too much  2 (a; b)" in done.stdout) == (code == 1)
    assert code != 2 or "did you mean 'firms'" in done.stderr


def test_other_signs_for_suppressed_figures_can_be_named(tmp_path):
    (tmp_path / "t.csv").write_text("d,v\na,geheim\nb,geheim\nTotal,100\n")
    given = (tmp_path / "t.csv", "--by", "d", "--value", "v")
    assert "geheim" not in (unknown := tacit("table", "audit", *given)).stderr and unknown.returncode == 2
    assert tacit("table", "audit", *given, "--marks", "geheim").returncode == 0


def test_a_table_of_which_nothing_would_be_left_is_not_published(tmp_path):
    (tmp_path / "t.csv").write_text("sex\n" + "f\nm\n" * 2)
    plan = (
        '[data]\npath = "t.csv"\nnoun = "table"\n[table]\nby = ["sex"]\n[[rule]]\nmethod = "minimum_frequency"\nn = 9\n'
    )
    (tmp_path / "plan.toml").write_text(plan)
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 1 and "nothing of it would be left to publish: every cell must be hidden" in done.stdout
    assert not (tmp_path / "out" / "public").exists()


@pytest.mark.parametrize(
    "way",
    [
        'method = "round_controlled"\nbase = 5',
        'method = "round_random"\nbase = 5',
        'method = "adjust"',
        'method = "cell_key"\nlargest = 3\nvariance = 1.5',
        'method = "suppress"\nsearch = "heuristic"\ncost = "unit"',
    ],
)
def test_every_way_to_protect_can_be_asked_for(job, tmp_path, way):
    # catalogue: G-05
    for name in ("companies.csv", "region.hierarchy.csv"):
        (tmp_path / name).write_bytes((job / name).read_bytes())
    (tmp_path / "plan.toml").write_text(COUNTS + SMALL + f"[protect]\n{way}\n")
    done = tacit("table", "protect", tmp_path / "plan.toml", "--seed", 7)
    assert done.returncode in (0, 1), done.stderr
    first, second = (
        [tmp_path / "out" / "internal"] * 2
        if done.returncode == 0
        else [tmp_path / f"out/refused/000{number}/internal" for number in (1, 2)]
    )
    kept = json.loads((first / "result.json").read_text())
    assert kept["holds"] == (done.returncode == 0)
    assert (tmp_path / "out" / "public" / "companies.csv").exists() == kept["holds"]
    if "suppress" not in way:
        assert "repeatable, not for publication" in done.stdout
        assert (first / "seed.txt").read_text() == "7\n"
        cells = (first / "cells.csv").read_text()
        tacit("table", "protect", tmp_path / "plan.toml", "--seed", 7)
        assert (second / "cells.csv").read_text() == cells


def test_rounding_too_fine_for_the_rules_is_not_published(job, tmp_path):
    # catalogue: G-05
    for name in ("companies.csv", "region.hierarchy.csv"):
        (tmp_path / name).write_bytes((job / name).read_bytes())
    rule = '[[rule]]\nmethod = "p_percent"\np = 10\n'
    text = COUNTS.replace('by = ["region", "size"]', 'by = ["region", "size"]\nresponse = "turnover"')
    (tmp_path / "plan.toml").write_text(text + rule + '[protect]\nmethod = "round_controlled"\nbase = 5\n')
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 1 and "more closely than their levels allow" in done.stdout
    assert not (tmp_path / "out" / "public").exists()


def test_a_table_that_cannot_be_protected_says_why(tmp_path):
    # catalogue: G-04
    (tmp_path / "d.csv").write_text("sex\n" + "f\nm\n")
    plan = '[data]\npath = "d.csv"\n[table]\nby = ["sex"]\n' + SMALL + '[[mark]]\nas = "published"\n'
    (tmp_path / "plan.toml").write_text(plan + "[intruder]\ninsiders = false\n")
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 0, done.stdout + done.stderr  # two unsafe cells hide one another from outsiders
    (tmp_path / "plan.toml").write_text(plan)
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 1 and "Sole respondents, who know their own cells" in done.stdout
    (tmp_path / "plan.toml").write_text(plan + '[[mark]]\nas = "published"\nsex = "m"\n')
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 1 and "cannot be protected" in done.stdout and "sex: 'f' + 'm' = 'Total'" in done.stdout
    assert {path.name for path in (tmp_path / "out" / "refused").iterdir()} == {"0002", "0003"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"companies.csv"', '"company.csv"', "company.csv"),
        ('by = ["region", "size"]', 'by = ["regoin", "size"]', "did you mean 'region'"),
        (
            "region.hierarchy.csv",
            "regions.csv",
            "line 8, hierarchies.region: the hierarchy file 'regions.csv' is not there",
        ),
        ('by = ["region", "size"]', 'by = ["region", "size"]\nresponse = "activity"', "activity"),
        ("[hierarchies]\nregion", "[hierarchies]\nsize", "size"),
        (SMALL, SMALL + '[[mark]]\nas = "unsafe"\nregion = "Nowhere"\nlevel = 5\n', "Nowhere"),
        (SMALL, SMALL + '[[mark]]\nas = "unsafe"\nregoin = "Oslo"\n', "did you mean 'region'"),
    ],
)
def test_a_mistake_in_plan_or_data_is_named(job, tmp_path, old, new, said):
    for name in ("companies.csv", "region.hierarchy.csv"):
        (tmp_path / name).write_bytes((job / name).read_bytes())
    (tmp_path / "plan.toml").write_text((COUNTS + SMALL).replace(old, new))
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 2 and said in done.stderr and "fix:" in done.stderr, done.stdout + done.stderr
    assert not (tmp_path / "out").exists()


def test_linked_tables_are_protected_as_one_and_written_one_by_one(job, tmp_path):
    # catalogue: G-06
    for name in ("companies.csv", "region.hierarchy.csv"):
        (tmp_path / name).write_bytes((job / name).read_bytes())
    two = '[[table.linked]]\nname = "by size"\nby = ["region", "size"]\n[[table.linked]]\nname = "by activity"\nby = ["region", "activity"]\n'
    (tmp_path / "plan.toml").write_text(
        COUNTS.replace('by = ["region", "size"]\n', "").replace("[hierarchies]", two + "[hierarchies]") + SMALL
    )
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    files = tmp_path / "out" / "public" / "tables"
    sizes, activities = (pl.read_csv(files / f"by {name}.csv", infer_schema=False) for name in ("size", "activity"))
    shared = sizes.filter(size="Total").join(activities.filter(activity="Total"), on="region")
    assert shared.height == 11 and (shared["count"] == shared["count_right"]).all()
    again = tacit("table", "protect", tmp_path / "plan.toml")
    assert again.returncode == 0, again.stderr


def test_several_responses_are_one_job_and_each_file_names_its_own(job, tmp_path):
    # catalogue: G-01
    (tmp_path / "companies.csv").write_bytes((job / "companies.csv").read_bytes())
    each = {"sales": "turnover", "staff": "employees", "n": "counts"}
    tables = "".join(
        f'[[table.linked]]\nname = "{name}"\nby = ["region", "size"]\nresponse = "{column}"\n'
        for name, column in each.items()
    )
    (tmp_path / "plan.toml").write_text(f'[data]\npath = "companies.csv"\n[table]\n{tables}' + SMALL)
    done = tacit("table", "protect", tmp_path / "plan.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    files = {path.stem: pl.read_csv(path, infer_schema=False) for path in (tmp_path / "out/public/tables").iterdir()}
    assert {name: file.columns[-1] for name, file in files.items()} == {
        "sales": "turnover",
        "staff": "employees",
        "n": "count",
    }
    total = pl.all_horizontal(pl.col("region", "size") == "Total")
    records = pl.read_csv(tmp_path / "companies.csv")
    seen = {name: file.filter(total)[file.columns[-1]][0] for name, file in files.items()}
    assert (seen["n"], seen["staff"]) == (str(records.height), str(records["employees"].sum()))
    for wrong, said in (('response = "staff"', "'staff' is not in the table"), ('respons = "x"', "respons")):
        (tmp_path / "plan.toml").write_text(
            (f'[data]\npath = "companies.csv"\n[table]\n{tables}' + SMALL).replace('response = "counts"', wrong)
        )
        done = tacit("table", "protect", tmp_path / "plan.toml")
        assert done.returncode == 2 and said in done.stderr and "fix:" in done.stderr


def test_other_formats_stay_inside_and_a_second_run_replaces_them(job, tmp_path):
    # catalogue: G-04
    for name in ("companies.csv", "region.hierarchy.csv"):
        (tmp_path / name).write_bytes((job / name).read_bytes())
    output = '[output]\nfile = "counts.xlsx"\nform = "pivot"\nalso = ["hst", "tab", "jj", "sbs"]\n'
    (tmp_path / "plan.toml").write_text(COUNTS + SMALL + output)
    for _ in range(2):
        done = tacit("table", "protect", tmp_path / "plan.toml", "--json")
        assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["public"] == str(tmp_path / "out" / "public") and said["internal"] == str(tmp_path / "out" / "internal")
    assert {path.name for path in (tmp_path / "out" / "public").iterdir()} == {
        "counts.xlsx",
        "report.html",
        "trace.json",
    }
    kept = tmp_path / "out" / "internal" / "formats"
    assert {"counts.hst", "counts.tab", "counts.rda", "counts.jj", "counts.sbs"} <= {
        path.name for path in kept.iterdir()
    }
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept.iterdir())
    sheet = pl.read_excel(tmp_path / "out" / "public" / "counts.xlsx")
    assert sheet.columns[:2] == ["region", "Total"] and sheet.height == 11


def test_a_batch_is_taken_over_into_a_folder_that_is_made(tmp_path):
    # catalogue: G-06
    done = tacit("table", "from-argus", tmp_path / "none.arb", "--out", tmp_path / "new" / "job")
    assert done.returncode == 2 and "fix:" in done.stderr
    assert not (tmp_path / "new" / "job").exists()
    (tmp_path / "job.arb").write_text(
        '<OPENMICRODATA> "f.asc"\n<OPENMETADATA> "f.rda"\n<SPECIFYTABLE> "A""B"|<freq>||\n<SAFETYRULE> FREQ(2,10)\n'
        "<SUPPRESS> OPT(1,5)\n"
    )
    (tmp_path / "f.asc").write_text(
        "".join(f"{row};{column}\n" * 3 for row in "xyz" for column in "pqr") + "x;s\ny;s\n" * 3
    )
    (tmp_path / "f.rda").write_text('<SEPARATOR> ";"\nA 1\n <RECODEABLE>\nB 1\n <RECODEABLE>\n')
    out = tmp_path / "new" / "job"
    assert tacit("table", "from-argus", tmp_path / "job.arb", "--out", out).returncode == 0
    again = tacit("table", "from-argus", tmp_path / "job.arb", "--out", out)
    assert again.returncode == 2 and "exists already" in again.stderr
    assert tacit("table", "from-argus", tmp_path / "job.arb", "--out", out, "--replace").returncode == 0
    done = tacit("table", "protect", out / "job.toml")
    assert done.returncode == 0 and (out / "out" / "public" / "f.csv").exists(), done.stdout + done.stderr
    file = tacit("table", "from-argus", tmp_path / "job.arb", "--out", tmp_path / "f.asc")
    assert file.returncode == 2 and "is a file, not a folder" in file.stderr
