"""What goes in and out over HTTP, as OpenAPI documents it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class QuestionModel(_Model):
    """A question, and what may be spent on it."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {"sql": "SELECT sex, COUNT(*) AS n FROM patients WHERE age >= 65 GROUP BY sex", "spend": "0.1"},
                {"sql": "SELECT AVG(income) FROM patients", "spend": 0.05, "project": "infections"},
            ]
        },
    )

    sql: str = Field(description="One SELECT of aggregates over a data set.")
    spend: str | int | Decimal | None = Field(
        default=None, description="ε or ρ to spend, exactly as typed; only where the data set spends."
    )
    project: str | None = Field(
        default=None, description="The project in which it is asked; needed when there are several."
    )


class CostModel(_Model):
    """An exact amount: texts of fractions."""

    unit: str = Field(description="epsilon or rho", examples=["epsilon"])
    amount: str = Field(examples=["1/10"])
    delta: str = Field(examples=["0"])


class RefusalModel(_Model):
    """Why there is no answer; never depends on the data."""

    code: str = Field(examples=["budget"])
    sentence: str = Field(examples=["this account has ε = 0.02 left on 'patients', and this costs ε = 0.1"])
    hint: str = Field(examples=["spend less on it, or ask the owner"])


class CapModel(_Model):
    """The most that may be spent on a data set by all, a project or an account."""

    scope: str = Field(description="dataset, project or account")
    name: str
    limit: CostModel
    spent: CostModel
    left: CostModel
    text: str = Field(examples=["ε = 0.7 of ε = 1 left"])


class _TableModel(_Model):
    dataset: str
    version: str
    mode: str = Field(description="dp, exact, interval or input")
    columns: list[str] = Field(description="Names, in the order of the question.")
    kinds: list[str] = Field(description="For each column: key or figure.")
    cost: CostModel
    cost_text: str
    repeated: bool = Field(description="Whether it was answered before, and so is free.")
    notes: list[str]


class ReplyModel(_TableModel):
    """An answer."""

    rows: list[list[Any]] = Field(description="A figure is a number, null, or [low, high].")
    accuracy: list[list[float | None]] = Field(
        description="For each value of each row the half-width of a 95 % interval; null: a key, or not known."
    )
    charged: CostModel = Field(description="What was taken from the budgets for this request.")
    dummy: bool = Field(description="Whether the figures come from made-up data.")
    number: int = Field(description="The line of the charge in the ledger; 0 for dummy data.")
    time: str


class PreviewModel(_TableModel):
    """What a question would cost; nothing was spent."""

    accuracy: list[float | None] = Field(
        description="For each column the half-width of a 95 % interval; null: a key, or not known beforehand."
    )
    refusal: RefusalModel | None = Field(description="Why it would be refused now; null when it would be answered.")
    caps: list[CapModel]


class AccountModel(_Model):
    """Whose key it is."""

    account: str
    role: str = Field(description="owner, analyst or auditor")
    projects: list[str]


class DatasetModel(_Model):
    """What the owner declares of a data set."""

    name: str
    version: str
    mode: str
    unit: str | None
    rows_per_unit: int | None
    spends: str | None = Field(description="epsilon, rho, or null where nothing is spent")
    columns: list[dict[str, Any]] = Field(description="name, kind, confidential; values, or low, high and step.")
    joins: list[dict[str, str]]
    rules: dict[str, Any] = Field(description="Parameters of the mode: neighbours, threshold_delta, least, bands, …")


class DatasetsModel(_Model):
    """The data sets that the account may see."""

    datasets: list[DatasetModel]


class BudgetModel(_Model):
    """The caps on one data set."""

    dataset: str
    mode: str
    spends: str | None
    caps: list[CapModel]


class BudgetsModel(AccountModel):
    """All caps that concern the account."""

    budgets: list[BudgetModel]


class EntryModel(_Model):
    """A line of the ledger."""

    number: int
    time: str
    kind: str = Field(description="charge, answer, failure, refusal, repeat or reopening")
    account: str
    project: str
    dataset: str
    version: str
    mode: str
    digest: str
    question: dict[str, Any] | None
    cost: CostModel
    totals: dict[str, CostModel] | None
    answer: dict[str, Any] | None = Field(
        description="keys and figures of an answer; code, sentence and hint otherwise"
    )
    charge: int = Field(description="The line of the charge that an answer or a failure belongs to, else 0.")
    previous: str
    hash: str


class HistoryModel(_Model):
    """Lines, newest first."""

    entries: list[EntryModel]


class VerifiedModel(_Model):
    """What a walk over the chain found."""

    holds: bool
    lines: int
    head: str
    broken: int | None = None
    problem: str | None = None
