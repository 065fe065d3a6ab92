"""The plan file: one release job, described so that anybody can repeat it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A section of the plan; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WholePlan(Section):
    """A whole plan file; ``NOUN`` is what such plans are about."""

    NOUN: ClassVar[str]


class Data(Section):
    """Where the records are and how the file is read."""

    path: str = Field(description="The file, relative to the plan; its suffix tells the format: csv, parquet, xlsx ….")
    noun: Literal["microdata"] = Field(default="microdata", description="What the file holds.")
    missing: Literal["own", "any"] | None = Field(
        default=None,
        description="What a missing quasi-identifier means: a category of its own, or anything. Asked for when needed.",
    )
    separator: str | None = Field(default=None, description="Of a CSV file; found from the header when absent.")
    encoding: str = Field(default="utf-8", description="Of a CSV file.")
    decimal: Literal[".", ","] = Field(default=".", description="Decimal sign of a CSV file.")
    thousands: Literal[",", ".", "'", " "] | None = Field(
        default=None, description="Sign between thousands in numbers of a CSV file; none when absent."
    )
    dates: str = Field(default="YYYY-MM-DD", description="How a CSV file writes days: DD.MM.YYYY, MM/DD/YYYY, …")
    missing_values: list[str] = Field(default=[], description="Texts that mean missing, beside the empty cell.")
    as_written: list[str] = Field(
        default=[], description="Columns of a CSV file that stay text, e.g. codes such as 10.20, which is not 10.2."
    )
    sheet: str | None = Field(default=None, description="Of an Excel file; the first one when absent.")
    population: str | None = Field(
        default=None,
        description="A file of the population that the data are a sample of: same columns, for k_map and the like.",
    )
    engine: Literal["auto", "polars", "duckdb"] = Field(default="auto", description="Where the data are held.")


class Identifier(Section):
    """An identifier column, dropped unless it gets a pseudonym."""

    column: str
    pseudonym: Literal["hmac"] | None = Field(default=None, description="hmac: a keyed hash takes its place.")


class Roles(Section):
    """Which column plays which part; a column in no list is undecided, and no verdict over it is complete."""

    identifier: list[str | Identifier] = Field(
        default=[], description="Columns that name a person: dropped or pseudonymised."
    )
    quasi: list[str] = Field(default=[], description="Columns that an intruder may know.")
    confidential: list[str] = Field(
        default=[],
        description="Columns that nobody should learn about a person. What can be seen in life (origin, religion, a "
        "disability) belongs under quasi, too.",
    )
    unrestricted: list[str] = Field(
        default=[], description="Columns that somebody decided to release as they are; those in no list are undecided."
    )
    weight: str | None = Field(default=None, description="Sampling weights.")
    household: str | None = Field(
        default=None, description="Household ids: left out of the release unless keep_household is true."
    )
    keep_household: bool = Field(
        default=False,
        description="Release a household number, drawn anew: then an intruder who knows who lives with whom counts.",
    )
    key_file: str | None = Field(
        default=None, description="File with the key for pseudonyms; else the variable TACIT_KEY."
    )


class Intruder(Section):
    """What the intruder has; when absent the worst case: all quasi-identifiers of all records, and the trace."""

    knows: list[str] | None = Field(default=None, description="Columns that the intruder knows.")
    told: Literal["nothing", "method", "trace"] = Field(
        default="trace", description="What was published about the masking."
    )
    control: str | None = Field(
        default=None,
        description="A file of people who are NOT in the data, with the known columns: what attacks believe of them is error.",
    )
    also: list[str] = Field(
        default=[],
        description="Other releases about the same people that the intruder has, for the attack composition.",
    )
    second: list[str] = Field(
        default=[],
        description="Columns of a second list of the intruder, for the attack bridge, which joins it with the known columns.",
    )


class Output(Section):
    """Where the result goes."""

    directory: str = Field(default="out", description="Folder for public/ and internal/, relative to the plan.")
    file: str | None = Field(default=None, description="Name of the released file; that of the input when absent.")


class Strategy(Section):
    """A way to protect the data that a study tries."""

    name: str = Field(description="What it is called on the map.")
    steps: list[dict[str, Any]] = Field(
        description="Steps as under [[protect]]; a parameter may be left open: { from = 2, to = 50 }, with "
        'scale = "log" by factors, or { any_of = [3, 5, 10] }.'
    )


class Study(Section):
    """What ``tacit explore`` tries, and by what it compares."""

    search: Literal["optimiser", "random", "grid"] = Field(
        default="optimiser", description="In which order candidates are tried."
    )
    candidates: int = Field(default=200, description="How many are tried at most.")
    budget: str | float | None = Field(
        default=None, description="How long it may take: 90s, 10m, 2h, or a number of seconds; no limit when absent."
    )
    risk: dict[str, Any] = Field(
        default={},
        description="Requirement on attacks, or risk measure, → weight, or a table of weight and options. When absent: what "
        "is required of attacks, else reidentification.",
    )
    loss: dict[str, Any] = Field(
        default={},
        description="Measure of loss → weight, or a table of weight and options. When absent: the usual ones.",
    )
    attacks: list[str] = Field(
        default=[], description="The attacks on every candidate; when absent those that take little time."
    )
    prefer: dict[str, float] = Field(
        default={"loss": 1.0},
        description="How much risk and loss count in the choice among those that meet the requirements; loss alone when absent.",
    )
    at_most: dict[str, float] = Field(default={}, description="The most risk and the most loss that is acceptable.")
    strategy: list[Strategy] = Field(
        default=[], description="What is tried; when absent the usual methods for the kinds of the columns."
    )


class Synth(Section):
    """How synthetic files are made and judged; a step of [[protect]] is the generator."""

    holdout: float | None = Field(
        default=None,
        description="The share of the people kept back from the generator, households as a whole: what attacks find of them is "
        "chance, and models are tested on them. Without it, or a control under [intruder], little can be judged.",
    )
    implicates: int = Field(
        default=1, description="How many files are made; all go out, and an intruder has all of them."
    )
    predict: list[str] = Field(
        default=[],
        description="Columns that models are to predict, taught by the synthetic file and tested on the people kept back; the "
        "confidential ones when absent.",
    )


class Plan(WholePlan):
    """A release job: data, roles, what is required, what is done, who attacks."""

    NOUN: ClassVar[str] = "microdata"

    title: str | None = Field(default=None, description="What the report is called.")
    data: Data
    roles: Roles
    kinds: dict[str, str] = Field(
        default={}, description="Column → continuous, ordinal, nominal, date, code, geographic."
    )
    hierarchies: dict[str, Any] = Field(
        default={},
        description="Column → {prefix|intervals|dates|ip|file|table|groups|cuts|frequency|priority|quantiles|clusters = …}.",
    )
    require: dict[str, Any] = Field(description="The gate: model → threshold or table of its parameters. Not empty.")
    protect: list[dict[str, Any]] = Field(default=[], description="Steps: a method's name and its parameters.")
    intruder: Intruder = Intruder()
    attack: list[dict[str, Any]] = Field(
        default=[],
        description="Parameters of attacks. Every attack on identities that applies is run; those on values and presence "
        "when they are named here or required.",
    )
    synth: Synth | None = Field(default=None, description="For synthetic files: who is kept back, how many are made.")
    study: Study = Study()
    output: Output = Output()


class DraftPlan(Plan):
    """A plan that somebody is still writing: roles and requirements may be to come."""

    roles: Roles = Roles()
    require: dict[str, Any] = Field(default={}, description="The gate, as far as it is chosen.")
