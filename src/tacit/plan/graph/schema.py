"""The sections of a plan about a network."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from ..schema import Output, Section, Study, WholePlan


class GraphData(Section):
    """What the plan is about."""

    noun: Literal["graph"] = Field(default="graph", description="What the plan is about.")
    missing: Literal["own", "any"] | None = Field(
        default=None,
        description="What a missing quasi-identifier means: a category of its own, or anything. Asked for when needed.",
    )
    separator: str | None = Field(default=None, description="Of CSV files; found from the header when absent.")
    encoding: str = Field(default="utf-8", description="Of CSV files.")


class GraphOf(Section):
    """Where the network is and how it is read."""

    edges: str = Field(
        description="The file of edges, relative to the plan: csv, tsv, parquet, arrow, xlsx …, or graphml, which holds the nodes too."
    )
    nodes: str | None = Field(
        default=None,
        description="The file of nodes, one row each, with their attributes; nodes without an edge are kept.",
    )
    label: str | None = Field(
        default=None, description="The column of the node file that holds the labels; the first when absent."
    )
    ends: list[str] | None = Field(
        default=None, description="The two columns of an edge list that hold its ends; source and target when absent."
    )
    directed: bool | None = Field(
        default=None, description="Whether an edge leads one way; as the file says, and an edge list not, when absent."
    )
    weight: str | None = Field(
        default=None, description="Refused: weights of edges are not released, because no attack judges what they tell."
    )


class GraphRoles(Section):
    """Which attribute of a node plays which part; one in no list is undecided, and no verdict over it is complete. Labels are never released."""

    identifier: list[str] = Field(default=[], description="Attributes that name a person: dropped.")
    quasi: list[str] = Field(default=[], description="Attributes that an intruder may know.")
    confidential: list[str] = Field(default=[], description="Attributes that nobody should learn about a person.")
    unrestricted: list[str] = Field(
        default=[],
        description="Attributes that somebody decided to release as they are; those in no list are undecided.",
    )


class GraphIntruder(Section):
    """What the intruder has; when absent the worst case: the whole original network and all quasi-identifiers."""

    structure: Literal["nothing", "degree", "neighbours", "network"] = Field(
        default="network",
        description="What it knows of links: nothing; how many somebody has; also how many each neighbour has; or the whole "
        "original network.",
    )
    knows: list[str] | None = Field(
        default=None, description="Attributes that the intruder knows; all quasi-identifiers when absent."
    )
    wrong: float = Field(default=0.0, description="The share of the edges of its picture that are wrong.")
    seeds: float | dict[str, int] | list[str | int] = Field(
        default=0.0,
        description="Known links, people whom it has identified by other means: a share of the people; how many, "
        "{ hubs = 6 } (those with most links) or { random = 6 }; or their labels. What is random is drawn several times, "
        "and the worst counts.",
    )


class GraphOutput(Output):
    """Where the network goes, and in what form."""

    file: str | None = Field(
        default=None,
        description="Name of the released file of edges: .csv, .tsv, .parquet, .arrow, or .graphml; that of the input when absent.",
    )
    nodes: str | None = Field(
        default=None, description="Name of the released file of nodes; nodes with the suffix of the edges when absent."
    )


class GraphPlan(WholePlan):
    """A job on a network: data, roles, what is required, what is done, who attacks."""

    NOUN: ClassVar[str] = "graph"

    title: str | None = Field(default=None, description="What the report is called.")
    data: GraphData = GraphData()
    graph: GraphOf
    roles: GraphRoles = GraphRoles()
    kinds: dict[str, str] = Field(
        default={}, description="Attribute of a node → continuous, ordinal, nominal, date, code, geographic."
    )
    hierarchies: dict[str, Any] = Field(
        default={},
        description="Attribute of a node → {prefix|intervals|dates|ip|file|table|groups|cuts|frequency|priority|quantiles|clusters = …}.",
    )
    require: dict[str, Any] = Field(
        description="The gate: reidentification, or a measure of the network → threshold or table of threshold and options. Not empty."
    )
    protect: list[dict[str, Any]] = Field(default=[], description="Steps: a method's name and its parameters.")
    intruder: GraphIntruder = GraphIntruder()
    attack: list[dict[str, Any]] = Field(
        default=[],
        description="Parameters of attacks: method, and those that it takes. Every attack that applies is made.",
    )
    study: Study = Study()
    output: GraphOutput = GraphOutput()
