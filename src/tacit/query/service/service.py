"""A service as its file declares it: data sets, projects, accounts, and where it listens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

from ...dp.cost import Cost
from ...errors import suggest_alternative
from ..account import Account
from ..column import Schema
from ..ledger.caps import Cap
from ..refusal import Refusal

ModeName = Literal["dp", "exact", "interval", "input"]


@dataclass(frozen=True, slots=True)
class TableLocation:
    """Where a table is: a file, or a table behind a PostgreSQL address (which may hold a password)."""

    path: Path | None = None
    url: str = field(default="", repr=False)
    table: str = ""

    def is_same_table(self, other: TableLocation) -> bool:
        """Whether both are one table: a file by its identity, whatever its names; ``public.`` is implied."""
        if self.path is not None and other.path is not None:
            there = self.path.exists() and other.path.exists()
            return self.path.samefile(other.path) if there else self.path.resolve() == other.path.resolve()
        mine, theirs = ((one.url, one.table.removeprefix("public.")) for one in (self, other))
        return self.path is other.path is None and mine == theirs


@dataclass(frozen=True, slots=True)
class Join:
    """Another table, and the column of both that leads to it."""

    place: TableLocation
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetConfig:
    """A data set: where it is, what is public of it, how it answers, what all may spend, and the mode's parameters.

    ``schema.version`` is the owner's word; the service adds a fingerprint of the data and of the declaration.
    """

    schema: Schema
    place: TableLocation
    mode: ModeName
    budget: Cost | None
    joins: Mapping[str, Join]
    options: Mapping[str, object]

    @property
    def name(self) -> str:
        """What analysts call it."""
        return self.schema.name

    @property
    def audited_alone(self) -> bool:
        """Whether an account may know only what it asked itself: another's answer must not reach it without a decision."""
        return bool(self.options.get("per_account"))

    @property
    def public_options(self) -> dict[str, object]:
        """Those parameters of the mode that everybody may read: no paths."""
        return {key: _to_plain_value(value) for key, value in self.options.items() if key not in ("secret", "earlier")}


def _to_plain_value(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _to_plain_value(one) for key, one in value.items()}
    return str(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """People who ask together, and the most that they may spend."""

    name: str
    datasets: tuple[str, ...]
    budget: Mapping[str, Cost]


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificate and private key, as PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """All that SERVICE.toml says, checked."""

    host: str
    port: int
    ledger: str = field(repr=False)
    grid: Fraction
    time_limit: Fraction
    tls: Tls | None
    datasets: Mapping[str, DatasetConfig]
    projects: Mapping[str, Project]
    accounts: Mapping[str, Account]

    def dataset(self, name: str) -> DatasetConfig:
        """A data set, or a refusal that names the nearest."""
        if name not in self.datasets:
            raise Refusal(
                "unknown_dataset",
                f"there is no data set {name!r}",
                fix=suggest_alternative(name, list(self.datasets) or ["none"]),
            )
        return self.datasets[name]

    def project_of(self, account: Account, named: str | None) -> str:
        """The project in which an account asks: the named one, its only one, or none where it has none."""
        if named is None:
            if len(account.projects) > 1:
                raise Refusal(
                    "bad_request",
                    "this account is in several projects, and the question names none",
                    fix=f"add the project: one of {', '.join(account.projects)}",
                )
            return next(iter(account.projects), "")
        if named not in account.projects:
            raise Refusal(
                "not_allowed",
                f"this account is not in the project {named!r}",
                fix=f"use one of {', '.join(account.projects)}" if account.projects else "leave the project out",
            )
        return named

    def caps(self, account: Account, project: str, dataset: str) -> tuple[Cap, ...]:
        """The caps under which an account may ask a data set in a project; refused where it may not."""
        declared = self.dataset(dataset)
        own = {*account.datasets, *account.budget}
        shared = self.projects[project] if project else None
        theirs = {*shared.datasets, *shared.budget} if shared else set()
        allowed = dataset in (theirs if shared else own) and (dataset in own or not own)
        if not (account.role == "owner" or (account.may_ask and allowed)):
            raise Refusal(
                "not_allowed",
                f"this account may not ask {dataset!r}" + (f" in the project {project!r}" if project else ""),
                fix="GET /datasets lists what it may ask; the owner of the data can allow more",
            )
        limits = [Cap("dataset", dataset, declared.budget)] if declared.budget else []
        if shared and dataset in shared.budget:
            limits.append(Cap("project", project, shared.budget[dataset]))
        if dataset in account.budget:
            limits.append(Cap("account", account.name, account.budget[dataset]))
        return tuple(limits)

    def open_to(self, account: Account) -> tuple[str, ...]:
        """The data sets that an account may see: all, or those that it may ask in one of its projects or alone."""
        if account.sees_all:
            return tuple(self.datasets)
        return tuple(
            name
            for name in self.datasets
            if any(self._may_ask(account, one, name) for one in account.projects or ("",))
        )

    def _may_ask(self, account: Account, project: str, dataset: str) -> bool:
        try:
            self.caps(account, project, dataset)
        except Refusal:
            return False
        return True
