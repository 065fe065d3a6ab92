"""``tacit query``: ask a query service."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TacitError
from .options import Json

if TYPE_CHECKING:
    from ..query.client import Client


KEY = "TACIT_QUERY_KEY"
"""The variable that holds the API key; TACIT_KEY is the key of pseudonyms and must never be sent anywhere."""


def query(
    sql: Annotated[str | None, typer.Argument(help="One SELECT of aggregates over a data set.")] = None,
    spend: Annotated[str | None, typer.Option(help="ε or ρ to spend, exactly as typed, e.g. 0.1 or 1/3.")] = None,
    url: Annotated[str, typer.Option(help="The service.")] = "http://127.0.0.1:8470",
    key_file: Annotated[
        Path | None,
        typer.Option(
            help=f"File with the API key; else the variable {KEY}. Never on the command line: others can read it."
        ),
    ] = None,
    project: Annotated[str | None, typer.Option(help="The project; needed when the account is in several.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="A PEM file to trust.")] = None,
    cost: Annotated[bool, typer.Option("--cost", help="Price and accuracy only; nothing is spent.")] = False,
    dummy: Annotated[bool, typer.Option("--dummy", help="Try it on made-up data; nothing is spent.")] = False,
    datasets: Annotated[bool, typer.Option("--datasets", help="What can be asked.")] = False,
    budget: Annotated[bool, typer.Option("--budget", help="What is left.")] = False,
    history: Annotated[bool, typer.Option("--history", help="What was asked.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Check the ledger's chain (owner, auditor).")] = False,
    as_json: Json = False,
) -> None:
    """Ask a service, see what a question would cost, what is left, and what was asked.

    Exit code 0: answered. 1: refused, or the ledger is broken. 2: a mistake, or no service there.

    Example:  tacit query --key-file ana.key "SELECT COUNT(*) FROM patients" --spend 0.1
    """
    from ..query.client import Client
    from ..query.refusal import Refusal
    from . import query_output as shown

    wanted: dict[str, bool] = {
        "cost": cost, "dummy": dummy, "datasets": datasets, "budget": budget, "history": history, "verify": verify
    }  # fmt: skip
    action = _parse_action([name for name, given in wanted.items() if given], sql)
    with Client(url, key=_read_key(key_file), certificate=certificate) as client:
        try:
            found = _call_client(client, action, {"sql": sql, "spend": spend, "project": project})
        except Refusal as refusal:
            _print_refusal(refusal, as_json)
            raise typer.Exit(1) from None
    layout: Callable[[Any], str] = getattr(shown, action)
    print(json.dumps(found, ensure_ascii=False, indent=2) if as_json else layout(found))
    raise typer.Exit(1 if action == "verify" and not found["holds"] else 0)


def _parse_action(chosen: Sequence[str], sql: str | None) -> str:
    if len(chosen) > 1:
        raise TacitError(f"--{chosen[0]} and --{chosen[1]} cannot be had at once", fix="choose one of them")
    action = chosen[0] if chosen else "query"
    if (sql is None) == (action in ("query", "cost", "dummy")):
        what = "there is no question" if sql is None else f"--{action} takes no question"
        raise TacitError(what, fix='e.g. tacit query "SELECT COUNT(*) FROM patients" --spend 0.1')
    return action


def _call_client(client: Client, action: str, asked: dict[str, Any]) -> Any:
    call = getattr(client, action)
    return call(**asked).said if asked["sql"] is not None else call()


def _read_key(file: Path | None) -> str:
    if file is None:
        found = os.environ.get(KEY, "")
    else:
        try:
            found = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise TacitError(
                f"the key file {str(file)!r} cannot be read", fix="give the path of a file with the key"
            ) from None
    if not found.strip():
        raise TacitError("there is no API key", fix=f"--key-file FILE, or set the variable {KEY}")
    return found.strip()


def _print_refusal(refusal: Any, as_json: bool) -> None:
    if as_json:
        print(json.dumps(refusal.as_json(), ensure_ascii=False, indent=2))
    else:
        print(f"refused ({refusal.code}): {refusal.what}\n  hint: {refusal.fix}", file=sys.stderr)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(query)
