"""Jobs with a guarantee: no record decides a type, a schema, an exit code or a line of public/ but through the mechanism.

The attacker of B1 and B2 appends one line to the input and looks at everything that leaves but the noisy values. Noise is unseeded;
what is compared here does not depend on it.
"""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from tests.cli.commands import tacit

from tacit.errors import TacitError
from tacit.plan import from_text, original_of, run
from tacit.plan.dp_job import guarantee_gaps
from tacit.plan.privacy import PrivacyGuarantee
from tacit.report import publish

CATEGORIES = 'categories = { sex = ["F", "M"], stage = [1, 2, 3] }'
BOUNDS = 'bounds = { age = [0, 100], pay = [0.0, 90.0], born = ["1900-01-01", "2020-12-31"] }'
SYNTHETIC = f"epsilon = 1\ndelta = 1e-6\n{CATEGORIES}\n{BOUNDS}\nbins = 4\n"
ANSWERS = f'[[protect]]\nmethod = "randomised_response"\ncolumns = ["sex", "stage"]\nepsilon = 1\n{CATEGORIES}\n'
NUMBERS = f'columns = ["age", "pay", "born"]\nepsilon = 1\n{BOUNDS}\n'
METHODS = {
    "dp_marginals": f'[[protect]]\nmethod = "dp_marginals"\n{SYNTHETIC}',
    "dp_network": f'[[protect]]\nmethod = "dp_network"\ndegree = 1\n{SYNTHETIC}',
    "dp_identity": f'{ANSWERS}[[protect]]\nmethod = "dp_identity"\n{NUMBERS}',
    "dp_microaggregate": f'{ANSWERS}[[protect]]\nmethod = "dp_microaggregate"\nk = 5\n{NUMBERS}',
}
SCHEMA = {"sex": pl.String, "stage": pl.Int64, "age": pl.Int64, "pay": pl.Float64, "born": pl.Date}
PLAN = """\
[data]
path = "people.csv"
[roles]
identifier = ["name"]
quasi = ["sex", "age"]
confidential = ["pay"]
[require]
{require}
{method}
"""
ENOUGH = "differential_privacy = { epsilon = 2, delta = 1e-6 }"
HEADER = "name,sex,stage,age,pay,born"
HOSTILE = (
    "x,F,1,37.5,12.25,1970-01-01",
    "x,F,1,unknown,unknown,unknown",
    "x,F,1,2020-01-01,2020-01-01,37",
    "x,F,1,inf,-inf,inf",
    "x,F,1,NaN,nan,NaN",
    "x,F,1,99999999999999999999999,1e400,99999-01-01",
    "x,,,,,",
    ",,,,,",
    "x,diverse,9,-5,-1e300,2050-02-30",
    "x,37.5,1.5,007,1.000.000,01.01.1970",
    "x,true,true,true,true,true",
    'x,"F\nM","1,2","3 4",\' 5\',1970-01-01T00:00',
)


def lines(count: int = 60) -> list[str]:
    return [
        f"p{i},{'FM'[i % 2]},{1 + i % 3},{20 + i},{round(i * 1.37, 2)},{1930 + i}-0{1 + i % 9}-11" for i in range(count)
    ]


def write(folder, method: str, *, more: str | None = None, require: str = ENOUGH, text: str | None = None) -> None:
    """The file, of which ``more`` is one record further (of as many where rows are kept: n is public there)."""
    rows = lines() if more is None else [*(lines()[:-1] if "keeps" in KIND[method] else lines()), more]
    (folder / "people.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    (folder / "plan.toml").write_text(text or PLAN.format(require=require, method=METHODS[method]))


KIND = {"dp_marginals": "makes", "dp_network": "makes", "dp_identity": "keeps", "dp_microaggregate": "keeps"}


def leaves(folder) -> dict[str, object]:
    """All that is seen of a run but noisy values: exit code, headline, files, schema, shape of the trace, headings of the page."""
    result = tacit("release", folder / "plan.toml", "--out", folder / "out")
    public = folder / "out" / "public"
    assert public.is_dir(), result.stderr
    page = (public / "report.html").read_text()
    return {
        "exit": result.returncode,
        "headline": result.stdout.splitlines()[0],
        "files": sorted(path.name for path in public.iterdir()),
        "schema": dict(pl.read_csv(public / "people.csv", try_parse_dates=True).schema),
        "trace": sorted(_paths(json.loads((public / "trace.json").read_text()))),
        "page": re.findall(r"<h[1-6][^>]*>(.*?)</h", page, flags=re.DOTALL),
    }


def _paths(value: object, path: str = "") -> set[str]:
    """The keys of nested values, and of which type each is; not what stands there."""
    if path.endswith(("/captured", "/spent")):  # chosen by noise
        return {path}
    if isinstance(value, dict):
        return {path}.union(*(_paths(one, f"{path}/{name}") for name, one in value.items()))
    if isinstance(value, list):
        return {path}.union(*(_paths(one, f"{path}[]") for one in value))
    return {f"{path}:{type(value).__name__}"}


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory) -> dict[str, dict[str, object]]:
    """What each method lets out of the file as it is."""
    found = {}
    for method in METHODS:
        folder = tmp_path_factory.mktemp(method)
        write(folder, method)
        found[method] = leaves(folder)
    return found


@pytest.mark.parametrize("line", HOSTILE[:2])
@pytest.mark.parametrize("method", METHODS)
def test_a_line_of_the_file_does_not_change_what_is_seen_of_the_run(method, line, unchanged, tmp_path):
    write(tmp_path, method, more=line)
    assert leaves(tmp_path) == unchanged[method]


@pytest.mark.parametrize("method", METHODS)
def test_no_line_of_the_file_changes_what_is_seen_of_the_run(method, unchanged, tmp_path):
    for line in HOSTILE[2:]:
        write(tmp_path, method, more=line)
        assert leaves(tmp_path) == unchanged[method], line


@pytest.mark.parametrize("method", METHODS)
def test_the_released_types_are_those_of_the_declaration(method, unchanged):
    assert unchanged[method]["schema"] == SCHEMA
    assert unchanged[method]["files"] == ["people.csv", "report.html", "trace.json"]
    assert unchanged[method]["exit"] == 0


def outcome_of(folder, method: str, *, require: str = ENOUGH, more: str | None = None, text: str | None = None):
    write(folder, method, require=require, more=more, text=text)
    return run(
        from_text((folder / "plan.toml").read_text(), folder=folder, name="plan.toml"), seed=3, out=folder / "out"
    )


def test_what_is_public_has_no_figure_of_the_original(tmp_path):
    """B2: neither the number of records (a number that nothing else on the page has), nor a loss, nor an attack."""
    rows = [f"{line.split(',', 1)[0]}x,{line.split(',', 1)[1]}" for line in lines(137)]
    write(tmp_path, "dp_marginals")
    (tmp_path / "people.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    text = (tmp_path / "plan.toml").read_text().replace("bins = 4\n", "bins = 4\nrows = 50\n")
    outcome = run(from_text(text, folder=tmp_path, name="plan.toml"), out=tmp_path / "out")
    publish(outcome, tmp_path / "out")
    public = [path.read_text() for path in sorted((tmp_path / "out" / "public").iterdir()) if path.suffix != ".csv"]
    assert not any("137" in text for text in public)
    words = ("learnt", "attack distance", "propensity", "pmse", "mean shift", "re-identif", "area under", "copied")
    page = re.sub(r"<style.*?</style>|<[^>]+>", " ", public[0], flags=re.DOTALL).lower()
    assert not [word for word in words if word in page]
    inside = (tmp_path / "out" / "internal" / "report.html").read_text()
    assert "137" in inside and "keep the report inside" in inside


def test_a_decision_by_attacks_is_a_gap_and_stands_on_the_page(tmp_path):
    outcome = outcome_of(tmp_path, "dp_microaggregate", require=f"{ENOUGH}\nreidentification = 1.0")
    plan = from_text((tmp_path / "plan.toml").read_text(), folder=tmp_path, name="plan.toml")
    (gap,) = guarantee_gaps(plan, outcome.masked)
    assert gap.code == "decision_depends_on_data" and "reidentification" in str(gap)
    publish(outcome, tmp_path / "out")
    page = (tmp_path / "out" / "public" / "report.html").read_text()
    assert str(gap) in page and [one.code for one in outcome.gaps] == ["decision_depends_on_data"]
    assert outcome.state == "not_covered"
    assert [verdict.model for verdict in outcome.verdicts][0] == "differential privacy"


def test_a_decision_by_declarations_has_no_gap(tmp_path):
    outcome = outcome_of(tmp_path, "dp_network")
    plan = from_text((tmp_path / "plan.toml").read_text(), folder=tmp_path, name="plan.toml")
    assert guarantee_gaps(plan, outcome.masked) == outcome.gaps == () and outcome.state == "met"
    assert outcome.guarantee == PrivacyGuarantee(
        epsilon=1,
        delta=1e-6,
        neighbours="one record added or removed",
        methods=("dp_network",),
        columns=("sex", "stage", "age", "pay", "born"),
    )


def test_a_guarantee_that_is_too_weak_is_refused(tmp_path):
    """Steps add up: 1 + 1 is more than 1.5; and a δ that was not allowed is too much."""
    assert not outcome_of(tmp_path, "dp_identity", require="differential_privacy = 1.5").holds
    assert not outcome_of(tmp_path, "dp_network", require="differential_privacy = 1.5").holds
    assert outcome_of(tmp_path, "dp_identity", require="differential_privacy = 2").holds
    huge = METHODS["dp_network"].replace("epsilon = 1", "epsilon = 50")
    text = PLAN.format(require="differential_privacy = { epsilon = 50, delta = 0.1 }", method=huge)
    assert [gap.code for gap in outcome_of(tmp_path, "dp_network", text=text).gaps] == ["weak_guarantee"]


def test_columns_beside_the_guarantee_are_named(tmp_path):
    """A confidential column that no step covers goes out beside the others: the release as a whole has no guarantee."""
    text = PLAN.format(require="k_anonymity = 1", method=ANSWERS).replace(
        'confidential = ["pay"]', 'confidential = ["pay", "born"]'
    )
    outcome = outcome_of(tmp_path, "dp_identity", text=text)
    plan = from_text(text, folder=tmp_path, name="plan.toml")
    (gap,) = guarantee_gaps(plan, outcome.masked)
    assert gap.code == "guarantee_incomplete" and gap.columns == ("age", "pay", "born")
    assert outcome.guarantee is None and gap in outcome.gaps
    with pytest.raises(TacitError, match="not every released column has a guarantee"):
        outcome_of(tmp_path, "dp_identity", text=text.replace("k_anonymity = 1", ENOUGH))


MISTAKES = {
    "undeclared": ('identifier = ["name"]', "", "column 'name' is neither declared nor has a role"),
    "role of an undeclared column": (
        'identifier = ["name"]',
        'identifier = []\nconfidential = ["name"]',
        "reads declared columns only",
    ),
    "weight": (
        'identifier = ["name"]',
        'identifier = ["name"]\nweight = "age"',
        "is the weight, whose values are checked",
    ),
    "hierarchy": ("[require]", "[hierarchies]\nage = { intervals = [10] }\n[require]", "has a hierarchy"),
    "order": (
        "[[protect]]",
        '[[protect]]\nmethod = "rank_swap"\ncolumns = ["age"]\npercent = 50\n[[protect]]',
        "comes after rank_swap",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_would_break_the_guarantee_is_refused_before_the_data_are_looked_at(mistake, tmp_path):
    """The file has the header alone, or there is none."""
    before, after, match = MISTAKES[mistake]
    method = "dp_identity" if mistake == "undeclared" else "dp_marginals"
    text = PLAN.format(require=ENOUGH, method=METHODS[method])
    text = text.replace('confidential = ["pay"]\n', "") if "confidential" in after else text
    text = text.replace(before, after, 1)
    if mistake == "undeclared":
        (tmp_path / "people.csv").write_text(HEADER + "\n")
    with pytest.raises(TacitError, match=match):
        original_of(from_text(text, folder=tmp_path, name="plan.toml"))


def test_a_generator_reads_declared_columns_only(tmp_path):
    """Others are left out unread; a decimal comma, thousands and days are read as the plan says."""
    text = PLAN.format(require=ENOUGH, method=METHODS["dp_marginals"]).replace(
        'path = "people.csv"',
        'path = "people.csv"\nseparator = ";"\ndecimal = ","\nthousands = "."\ndates = "DD.MM.YYYY"',
    )
    (tmp_path / "people.csv").write_text(
        "name;sex;stage;age;pay;born;secret\nx;F;1;1.000;12,5;11.01.1970;s\ny;M;x;41;1.5.5;1970-01-11;t\n"
    )
    found = original_of(from_text(text, folder=tmp_path, name="plan.toml"))
    assert found.columns == ("name", "sex", "stage", "age", "pay", "born")
    assert {column: found.series(column).dtype for column in SCHEMA} == SCHEMA
    assert found.series("age").to_list() == [1000, 41] and found.series("stage").to_list() == [1, None]
    assert found.series("pay").to_list() == [12.5, 155.0] and found.series("born").null_count() == 1
