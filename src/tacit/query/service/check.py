"""What no section can tell alone: that modes, budgets, projects and accounts fit together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product

from ...dp.cost import Cost
from ...errors import TacitError, suggest_alternative
from ..account import Account, is_key_hash, key_hash
from ..column import Column
from ..loopback import is_loopback
from .service import DatasetConfig, Project, Service, TableLocation


def check_service(service: Service) -> Service:
    """The service itself, or an error at the first thing that does not fit; the place is a key of the file."""
    _check_listening(service)
    for declared in service.datasets.values():
        _budget_fits(declared)
    for one, other in combinations(service.datasets.values(), 2):
        _not_mixed(one, other)
    for project in service.projects.values():
        _check_owner_budgets(project, service.datasets, f"project.{project.name}")
    for account in service.accounts.values():
        _check_account(account, service)
    for first, second in combinations(service.accounts.values(), 2):
        if first.key == second.key:
            raise TacitError(
                f"{first.name!r} and {second.name!r} have the same key",
                code="invalid_service",
                fix="make another with: tacit serve --new-key",
                where=f"account.{second.name}.key",
            )
    return service


def _check_listening(service: Service) -> None:
    if service.tls is None and not is_loopback(service.host):
        raise TacitError(
            f"beyond loopback ({service.host!r}) keys and answers would travel in the clear",
            code="out_of_range",
            fix='add tls = { certificate = "…", key = "…" }, or listen on 127.0.0.1',
            where="service.host",
        )


def _budget_fits(declared: DatasetConfig) -> None:
    where = f"dataset.{declared.name}"
    if declared.mode == "dp" and declared.budget is None:
        raise TacitError(
            "the mode 'dp' needs a budget",
            code="missing_parameter",
            fix="e.g. budget = { epsilon = 1 }: the most that all may learn",
            where=where,
        )
    if declared.mode != "dp" and declared.budget is not None:
        raise TacitError(
            f"the mode {declared.mode!r} spends nothing",
            code="invalid_service",
            fix="leave budget out",
            where=f"{where}.budget",
        )


def _not_mixed(one: DatasetConfig, other: DatasetConfig) -> None:
    """Two ways to ask of one confidential column of one table: their protections do not know of each other."""
    if one.mode == other.mode == "dp":
        return
    for (place, mine), (same, theirs) in product(_iter_tables(one), _iter_tables(other)):
        both = [name for name in mine if name in theirs and (mine[name].confidential or theirs[name].confidential)]
        if both and place.is_same_table(same):
            raise mixed_modes(one, other, both[0], "of the same table")


def _iter_tables(declared: DatasetConfig) -> Iterator[tuple[TableLocation, dict[str, Column]]]:
    """The tables of a data set, each with its declared columns by the names that they have in it."""
    columns = declared.schema.columns
    starts = tuple(f"{table}." for table in declared.joins)
    yield declared.place, {name: one for name, one in columns.items() if not name.startswith(starts)}
    for table, join in declared.joins.items():
        start = f"{table}."
        yield join.place, {name.removeprefix(start): one for name, one in columns.items() if name.startswith(start)}


def mixed_modes(one: DatasetConfig, other: DatasetConfig, column: str, why: str) -> TacitError:
    """The error for two data sets in different modes that answer about the same values."""
    return TacitError(
        f"mixing modes on one confidential column: {one.name!r} ({one.mode}) and {other.name!r} ({other.mode}) "
        f"both answer about {column!r} {why}",
        code="conflicting_parameters",
        fix="let one data set answer about it, or declare the column in one of them only",
        where=f"dataset.{other.name}.mode",
    )


def _check_owner_budgets(owner: Project | Account, datasets: Mapping[str, DatasetConfig], where: str) -> None:
    """Data sets that exist, budgets in their unit."""
    for name in (*owner.datasets, *owner.budget):
        if name not in datasets:
            raise TacitError(
                f"there is no data set {name!r}",
                code="wrong_type",
                fix=suggest_alternative(name, list(datasets)),
                where=where,
            )
    for name, given in owner.budget.items():
        _same_unit(given, datasets[name], f"{where}.budget.{name}")


def _same_unit(given: Cost, declared: DatasetConfig, where: str) -> None:
    if declared.budget is None:
        raise TacitError(
            f"the mode {declared.mode!r} of {declared.name!r} spends nothing",
            code="invalid_service",
            fix=f"name it under datasets = [{declared.name!r}] in place of a budget",
            where=where,
        )
    if given.unit != declared.budget.unit:
        raise TacitError(
            f"{declared.name!r} counts {declared.budget.unit}, and this budget {given.unit}",
            code="privacy_budget",
            fix=f"give it in {declared.budget.unit}",
            where=where,
        )


def _check_account(account: Account, service: Service) -> None:
    where = f"account.{account.name}"
    if not is_key_hash(account.key):
        raise TacitError(
            "the key is not of the form sha256: and 64 hexadecimal digits",
            code="wrong_type",
            fix="make a key and its hash with: tacit serve --new-key",
            where=f"{where}.key",
        )
    if account.key == key_hash("example"):
        raise TacitError(
            "everybody knows this key: it stood in an older guide",
            code="invalid_service",
            fix="make a key and its hash with: tacit serve --new-key",
            where=f"{where}.key",
        )
    _all_known(account.projects, service.projects, f"{where}.projects")
    _check_owner_budgets(account, service.datasets, where)
    if account.role == "analyst" and not service.open_to(account):
        raise TacitError(
            "an analyst who may ask nothing",
            code="invalid_service",
            fix="give it datasets = […], a budget = { DATASET = … }, or projects with one",
            where=where,
        )


def _all_known(names: Iterable[str], known: Mapping[str, object], where: str) -> None:
    for name in names:
        if name not in known:
            raise TacitError(
                f"there is no project {name!r}",
                code="unknown_name",
                fix=suggest_alternative(name, list(known) or ["[project.NAME]"]),
                where=where,
            )
