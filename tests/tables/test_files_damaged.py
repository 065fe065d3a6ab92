"""Damaged files: whatever is changed in them, a reader answers with a table or with an error that can be mended."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.tables.audit.intervals import intervals
from tacit.tables.files.arb import read_arb
from tacit.tables.files.cdl import read_cdl
from tacit.tables.files.from_tau_argus import read_records
from tacit.tables.files.hst import read_hst
from tacit.tables.files.jj import read_jj
from tacit.tables.files.layout import Layout
from tacit.tables.files.rda import read_rda
from tacit.tables.files.translate import plan_of
from tacit.tables.tasks.audit_file import read_given

# catalogue: G-01, G-04
RDA = '<SEPARATOR> ";"\nSize "9"\n <RECODEABLE>\n <TOTCODE> "T"\nV\n <NUMERIC>\n <DECIMALS> 1\nS\n <STATUS>\n'
ARB = '<OPENTABLEDATA> "t.tab"\n<OPENMETADATA> "t.rda"\n<SPECIFYTABLE> "Size"|"V"||\n<SAFETYRULE> MAN(10)\n<READTABLE>\n<SUPPRESS> OPT(1,5)\n'
SIGNS = ['"', "\n", ";", ",", "<", "|", "(", "-", "1e999", "\0"]
FILES = {
    "t.csv": "d,v,s\na,1,S\nb,2.5,U\nTotal,3.5,S\n",
    "p.csv": "d,x,Total\na,1,1\nTotal,1,1\n",
    "t.sbs": "Total,3,5,V\na,1,2,A\nb,2,3,D\n",
    "t.tab": '"T";3,5;S\n"1";1,5;U\n"2";2,0;S\n',
    "t.jj": "0\n3\n0 3 3 s 0 9 0 0 0\n1 1 1 u 0 9 1 1 0\n2 2 2 s 0 9 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n",
    "t.hst": "a,b,u\na,b,pl,1,2\na,,c,7\n",
    "t.cdl": "1,one\n2,two, too\n",
    "t.rda": RDA,
    "t.arb": ARB,
    "m.rda": "A 1 2 99\n <RECODEABLE>\nW 3 4\n <NUMERIC>\n",
    "m.asc": "01 2.5\n02  30\n",
}
READ = {
    "t.csv": lambda file: read_given(file, by="d", value="v", status="s"),
    "p.csv": lambda file: read_given(file, by=["d", "e"], layout=Layout(form="pivot")),
    "t.sbs": lambda file: read_given(file, by="d", layout=Layout(form="sbs")),
    "t.tab": read_given,
    "t.jj": read_jj,
    "t.hst": lambda file: read_hst(file, dimensions=2),
    "t.cdl": read_cdl,
    "t.rda": lambda file: read_given(file.with_suffix(".tab")),
    "t.arb": lambda file: (read_arb(file), plan_of(file)),
    "m.rda": read_rda,
    "m.asc": lambda file: read_records(file, read_rda(file.with_suffix(".rda"))),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("damaged")
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def answered(file, content):
    """Read the file with other content; then it is as it was."""
    try:
        file.write_bytes(content)
        READ[file.name](file)
    except TacitError as told:
        assert told.fix
    finally:
        file.write_text(FILES[file.name], encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_the_files_themselves_are_good(folder, name):
    READ[name](folder / name)


@pytest.mark.parametrize("name", FILES)
@given(place=st.floats(0, 1), cut=st.integers(0, 6), put=st.one_of(st.text(max_size=4), st.sampled_from(SIGNS)))
@example(place=0.0, cut=6, put="")
def test_damage_is_answered(folder, name, place, cut, put):
    text = FILES[name]
    at = int(place * len(text))
    answered(folder / name, (text[:at] + put + text[at + cut :]).encode("utf-8", errors="ignore"))


@pytest.mark.parametrize("name", FILES)
@given(content=st.binary(max_size=60))
def test_anything_else_is_answered(folder, name, content):
    answered(folder / name, content)


def test_an_outsider_reads_no_more_than_the_file(tmp_path):
    """South: f + m = 9, nothing else is known of them: each from 0 to 9; the column sums follow."""
    file = tmp_path / "t.csv"
    file.write_text("region,f,m,Total\nNorth,5,7,12\nSouth,x,:,9\nTotal,,x,21\n", encoding="utf-8")
    given = read_given(file, by=["region", "sex"], layout=Layout(form="pivot"))
    found = intervals(given.published)
    table = given.problem.table
    ends = {table.name(cell): (low, high) for cell, low, high in zip(found.cells, found.low, found.high, strict=True)}
    assert ends == {
        "South × f": (0, 9), "South × m": (0, 9), "Total × f": (5, 14), "Total × m": (7, 16),
    }  # fmt: skip
    file.write_text("region,f,m,Total\nNorth,5,7,12\nSouth,x,4,9\nTotal,x,11,21\n", encoding="utf-8")
    given = read_given(file, by=["region", "sex"], layout=Layout(form="pivot"))
    found = intervals(given.published)
    assert np.allclose(found.low, found.high) and sorted(found.low.tolist()) == [5, 10], "one gap per row hides nothing"
