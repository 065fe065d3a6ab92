"""The sections of a plan about tables."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from ..schema import Output, Section, WholePlan


class TableData(Section):
    """Where the records or the ready-made cells are, and how the file is read."""

    path: str = Field(
        description="The file, relative to the plan; its suffix tells the format: csv, parquet, xlsx …; for ready-made tables also jj."
    )
    noun: Literal["table"] = Field(default="table", description="What the plan is about.")
    separator: str | None = Field(default=None, description="Of a CSV file; found from the header when absent.")
    encoding: str = Field(default="utf-8", description="Of a CSV file.")
    decimal: Literal[".", ","] = Field(default=".", description="Decimal sign of a CSV file.")
    thousands: Literal[",", ".", "'", " "] | None = Field(
        default=None, description="Sign between thousands in numbers of a CSV file; none when absent."
    )
    missing_values: list[str] = Field(default=[], description="Texts that mean missing, beside the empty cell.")
    as_written: list[str] = Field(
        default=[], description="Columns of a CSV file that stay text, e.g. codes such as 10.20, which is not 10.2."
    )
    sheet: str | None = Field(default=None, description="Of an Excel file; the first one when absent.")


class LinkedTable(Section):
    """One table of a linked set, protected together with the others as one system."""

    name: str = Field(description="What it is called; its file gets this name.")
    by: list[str] = Field(description="Its dimensions, from those of the data.")
    path: str | None = Field(default=None, description='Its own file of cells, with holds = "cells".')
    response: str | None = Field(
        default=None, description="The column that it sums, or counts; when absent that of [table]."
    )


class TableOf(Section):
    """Which tables are made, from records or from cells that are added up already."""

    holds: Literal["records", "cells"] = Field(
        default="records", description="What a row of the file is: a respondent, or a cell of a ready-made table."
    )
    by: list[str] = Field(default=[], description="The dimensions: columns of codes.")
    linked: list[LinkedTable] = Field(default=[], description="Several tables that share cells, instead of by.")
    response: str | None = Field(default=None, description="The column that is summed; counts when absent.")
    weight: str | None = Field(default=None, description="Sampling weights of the records.")
    holding: str | None = Field(
        default=None, description="The company group of a record: those of one group count as one respondent."
    )
    total: str | dict[str, str] = Field(
        default="Total", description="The code of all together, in every dimension or as { dimension = code }."
    )
    missing: str | None = Field(
        default=None, description="The code that records without a code get; when absent such records are an error."
    )
    unanswered: Literal["zero", "out"] | None = Field(
        default=None,
        description="Records without the figure that is summed: zero counts them as respondents with 0, out leaves them out; when absent they are an error.",
    )
    value: str | None = Field(default=None, description='With holds = "cells": the column of figures.')
    contributors: str | None = Field(default=None, description='With holds = "cells": how many respondents.')
    top: list[str] = Field(default=[], description='With holds = "cells": the largest contributions, largest first.')
    tolerance: float | None = Field(
        default=None, description='With holds = "cells": how far parts and total may differ by rounding.'
    )
    add_totals: bool = Field(
        default=False, description='With holds = "cells": work out sums that the file lacks, instead of an error.'
    )
    more: list[str] = Field(default=[], description="Further columns of numbers that are summed, as costs.")
    prior: str | None = Field(
        default=None,
        description="An a priori file (.hst) about single cells, e.g. the pattern of an earlier release; it has the last word.",
    )
    zeros: Literal["published", "candidates", "unsafe"] | float = Field(
        default="published",
        description="Cells without respondents: shown as zero, usable to hide others, or unsafe themselves (for sums: the "
        "amount by which they must be uncertain).",
    )


class TableOutput(Output):
    """Where the tables go, and in what form."""

    file: str | None = Field(
        default=None,
        description="Name of the published file: .csv, .tsv or .xlsx; that of the data as .csv when absent.",
    )
    form: Literal["long", "pivot"] = Field(
        default="long", description="A row for each cell, or the codes of the last dimension across."
    )
    also: list[Literal["hst", "tab", "jj", "sbs"]] = Field(
        default=[],
        description="Files for internal/ beside cells.csv: hst freezes this pattern for the next release, tab and jj are for "
        "other programs, sbs is for transmission in confidence.",
    )


class Mark(Section):
    """What is known of one cell beside the rules; its codes stand under the names of the dimensions, totals may be left out."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, populate_by_name=True)

    status: Literal["unsafe", "safe", "hidden", "published"] | None = Field(
        default=None,
        alias="as",
        description="unsafe: a primary suppression. safe: whatever the rules say. hidden: suppressed without levels, e.g. frozen "
        "from an earlier release. published: never suppressed. As the rules find it when absent.",
    )
    level: float | None = Field(default=None, description="Protection level in per cent of the figure, both ways.")
    lower: float | None = Field(default=None, description="Lower protection level, as an amount.")
    upper: float | None = Field(default=None, description="Upper protection level, as an amount.")
    sliding: float | None = Field(default=None, description="Sliding protection level, as an amount.")
    low: float | None = Field(default=None, description="The least that everybody knows the cell to be.")
    high: float | None = Field(default=None, description="The most that everybody knows the cell to be.")
    cost: float | None = Field(default=None, description="What it costs not to publish the cell.")


class TableIntruder(Section):
    """What outsiders and respondents know beside the publication."""

    within: float | None = Field(
        default=None,
        description="Everybody knows every cell to within so many per cent; when absent only that cells are not negative.",
    )
    insiders: bool = Field(
        default=True, description="Whether a sole respondent, who knows its own cell, must not learn others."
    )


class TablePlan(WholePlan):
    """A job on tables: data, tables, rules, protection."""

    NOUN: ClassVar[str] = "table"

    title: str | None = Field(default=None, description="What the report is called.")
    data: TableData
    table: TableOf = TableOf()
    hierarchies: dict[str, Any] = Field(
        default={},
        description="Dimension → how its codes add up: a list of columns, coarse to fine, or {hrc|nested|file|prefix|tree|above = …}; "
        "flat when absent.",
    )
    rule: list[dict[str, Any]] = Field(
        default=[], description="Which cells disclose: the name of a rule and its parameters."
    )
    mark: list[Mark] = Field(default=[], description="Cells that are judged by hand.")
    intruder: TableIntruder = TableIntruder()
    protect: dict[str, Any] = Field(
        default={"method": "suppress"},
        description="What is done: suppress, round_controlled, round_random, adjust or cell_key, and its parameters.",
    )
    output: TableOutput = TableOutput()
