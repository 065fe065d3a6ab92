"""The sections of SERVICE.toml and their keys, with what each means."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..account import Role

Number = int | Decimal
"""Numbers as they were typed: a decimal text is never a binary fraction here."""


class Section(BaseModel):
    """A part of the file; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TlsSection(Section):
    """The server's certificate and its private key, as PEM files."""

    certificate: str
    key: str


class ServiceSection(Section):
    """The server itself."""

    host: str = Field(default="127.0.0.1", description="The address to listen on; beyond loopback tls is required.")
    port: int = Field(default=8470, ge=1, le=65535, description="The port to listen on.")
    ledger: str = Field(description="The ledger: a file (SQLite), or postgresql://…")
    grid: Number = Field(
        ge=Decimal("0.01"),
        le=60,
        description="Seconds; every answer leaves on a multiple of it after its question came.",
    )
    time_limit: Number = Field(
        gt=0, le=3600, description="Seconds that the engine may take; then refused, and charged."
    )
    tls: TlsSection | None = Field(default=None, description="Certificate and key.")


class BudgetSection(Section):
    """An amount of ε or of ρ, and of δ."""

    epsilon: Number | str | None = Field(default=None, description='ε, e.g. 1, 0.5 or "1/3".')
    rho: Number | str | None = Field(default=None, description="ρ of zero-concentrated differential privacy.")
    delta: Number | str = Field(default=0, description="δ that may be spent beside it.")


class ColumnSection(Section):
    """What is declared of a column, and thereby public."""

    kind: Literal["category", "text", "integer", "number", "date", "boolean"]
    values: list[str | int] | None = Field(default=None, description="All values of a category.")
    low: Number | date | None = Field(
        default=None, description="Smaller values are raised to it: a number, or a day such as 2020-01-01."
    )
    high: Number | date | None = Field(default=None, description="Larger values are cut to it.")
    step: Number | None = Field(default=None, gt=0, description="The grid of a number: 0.01 for cents.")
    confidential: bool = Field(default=False, description="Whether nobody should learn it about a person.")


class JoinSection(Section):
    """A table that a column leads to, with one row for each key: a file, or a table of the same database."""

    path: str | None = None
    table: str | None = None
    key: str = Field(description="The column of this name, in both tables.")
    columns: dict[str, ColumnSection]


class BandSection(Section):
    """What must stay open of a value, to each side."""

    absolute: Number | str = Field(description="So much, in the unit of the column, whatever the value.")


class DatasetSection(Section):
    """A data set: where it is, what is public of it, how it answers, and what may be spent."""

    path: str | None = Field(default=None, description="A csv or parquet file, relative to the service file.")
    url: str | None = Field(default=None, description="postgresql://… in place of path.")
    table: str | None = Field(default=None, description="The table behind url.")
    version: str = Field(description="The owner's word for this state of the data.")
    mode: Literal["dp", "exact", "interval", "input"]
    unit: str | None = Field(default=None, description="The column that tells whose row it is.")
    rows_per_unit: int | None = Field(default=None, ge=1, description="At most so many rows of a unit count.")
    budget: BudgetSection | None = Field(default=None, description="The most that all may spend together.")
    columns: dict[str, ColumnSection]
    joins: dict[str, JoinSection] = Field(default={}, description="Declared joins by key.")
    neighbours: Literal["add_remove", "replace"] | None = Field(
        default=None, description="dp: a unit is added or removed, or replaced."
    )
    size: int | None = Field(default=None, ge=1, description="dp: the number of units, a public promise with replace.")
    threshold_delta: Number | str | None = Field(
        default=None, description="dp: δ that a question with undeclared group keys costs."
    )
    least: int | None = Field(default=None, ge=2, description="exact: the smallest set, and of the complement.")
    overlap: int | None = Field(default=None, ge=0, description="exact: units that two questions may have in common.")
    per_account: bool | None = Field(
        default=None, description="exact: audit every account alone; right only when accounts never compare answers."
    )
    earlier: dict[str, str] | None = Field(
        default=None,
        description="exact, interval: version → file or table of it, about which questions were answered before.",
    )
    identities: list[str] | None = Field(
        default=None, description='exact: sums that every row keeps, e.g. ["gross = net + tax"]; audited together.'
    )

    bands: dict[str, BandSection] | None = Field(
        default=None, description="interval: confidential column → what stays open of every value."
    )
    secret: str | None = Field(
        default=None, description="interval: file with the secret of the intervals; made once, kept for ever."
    )


class ProjectSection(Section):
    """People who ask together."""

    datasets: list[str] = Field(default=[], description="Data sets that it may ask without a cap of its own.")
    budget: dict[str, BudgetSection] = Field(default={}, description="Data set → the most that the project may spend.")


class AccountSection(Section):
    """Somebody with a key."""

    role: Role
    key: str = Field(description="sha256:… of the API key; tacit serve --new-key prints both.")
    projects: list[str] = Field(default=[], description="Projects in which the account asks.")
    datasets: list[str] = Field(default=[], description="Data sets that it may ask without a cap of its own.")
    budget: dict[str, BudgetSection] = Field(default={}, description="Data set → the most that the account may spend.")


class ServiceFile(Section):
    """The whole file."""

    service: ServiceSection
    dataset: dict[str, DatasetSection]
    project: dict[str, ProjectSection] = {}
    account: dict[str, AccountSection]
