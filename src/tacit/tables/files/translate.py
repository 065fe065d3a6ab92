"""From a τ-ARGUS batch to a plan: what it asks for in our words, with remarks on what has no counterpart."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...errors import TacitError
from ...toml_text import to_inline_toml, toml_key, toml_string
from ..build.additivity import allowed_residuals
from ..problem import Problem, Status
from ..table import COUNT
from .arb import Batch, Protection, Rule, TableSpec, read_arb
from .hst import Prior, read_hst
from .imported_table import ImportedTable
from .layout import Layout
from .ptable import read_ptable
from .rda import Metadata, Variable, read_rda
from .tab import file_beside, read_tab

METHODS = {"OPT": "exact", "MOD": "auto", "GH": "hypercube", "NET": "flow"}

COSTS = {"-1": "count", "-2": "unit"}

MARKS = {"s": "safe", "u": "unsafe", "p": "published", "m": "hidden", "ml": "hidden"}

FOR_HOLDINGS = {"P": 2, "NK": 2, "FREQ": 1, "REQ": 1}
"""From this place on, rules of a kind are about holdings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedBatch:
    """A batch with the metadata of its tables, the text of the plan, and the name that each data file gets."""

    batch: Batch
    metadata: tuple[Metadata, ...]
    plan: str
    data: tuple[str, ...]


def plan_of(batch: str | os.PathLike[str], *, encoding: str = "utf-8") -> str:
    """The plan that does what a batch file asks for, as TOML with comments on what is different.

    The .rda files that the batch names are read; a priori files and the statuses of table data become ``[[mark]]``
    entries when they are there. τ-ARGUS data have no header and plans need one: the plan names the file that
    :func:`.from_tau_argus.from_tau_argus` writes.
    """
    return translate_batch(batch, encoding=encoding).plan


def translate_batch(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> TranslatedBatch:
    """A batch file, the metadata it names, and its plan."""
    batch = read_arb(path, encoding=encoding)
    if not batch.tables:
        raise TacitError(
            "the batch specifies no table", code="invalid_table", where=str(batch.path), fix="add a line <SPECIFYTABLE>"
        )
    metadata = tuple(_read_metadata(batch, one, encoding) for one in batch.tables)
    data = tuple(Path(one.data.replace("\\", "/")).stem + ".csv" for one in batch.tables)
    writer = _Writer(batch, metadata, data, encoding)
    return TranslatedBatch(batch=batch, metadata=metadata, plan=writer.plan_text(), data=data)


def _read_metadata(batch: Batch, table: TableSpec, encoding: str) -> Metadata:
    name = table.metadata or str(Path(table.data.replace("\\", "/")).with_suffix(".rda"))
    return read_rda(file_beside(name, batch.path.parent), encoding=encoding)


@dataclass
class _Writer:
    batch: Batch
    metadata: tuple[Metadata, ...]
    data: tuple[str, ...]
    encoding: str

    def plan_text(self) -> str:
        first, about = self.batch.tables[0], self.metadata[0]
        rules = translate_rules(first.rules)
        lines = [f"title = {toml_string('from ' + self.batch.path.name)}", ""]
        lines += ["[data]", f"path = {toml_string(self.data[0])}  # {first.data} with a header", 'noun = "table"', ""]
        lines += self._table_lines(first, about, rules)
        lines += self._hierarchy_lines()
        lines += rules.toml_lines()
        lines += self._mark_lines(rules)
        lines += self._protect_lines(first)
        lines += ["[output]", 'directory = "out"']
        lines += self._output_lines()
        return "\n".join(lines) + "\n"

    def _table_lines(self, table: TableSpec, about: Metadata, rules: PlanRules) -> list[str]:
        lines = ["[table]", f'holds = "{table.holds}"']
        if len(self.batch.tables) == 1:
            lines.append(f"by = {to_inline_toml(about.all_known(table.by))}")
        if table.holds == "records":
            if table.response:
                lines.append(f"response = {toml_string(about.canonical_name(table.response))}")
            lines += self._respondent_lines(about, rules)
        else:
            value = table.response or about.first_name("frequency") or "value"
            lines.append(f"value = {toml_string(about.canonical_name(value))}")
            lines += [
                f"contributors = {toml_string(name)}"
                for name in [about.first_name("frequency")]
                if name and name != value
            ]
            tops = [one.name for one in about.variables_of("top")]
            lines += [f"top = {to_inline_toml(tops)}"] if tops else []
        totals = dict.fromkeys(one.total for one in self._dimension_variables())
        lines.append(f"total = {toml_string(next(iter(totals)))}")
        if len(totals) > 1:
            lines.append("# the dimensions have different total codes: from_tau_argus() writes the first one for all")
        if rules.zeros is not None:
            lines.append(f"zeros = {rules.zeros:g}")
        cost = table.cost
        if cost and cost not in ("-1", "-2", "-3") and cost != table.response:
            lines.append(f"more = {to_inline_toml([about.canonical_name(cost)])}")
        lines += self._tolerance_lines(table, about)
        if self.batch.add_totals:
            lines.append("# <READTABLE> 1 lets τ-ARGUS compute the totals; here the file must have them")
        if len(self.batch.tables) > 1:
            lines += self._linked_lines()
        return [*lines, ""]

    def _respondent_lines(self, about: Metadata, rules: PlanRules) -> list[str]:
        """Weights and holdings, where the rules use them; cell keys are of plain records."""
        named = {
            "weight": rules.weighted and about.first_name("weight"),
            "holding": rules.holding and about.first_name("holding"),
        }
        if self.batch.protections and self.batch.protections[0].method == "CKM":
            return [f"# cell keys count records, without the {word} {name}" for word, name in named.items() if name]
        return [f"{word} = {toml_string(name)}" for word, name in named.items() if name]

    def _linked_lines(self) -> list[str]:
        lines = []
        several = len({one.response for one in self.batch.tables}) > 1
        if several and self.batch.tables[0].holds == "cells":
            lines.append("# the tables have different responses: make a plan for each response")
        if len({one.rules for one in self.batch.tables}) > 1:
            lines.append("# the tables have different rules: those of the first hold for all")
        for number, (table, about) in enumerate(zip(self.batch.tables, self.metadata, strict=True), start=1):
            lines += [
                "",
                "[[table.linked]]",
                f'name = "table{number}"',
                f"by = {to_inline_toml(about.all_known(table.by))}",
            ]
            if table.holds == "cells":
                lines.append(f"path = {toml_string(self.data[number - 1])}")
            elif several:
                lines.append(
                    f"response = {toml_string(about.canonical_name(table.response) if table.response else COUNT)}"
                )
        return lines

    def _dimension_variables(self) -> list[Variable]:
        found: dict[str, Variable] = {}
        for table, about in zip(self.batch.tables, self.metadata, strict=True):
            for name in table.by:
                variable = about.find_variable(name)
                if variable is None:
                    where = str(self.batch.path)
                    fix = f"the metadata have {', '.join(one.name for one in about.variables)}"
                    raise TacitError(
                        "is a dimension that the metadata lack",
                        code="unknown_column",
                        column=name,
                        where=where,
                        fix=fix,
                    )
                found.setdefault(variable.name, variable)
        return list(found.values())

    def _hierarchy_lines(self) -> list[str]:
        lines = []
        for one in self._dimension_variables():
            if one.hierarchy:
                lines.append(f"{toml_key(one.name)} = {{ hrc = {toml_string(_file_name(one.hierarchy))} }}")
            elif one.levels and self.batch.tables[0].holds == "records":
                ends = [sum(one.levels[:count]) for count in range(len(one.levels) - 1, 0, -1)]
                lines.append(
                    f"{toml_key(one.name)} = {{ prefix = {ends} }}  # <HIERLEVELS> {' '.join(map(str, one.levels))}"
                )
            elif one.levels:
                lines.append(
                    f"{toml_key(one.name)} = {{ hrc = {toml_string(one.name + '.hrc')} }}  # written by from_tau_argus()"
                )
        return ["[hierarchies]", *lines, ""] if lines else []

    def _mark_lines(self, rules: PlanRules) -> list[str]:
        lines: list[str] = []
        for marks in self.batch.marks:
            table, about = self.batch.tables[marks.table - 1], self.metadata[marks.table - 1]
            try:
                file = file_beside(marks.path, self.batch.path.parent)
                priors = read_hst(file, dimensions=len(table.by), separator=marks.separator, encoding=self.encoding)
            except TacitError as problem:
                lines += [f"# the a priori file {marks.path} could not be read: {problem.what}", ""]
                continue
            lines += marks_from_priors(priors, about.all_known(table.by), rules.margin)
        if not any(one.rules for one in self.batch.tables) or all(
            one.name == "MAN" for one in self.batch.tables[0].rules
        ):
            lines += self._status_lines(rules)
        return lines

    def _status_lines(self, rules: PlanRules) -> list[str]:
        """Cells of table data whose status says what no rule does."""
        table, about = self.batch.tables[0], self.metadata[0]
        if table.holds != "cells" or about.first_name("status") is None:
            return []
        try:
            given = self._read_cells(table, about, margin=rules.margin)
        except TacitError as problem:
            return [f"# the statuses in {table.data} could not be read: {problem.what}", ""]
        return ["# the rules of the batch are the statuses of its table data", "", *marks_from_statuses(given.problem)]

    def _read_cells(self, table: TableSpec, about: Metadata, margin: float | None = None) -> ImportedTable:
        layout = Layout(encoding=self.encoding, tolerance=float("inf"), margin=margin)
        file = file_beside(table.data, self.batch.path.parent)
        return read_tab(file, metadata=about, by=table.by, value=table.response, layout=layout)

    def _tolerance_lines(self, table: TableSpec, about: Metadata) -> list[str]:
        """A remark when the sums of ready-made cells are off by more than their digits explain."""
        if table.holds != "cells":
            return []
        try:
            found = self._read_cells(table, about).problem.table
        except TacitError:
            return []  # The remark on the data themselves, or the run of the plan, says why.
        off = np.abs(found.equations.residuals(found.values))
        over = off[off > allowed_residuals(found, None)]
        said = "sums are off by up to that much: correct the figures, or allow it"
        return (
            [f"# tolerance = {math.ceil(float(over.max()) * 100) / 100:g}  # {len(over)} {said}"] if len(over) else []
        )

    def _protect_lines(self, table: TableSpec) -> list[str]:
        if not self.batch.protections:
            return ["# the batch protects nothing: this is the usual way", "[protect]", 'method = "suppress"', ""]
        chosen = self.batch.protections[0]
        lines = []
        if len({(one.method, one.numbers) for one in self.batch.protections}) > 1:
            lines.append("# the tables are protected in different ways: that of the first holds for all")
        if len(self.batch.tables) > 1 and all(one.table for one in self.batch.protections):
            lines.append("# τ-ARGUS protects each table alone; here they are protected together, as table 0 would be")
        lines += [
            "[protect]",
            *(self._cell_key_lines(chosen, table) if chosen.method == "CKM" else _method_lines(chosen)),
        ]
        if chosen.method in METHODS:
            lines += _cost_lines(table)
        return [*lines, ""]

    def _cell_key_lines(self, chosen: Protection, table: TableSpec) -> list[str]:
        """The cell-key method, with the noise of the p-table that the batch or the metadata name."""
        said = {word: texts[0] for one in self.metadata[0].variables for word, texts in one.other if texts}
        named = chosen.files[0] if chosen.files else said.get("<PFILE>" if table.response is None else "<PFILE_CONT>")
        lines = ['method = "cell_key"']
        if table.response is not None:
            lines.append("# noise for sums has no counterpart: cell keys are for counts")
        try:
            noise = read_ptable(file_beside(named or "", self.batch.path.parent))
        except (TacitError, OSError):
            return [*lines, "# the p-table could not be read: give largest and variance of its noise"]
        return [
            *lines,
            f"largest = {noise.largest}  # as in {_file_name(named or '')}",
            f"variance = {round(float(noise.variances()[-1]), 6)!r}",
            f"forbidden = {noise.forbidden}",
        ]

    def _output_lines(self) -> list[str]:
        forms = {1: "a pivot table", 2: "long form", 3: "long form", 4: 'write_internal(form="sbs")',
                 5: 'write_internal(form="tab")', 6: 'write_internal(form="jj")'}  # fmt: skip
        return [f"# {one.path}: {forms.get(one.form, 'no counterpart')}" for one in self.batch.outputs] + [
            f"# <{one.word}> {one.rest}: no counterpart in a plan"
            for one in self.batch.commands
            if one.word == "RECODE"
        ]


def _method_lines(chosen: Protection) -> list[str]:
    numbers = chosen.numbers
    if chosen.method == "RND":
        base = int(numbers[0]) if numbers else 5
        return ['method = "round_controlled"', f"base = {base}"]
    if chosen.method == "CTA":
        return ['method = "adjust"']
    lines = ['method = "suppress"', f'search = "{METHODS[chosen.method]}"']
    if chosen.method in ("OPT", "MOD") and numbers:
        unit = "minutes" if chosen.method == "OPT" else "minutes per subtable"
        lines.append(f"# τ-ARGUS stops after {numbers[0]:g} {unit}; here nodes are counted, so that two runs agree")
    if chosen.method == "MOD":
        lines.append("# subtables are not protected one by one: the whole table is one system of equations")
    if chosen.method in ("GH", "MOD") and len(numbers) > 1:
        lines.append("# the singleton options are always on: see insiders under [intruder]")
    return lines


def _cost_lines(table: TableSpec) -> list[str]:
    if table.cost in COSTS:
        return [f'cost = "{COSTS[table.cost]}"']
    if table.cost == "-3":
        return ['cost = "value"  # costs by distance have no counterpart']
    if table.cost and table.cost != table.response:
        return [f"cost = {to_inline_toml(table.cost)}"]
    power = (
        [f"# costs are raised to the power {table.power:g}: give cost = {table.power:g}"]
        if table.power not in (None, 1.0)
        else []
    )
    return [*power, 'cost = "value"']


def _file_name(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def marks_from_priors(priors: Iterable[Prior], names: Sequence[str], margin: float | None) -> list[str]:
    """One mark per cell: a later line about the same cell adds to it."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for prior in priors:
        said = found.setdefault(tuple(code.strip() for code in prior.codes), {})
        if prior.word in MARKS:
            said["as"] = f'"{MARKS[prior.word]}"'
            if prior.word == "u" and margin is not None and "lower" not in said:
                said["level"] = f"{margin:g}"
        elif prior.word in ("c", "w"):
            said["cost"] = repr(prior.numbers[0])
        else:
            pair = ("lower", "upper") if prior.word == "pl" else ("low", "high")
            said |= {name: repr(number) for name, number in zip(pair, prior.numbers, strict=True)}
            if prior.word == "pl":
                said.pop("level", None)
    lines = []
    for codes, said in found.items():
        named = [f"{toml_key(name)} = {toml_string(code)}" for name, code in zip(names, codes, strict=True) if code]
        lines += ["[[mark]]", *named, *(f"{name} = {text}" for name, text in said.items()), ""]
    return lines


def marks_from_statuses(problem: Problem) -> list[str]:
    """One mark for each cell whose status no rule gives: unsafe with its levels, or to be published."""
    lines: list[str] = []
    words = {Status.UNSAFE: "unsafe", Status.PUBLISHED: "published"}
    for cell, codes in enumerate(problem.table.labels.iter_rows()):
        word = words.get(Status(int(problem.status[cell])))
        if word is None:
            continue
        named = zip(problem.table.labels.columns, codes, strict=True)
        lines += [
            "[[mark]]",
            *(f"{toml_key(name)} = {toml_string(code.strip())}" for name, code in named),
            f'as = "{word}"',
        ]
        if word == "unsafe":
            lines += [f"lower = {float(problem.lower[cell])!r}", f"upper = {float(problem.upper[cell])!r}"]
        lines.append("")
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRules:
    """Rules as sections of a plan, and what rules say beside: margin for marks, zeros, weights, holdings, remarks."""

    sections: tuple[tuple[tuple[str, str], ...], ...] = ()
    margin: float | None = None
    zeros: float | None = None
    weighted: bool = False
    holding: bool = False
    remarks: tuple[str, ...] = field(default=())

    def toml_lines(self) -> list[str]:
        """As lines of TOML."""
        lines = [f"# {remark}" for remark in self.remarks]
        for section in self.sections:
            lines += ["[[rule]]", *(f"{name} = {value}" for name, value in section), ""]
        return lines


def translate_rules(rules: Sequence[Rule]) -> PlanRules:
    """Translate: P → p_percent or pq, NK → dominance, FREQ → minimum_frequency, ZERO → zeros, MAN → level of marks.

    A rule whose first number is 0 (NK(0,0), P(0,100,0)) is one that is switched off. REQ names no respondents, so it has
    no counterpart without them; MIS and WGT(0) are remarks.
    """
    seen: dict[str, int] = {}
    sections: list[tuple[tuple[str, str], ...]] = []
    remarks: list[str] = []
    facts: dict[str, float] = {}
    holding = False
    for rule in rules:
        place = seen[rule.name] = seen.get(rule.name, -1) + 1
        first = rule.numbers[0]
        if rule.name in FOR_HOLDINGS:
            if not first or (rule.name == "NK" and not rule.numbers[1]):
                continue
            if place >= FOR_HOLDINGS[rule.name]:
                holding = True
                remarks.append(
                    f"{_format_rule(rule)} is about holdings; here a plan judges either respondents or holdings"
                )
        if rule.name == "REQ":
            remarks.append(f"{_format_rule(rule)}: give the rule request with the respondents who asked")
        elif rule.name == "MIS":
            remarks += (
                [f"{_format_rule(rule)}: mark the cells of missing codes as safe, they are judged like others"]
                if first
                else []
            )
        elif rule.name in ("MAN", "ZERO", "WGT"):
            facts[rule.name] = first
        else:
            sections.append(_rule_section(rule))
    return PlanRules(
        sections=tuple(dict.fromkeys(sections)),
        margin=facts.get("MAN"),
        zeros=facts.get("ZERO"),
        weighted=bool(facts.get("WGT")),
        holding=holding,
        remarks=tuple(remarks),
    )


def _rule_section(rule: Rule) -> tuple[tuple[str, str], ...]:
    numbers = rule.numbers
    if rule.name == "NK":
        return ("method", '"dominance"'), ("n", f"{numbers[0]:g}"), ("k", f"{numbers[1]:g}")
    if rule.name == "FREQ":
        level = (("level", f"{numbers[1]:g}"),) if numbers[1] else ()
        return ("method", '"minimum_frequency"'), ("n", f"{numbers[0]:g}"), *level
    p, q, n = numbers[0], 100.0, 1.0
    if len(numbers) == 2:
        n = numbers[1]
    elif len(numbers) == 3:
        q, n = numbers[1:]
    more = (("n", f"{n:g}"),) if n > 1 else ()
    if q == 100:
        return ("method", '"p_percent"'), ("p", f"{p:g}"), *more
    return ("method", '"pq"'), ("p", f"{p:g}"), ("q", f"{q:g}"), *more


def _format_rule(rule: Rule) -> str:
    return f"{rule.name}({', '.join(f'{number:g}' for number in rule.numbers)})"
