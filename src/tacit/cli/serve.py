"""``tacit serve``: a query service over data that stay where they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TacitError
from .serving import outlive_peers

if TYPE_CHECKING:
    from ..query.service import Service


def serve(
    file: Annotated[Path | None, typer.Argument(help="The service file (TOML).")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Wins over the file; 0: any free one.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Open everything once, say what there is, and end.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Walk over the ledger's chain and end; 1: it is broken.")
    ] = False,
    head: Annotated[str | None, typer.Option(help="With --verify: a hash noted earlier that must be there.")] = None,
    reopen: Annotated[
        str | None,
        typer.Option(help="Let a data set answer again that closed after failures of its engine, and end."),
    ] = None,
    new_key: Annotated[bool, typer.Option("--new-key", help="Print a new API key and its line for the file.")] = False,
    example: Annotated[
        Path | None,
        typer.Option(help="Write an example service with made-up patients and keys into this folder."),
    ] = None,
) -> None:
    """Answer questions about declared data sets over HTTP: charged, noisy or restricted, and written down.

    Exit code 0: ended by SIGTERM or SIGINT, or the check holds. 1: the ledger is broken. 2: a mistake in file or data.

    Example:  tacit serve --example demo-service
    """
    if new_key:
        _print_key()
    elif example is not None:
        from .service_example import write_service

        print("\n".join(write_service(example)))
    elif file is None:
        raise TacitError(
            "there is no service file", fix="tacit serve SERVICE.toml; or first: tacit serve --example demo-service"
        )
    else:
        from ..query.service import load_service

        service = load_service(file)
        if verify:
            _verify_ledger(service, head)
        elif reopen is not None:
            _reopen_dataset(service, reopen)
        else:
            _run_server(service, port, check=check)


def _print_key() -> None:
    from ..query.account import key_hash, new_key

    made = new_key()
    print(f"key for the account's owner, shown once:  {made}")
    print(f'line for the service file:                key = "{key_hash(made)}"')


def _verify_ledger(service: Service, head: str | None) -> None:
    from ..query.ledger import Ledger

    with Ledger.open(service.ledger) as ledger:
        found = ledger.verify(head)
    print(f"{found.lines} lines, head {found.head}")
    print("the chain holds" if found.holds else f"BROKEN at line {found.broken}: {found.problem}")
    raise typer.Exit(0 if found.holds else 1)


def _reopen_dataset(service: Service, dataset: str) -> None:
    from ..query.ledger import Ledger

    service.dataset(dataset)
    with Ledger.open(service.ledger) as ledger:
        line = ledger.reopen(dataset)
    print(f"data set {dataset} answers again, from line {line.number} of the ledger on")


def _run_server(service: Service, port: int | None, *, check: bool) -> None:
    import logging

    from ..query.libraries import require_libraries

    require_libraries("sqlglot", "fastapi", "uvicorn", "opendp")
    from ..query.server import open_socket, service_address
    from ..query.server import serve as answering
    from ..query.startup import open_desk

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    at = open_socket(service, port)
    try:
        desk = open_desk(service)
        if desk.ledger.is_new:
            print(
                "a NEW, empty ledger: nothing counts as spent or answered. If this service answered before, "
                "stop it and restore its ledger",
                flush=True,
            )
        for name, room in desk.rooms.items():
            print(f"{name:20} mode {room.mode.name}, version {room.schema.version}, {len(room.schema.columns)} columns")
        if check:
            desk.close()
            print("everything can be opened")
            return
        outlive_peers()
        answering(desk, at, ready=lambda: print(f"answering on {service_address(service, at)}", flush=True))
        print("ended")
    finally:
        at.close()


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(serve)
