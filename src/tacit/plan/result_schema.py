"""The shape of ``result.json``: one for every kind of job. ``docs/result.schema.json`` is generated from it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

JobKind: TypeAlias = Literal["microdata", "synthesis", "table", "graph", "rules"]
Number: TypeAlias = int | float | Literal["inf", "-inf"]
"""A number; infinity, which JSON has no form for, as text."""
FileKind: TypeAlias = Literal["original", "release"]

VERSION: Literal[1] = 1
"""The version of the shape; it changes when a key changes its meaning or goes."""


class _Part(BaseModel):
    """A part of the document; further keys may come without a new version."""

    model_config = ConfigDict(extra="allow")


class Histogram(_Part):
    """How many records lie between the edges."""

    edges: list[Number]
    counts: list[int]


class MeasuredValue(_Part):
    """A measure of disclosure risk or of information loss."""

    id: str = Field(description="the measure, for programs")
    name: str
    column: str | None = Field(description="the column that was measured; null: the whole file")
    value: Number
    interval: list[Number] | None = Field(description="both ends of the 95 % interval")
    worse: Literal["high", "low"] = Field(description="which direction is worse")
    about: str
    kind: str
    facts: dict[str, JsonValue]
    histogram: Histogram | None = Field(default=None, description="values per record, counted")


class Measure(MeasuredValue):
    """A measure of one of the two files."""

    of: FileKind


class Remark(_Part):
    """A note, known by its code; the fields are the names and numbers that the text shows."""

    code: str
    text: str
    fields: dict[str, JsonValue]


class Requirement(_Part):
    """A requirement and whether the release meets it."""

    id: str = Field(description="the model or measure, for programs")
    model: str
    column: str | None
    holds: bool
    required: Number
    found: Number
    margin: Number = Field(description="how much better than required; negative: how much is lacking")
    failing_classes: int
    failing_records: int
    notes: list[Remark]
    by: str | None = Field(description="the attack that decided")


class UncoveredRisk(_Part):
    """Something that discloses and that no requirement covers."""

    code: str
    columns: list[str]
    share: Number | None
    facts: dict[str, JsonValue]
    text: str
    remedy: str


class Intruder(_Part):
    """An intruder whom the verdict is about."""

    code: str
    knows: list[str]
    attacks: list[str]


class AttackEntry(_Part):
    """An attack on one of the two files, and what it found."""

    on: FileKind
    intruder: str = Field(description="who attacks: the declared intruder, or the code of a stronger one")
    name: str
    about: str = Field(description="what is attacked: identity, attribute, membership …")
    result: MeasuredValue | None = Field(description="null: the attack was not run")
    not_run: str | None = Field(description="why the attack was not run")
    gain: MeasuredValue | None = Field(default=None, description="what is learnt above what others' records tell")
    worst: MeasuredValue | None = Field(default=None, description="the people who are found most surely")


class Step(_Part):
    """A step of the protection."""

    method: str
    parameters: dict[str, JsonValue]
    outcome: dict[str, JsonValue]


class Attempts(_Part):
    """Attempts on the same data for the same requirements that went before."""

    total: int
    not_met: int
    interrupted: int
    same_steps_not_met: int
    text: str


class JobResult(BaseModel):
    """All numbers of a job, for programs; nothing about single records, and no seed."""

    model_config = ConfigDict(title="result.json", extra="allow")

    version: Literal[1]
    kind: JobKind
    title: str
    state: Literal["met", "not_covered", "not_met"]
    holds: bool = Field(description="whether every requirement is met")
    strict: bool = Field(description="whether nothing is published while a gap is open")
    repeatable: bool = Field(description="whether the seed was given: then the release is not for publication")
    seconds: Number
    requirements: list[Requirement]
    gaps: list[UncoveredRisk]
    intruders: list[Intruder]
    attempts: Attempts | None
    attacks: list[AttackEntry]
    measures: list[Measure]
    losses: list[MeasuredValue]
    notes: list[str]
    trace: list[Step]
    files: list[str] = Field(default=[], description="the files of the job, below its folder")
    details: dict[str, JsonValue] = Field(description="what only this kind of job has")
