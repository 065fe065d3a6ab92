"""Attackers of published tables: an outsider who adds and subtracts, and respondents who do so with what they reported themselves.

They were written from the documentation alone and share no code with the package: the rules, the levels and the arithmetic are their
own (linear programs of SciPy). What is public is the published file and that no figure is negative. A table that is ``met`` must leave
every unsafe cell the room that its level asks for, for outsiders and for whoever is alone in a cell; whatever the colour, nobody may
compute an unsafe cell of others exactly. Each attack has a power test on a table that hides the unsafe cells and no others.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

LEAST, LEVEL, P = 3, 20.31, 10.37
CODES = {"town": "abcd", "trade": "wxyz", "size": "sml"}
Cell = tuple[str, str, str]
RUN = """
import io, json, runpy, sys
from contextlib import redirect_stdout
for plan in sys.argv[1:]:
    sys.argv, out, code = ["tacit", "table", "protect", plan, "--json"], io.StringIO(), 0
    with redirect_stdout(out):
        try:
            runpy.run_module("tacit", run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, out.getvalue()]))
"""


def firms(seed: int) -> pl.DataFrame:
    """A small business survey: large figures, so that none of them stands in a page by accident."""
    rng = np.random.default_rng(seed)
    count = 45
    columns = {name: rng.choice(list(codes), count) for name, codes in CODES.items()}
    return pl.DataFrame(
        {
            **columns,
            "group": [f"g{i}" for i in rng.integers(0, 20, count)],
            "sales": np.exp(rng.normal(11, 1.2, count)).astype(int) + 10_007,
        }
    )


class Job:
    """One table or two that are linked, with or without holdings, of sums or of counts."""

    def __init__(self, seed: int, shape: str) -> None:
        self.frame, self.shape = firms(seed), shape
        self.linked, self.holding, self.counts = "linked" in shape, "holding" in shape, "counts" in shape
        self.tables = [("town", "trade"), ("town", "size")] if self.linked else [("town", "trade")]
        owners = self.frame["group"] if self.holding else pl.Series([f"r{i}" for i in range(len(self.frame))])
        self.frame = self.frame.with_columns(owner=owners, y=pl.lit(1) if self.counts else pl.col("sales"))

    def plan(self) -> str:
        text = '[data]\npath = "firms.csv"\nnoun = "table"\n[table]\n'
        text += "" if self.linked else 'by = ["town", "trade"]\n'
        text += "" if self.counts else 'response = "sales"\n'
        text += 'holding = "group"\n' if self.holding else ""
        for by in self.tables if self.linked else []:
            text += f'[[table.linked]]\nname = "by {by[1]}"\nby = {json.dumps(by)}\n'
        text += f'[[rule]]\nmethod = "minimum_frequency"\nn = {LEAST}\nlevel = {LEVEL}\n'
        text += "" if self.counts else f'[[rule]]\nmethod = "p_percent"\np = {P}\n'
        return text + '[protect]\nmethod = "suppress"\n[output]\ndirectory = "out"\n'

    def cells(self) -> Iterator[tuple[Cell, pl.DataFrame]]:
        """Every cell of the tables, with the records behind it."""
        seen = set()
        for by in self.tables:
            for codes in itertools.product(*([*CODES[name], "Total"] for name in by)):
                at = dict.fromkeys(CODES, "Total") | dict(zip(by, codes, strict=True))
                cell = (at["town"], at["trade"], at["size"])
                if cell not in seen:
                    seen.add(cell)
                    inside = [pl.col(name) == code for name, code in at.items() if code != "Total"]
                    yield cell, self.frame.filter(*inside) if inside else self.frame

    def shares(self) -> dict[Cell, dict[str, float]]:
        """What each respondent adds to each cell."""
        return {cell: dict(rows.group_by("owner").agg(pl.col("y").sum()).iter_rows()) for cell, rows in self.cells()}

    def sums(self) -> list[tuple[Cell, list[Cell]]]:
        """Which cells add up to which: a total and its parts."""
        found = []
        for by in self.tables:
            for sum_over, other in (by, by[::-1]):
                for code in [*CODES[other], "Total"]:
                    at = dict.fromkeys(CODES, "Total") | {other: code}
                    parts = [at | {sum_over: part} for part in CODES[sum_over]]
                    found.append((tuple(at.values()), [tuple(part.values()) for part in parts]))
        return found


def levels(shares: dict[Cell, dict[str, float]], counts: bool) -> dict[Cell, float]:
    """The unsafe cells by the documented rules, and the room that each must have."""
    unsafe = {}
    for cell, parts in shares.items():
        total, largest = sum(parts.values()), [*sorted(parts.values(), reverse=True), 0, 0]
        needs = [LEVEL / 100 * total] if 1 <= len(parts) < LEAST else []
        if not counts and parts and (rest := total - largest[0] - largest[1]) < P / 100 * largest[0]:
            needs.append(P / 100 * largest[0] - rest)
        if needs:
            unsafe[cell] = max(1.0, np.ceil(max(needs))) if counts else max(needs)
    return unsafe


class Reader:
    """Somebody with the published figures, the sums, and what it knows of some cells."""

    def __init__(self, published: dict[Cell, float | None], sums: list[tuple[Cell, list[Cell]]]) -> None:
        self.hidden = [cell for cell, figure in published.items() if figure is None]
        at = {cell: i for i, cell in enumerate(self.hidden)}
        rows, right = [], []
        for total, parts in sums:
            row, known = np.zeros(len(self.hidden)), 0.0
            for cell, sign in [(total, -1), *((part, 1) for part in parts)]:
                if published[cell] is None:
                    row[at[cell]] += sign
                else:
                    known += sign * published[cell]
            if row.any():
                rows.append(row), right.append(-known)
        self.sums, self.right, self.at = np.array(rows), np.array(right), at

    def interval(self, cell: Cell, knows: dict[Cell, tuple[float, float | None]]) -> tuple[float, float]:
        """The least and the most that the cell can be."""
        goal = np.zeros(len(self.hidden))
        goal[self.at[cell]] = 1
        bounds = [knows.get(one, (0, None)) for one in self.hidden]
        ends = [
            linprog(sign * goal, A_eq=self.sums, b_eq=self.right, bounds=bounds, method="highs") for sign in (1, -1)
        ]
        assert ends[0].status == 0 and ends[1].status in (0, 3), "the published figures contradict themselves"
        return ends[0].fun, np.inf if ends[1].status == 3 else -ends[1].fun


def narrowed(job: Job, published: dict[Cell, float | None], *, intruder: str) -> tuple[list, list]:
    """Unsafe cells that an intruder computes exactly, and those that keep less room than their level asks for."""
    shares, reader = job.shares(), Reader(published, job.sums())
    unsafe = {cell: room for cell, room in levels(shares, job.counts).items() if cell in reader.at}
    owners = sorted({owner for cell in reader.hidden for owner in shares[cell]}) if intruder != "outsider" else [""]
    exact, short = [], []
    for owner in owners:
        mine = {cell: shares[cell] for cell in reader.hidden if owner in shares[cell]}
        knows = {cell: (parts[owner], parts[owner]) for cell, parts in mine.items() if len(parts) == 1}
        if intruder == "own parts":
            knows = {cell: (parts[owner], None) for cell, parts in mine.items()} | knows
        if owner and not knows:
            continue
        for cell, room in unsafe.items():
            if cell in knows and (len(shares[cell]) == 1 or intruder == "own parts"):
                continue
            truth = sum(shares[cell].values())
            low, high = reader.interval(cell, knows)
            fuzz = 1e-6 * (1 + truth)
            if high - low <= fuzz:
                exact.append((owner, cell))
            if high < truth + room - fuzz or low > max(truth - room, 0) + fuzz:
                short.append((owner, cell))
    return exact, short


SHAPES = ["sums", "sums holding", "sums linked", "sums linked holding", "counts", "counts holding", "counts linked"]
JOBS = {f"{shape} {seed}": (seed, shape) for shape in SHAPES for seed in ((1, 2) if "holding" in shape else (1,))}


def read_public(job: Job, public: Path) -> dict[Cell, float | None]:
    """The published cells of all files in the folder; None where the figure is left out."""
    found: dict[Cell, float | None] = {}
    for file in sorted(public.rglob("*.csv")):
        for row in pl.read_csv(file, infer_schema=False).iter_rows(named=True):
            figure = next(value for name, value in row.items() if name not in CODES)
            cell = tuple(row.get(name, "Total") for name in CODES)
            value = None if figure == "x" else float(figure)
            assert found.setdefault(cell, value) == value, "two tables disagree about a cell"
    assert set(found) == {cell for cell, _ in job.cells()}
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, tuple[Job, dict, Path]]:
    """All jobs, by the command line, in one process of their own."""
    folder = tmp_path_factory.mktemp("tables")
    jobs = {name: Job(*how) for name, how in JOBS.items()}
    for name, job in jobs.items():
        (folder / name).mkdir()
        job.frame.drop("owner", "y").write_csv(folder / name / "firms.csv")
        (folder / name / "plan.toml").write_text(job.plan())
    plans = [str(folder / name / "plan.toml") for name in jobs]
    done = subprocess.run([sys.executable, "-c", RUN, *plans], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(code in (0, 1) for code, _ in answers), done.stderr
    return {
        name: (job, json.loads(text), folder / name / "out" / "public")
        for (name, job), (_, text) in zip(jobs.items(), answers, strict=True)
    }


def test_most_jobs_are_published(results):
    states = [told["state"] for _, told, _ in results.values()]
    assert sum(state in ("met", "not_covered") for state in states) >= len(states) / 2, states


@pytest.mark.parametrize("name", JOBS)
def test_no_unsafe_cell_is_computed_from_the_published_figures(results, name):
    job, told, public = results[name]
    if told["state"] == "not_met":
        assert not public.exists()
        return
    published = read_public(job, public)
    unsafe = levels(job.shares(), job.counts)
    assert unsafe and all(published[cell] is None for cell in unsafe), "an unsafe cell is shown"
    assert narrowed(job, published, intruder="outsider") == ([], [])
    assert narrowed(job, published, intruder="sole")[0] == []
    if told["state"] == "met":
        assert narrowed(job, published, intruder="sole") == ([], [])
        assert narrowed(job, published, intruder="own parts") == ([], []), "amber, or nobody narrows a cell of others"


@pytest.mark.parametrize("name", JOBS)
def test_no_public_page_holds_a_hidden_figure_or_a_parameter_of_the_rules(results, name):
    job, told, public = results[name]
    if told["state"] == "not_met" or job.counts:
        return
    shares, published = job.shares(), read_public(job, public)
    secret = {cell: sum(shares[cell].values()) for cell, figure in published.items() if figure is None}
    for file in public.rglob("*.*"):
        numbers = set(re.findall(r"\d+", re.sub(r"(?<=\d)[,\s\u2009\u202f\u00a0](?=\d{3})", "", file.read_text())))
        assert not numbers & {str(figure) for figure in [*secret.values(), sum(secret.values())]}
        assert not re.search(rf"\b({LEVEL}|{P})\b", file.read_text())


@pytest.mark.parametrize("shape", SHAPES)
def test_power_cells_that_are_hidden_alone_are_computed(shape):
    """Whoever leaves out the unsafe cells and no others is found out by respondents."""
    waiting = {"sole": 0, "own parts": 1}
    for seed in range(1, 7):
        job = Job(seed, shape)
        shares = job.shares()
        unsafe = levels(shares, job.counts)
        alone = {cell: None if cell in unsafe else sum(parts.values()) for cell, parts in shares.items()}
        for intruder, counted in list(waiting.items()):
            if narrowed(job, alone, intruder=intruder)[counted]:
                del waiting[intruder]
        if not waiting:
            return
    raise AssertionError(f"no table of six was broken by {waiting}")


def test_power_an_outsider_computes_a_cell_that_is_hidden_alone():
    job = Job(1, "sums")
    shares = job.shares()
    cell = next(iter(cell for cell in levels(shares, job.counts) if "Total" not in cell[:2]))
    alone = {one: None if one == cell else sum(parts.values()) for one, parts in shares.items()}
    assert narrowed(job, alone, intruder="outsider")[0] == [("", cell)]
