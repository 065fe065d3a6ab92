"""What can be read without asking: declared data sets, budgets, and the history; each account sees its part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .account import Account
from .ledger import Cap, Entry
from .query_service import QueryService
from .refusal import Refusal
from .service import DatasetConfig

MOST_LINES = 1000
"""Lines of the history in one answer."""

MOST_CHARACTERS = 1_000_000
"""Characters of the answers in them; a single line may have more."""


def describe_account(account: Account) -> dict[str, Any]:
    """Who asks: name, role and projects."""
    return {"account": account.name, "role": account.role, "projects": list(account.projects)}


def list_datasets(desk: QueryService, account: Account) -> dict[str, Any]:
    """What the owner declares of each data set that the account may see; nothing is read off the data."""
    return {"datasets": [_describe_dataset(desk, name) for name in desk.service.open_to(account)]}


def _describe_dataset(desk: QueryService, name: str) -> dict[str, Any]:
    declared, schema = desk.service.datasets[name], desk.rooms[name].schema
    return {
        "name": name,
        "version": schema.version,
        "mode": declared.mode,
        "unit": schema.unit,
        "rows_per_unit": schema.rows if schema.unit is not None else None,
        "spends": declared.budget.unit if declared.budget else None,
        "columns": [column.as_json() for column in schema.columns.values()],
        "joins": [{"table": table, "key": key} for table, key in schema.joins.items()],
        "rules": declared.public_options,
    }


def list_budgets(desk: QueryService, account: Account) -> dict[str, Any]:
    """Limit, spent and left under every cap that concerns the account; owner and auditor see all."""
    found = []
    for name in desk.service.open_to(account):
        declared = desk.service.datasets[name]
        caps = [
            cap.as_json(desk.ledger.spent(name, cap.scope, cap.name)) for cap in _visible_caps(desk, account, declared)
        ]
        spends = declared.budget.unit if declared.budget else None
        found.append({"dataset": name, "mode": declared.mode, "spends": spends, "caps": caps})
    return describe_account(account) | {"budgets": found}


def _visible_caps(desk: QueryService, account: Account, declared: DatasetConfig) -> Iterator[Cap]:
    name = declared.name
    if declared.budget is not None:
        yield Cap("dataset", name, declared.budget)
    for project in desk.service.projects.values():
        if name in project.budget and (account.sees_all or project.name in account.projects):
            yield Cap("project", project.name, project.budget[name])
    for one in desk.service.accounts.values():
        if name in one.budget and (account.sees_all or one.name == account.name):
            yield Cap("account", one.name, one.budget[name])


def list_history(
    desk: QueryService, account: Account, *, before: int | None = None, limit: int = 100
) -> dict[str, Any]:
    """The newest lines of the ledger: an analyst's own, or all; fewer than asked for where their answers are large.

    The last line that came tells where to go on (``before``); only an empty page is the end.
    """
    if not 1 <= limit <= MOST_LINES or (before is not None and not 1 <= before <= 2**62):
        raise Refusal(
            "bad_request", f"limit is not from 1 to {MOST_LINES}, or before is no line", fix="e.g. ?limit=100"
        )
    whose = None if account.sees_all else account.name
    lines = desk.ledger.entries(account=whose, before=before, limit=limit, characters=MOST_CHARACTERS)
    return {"entries": [_describe_entry(line, account) for line in lines]}


def _describe_entry(line: Entry, account: Account) -> dict[str, Any]:
    """A line as an account reads it; an analyst does not learn by a repeat when another one asked."""
    return line.as_json() | ({"charge": 0} if line.kind == "repeat" and not account.sees_all else {})


def verify_ledger(desk: QueryService, account: Account, head: str | None = None) -> dict[str, Any]:
    """Walk over the whole chain, for owner and auditor."""
    if not account.sees_all:
        raise Refusal(
            "not_allowed", "the whole ledger is for owner and auditor", fix="GET /history shows your own part"
        )
    return desk.ledger.verify(head).as_json()
