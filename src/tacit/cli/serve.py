"""``tacit serve`` and ``tacit studio``: a query service over data that stay where they are, and the whole job in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TacitError
from ..files import write_text
from .terminal import outlive_peers

if TYPE_CHECKING:
    from ..query.service import Service

SERVICE = """\
# A query service over made-up patients (tacit example clinic). Start it with: tacit serve SERVICE.toml
[service]
host = "127.0.0.1"              # beyond loopback: tls = {{ certificate = "…", key = "…" }}
port = 8470
ledger = "ledger.db"            # or postgresql://…
grid = 0.1                      # seconds: answers leave on this grid, whatever the engine took
time_limit = 10                 # seconds: then refused, and charged

[dataset.patients]
path = "clinic.csv"
version = "2024"
mode = "dp"                     # noise on every answer
unit = "household"              # whole households are protected, not only persons
rows_per_unit = 6               # of a household at most six rows count
neighbours = "add_remove"
budget = {{ epsilon = 10, delta = 1e-6 }}
threshold_delta = 1e-8          # δ of a question by keys without a list, such as zip
[dataset.patients.columns]      # all that analysts see of the data before they ask
sex = {{ kind = "category", values = ["F", "M", "X"] }}
birth = {{ kind = "date", low = 1920-01-01, high = 2024-12-31 }}
education = {{ kind = "integer", low = 0, high = 8 }}
visits = {{ kind = "integer", low = 1, high = 20, confidential = true }}
income = {{ kind = "number", low = 0, high = 100000, step = 1, confidential = true }}
rent = {{ kind = "number", low = 0, high = 3000, step = 10 }}
zip = {{ kind = "text" }}

[project.rents]
budget = {{ patients = {{ epsilon = 5, delta = 1e-6 }} }}

[account.olga]
role = "owner"                  # sees all budgets and the whole history
key = "{owner}"
[account.ana]
role = "analyst"                # asks within her own budget and that of her project
key = "{analyst}"
projects = ["rents"]
budget = {{ patients = {{ epsilon = 3, delta = 1e-6 }} }}
[account.eva]
role = "auditor"                # reads the history and verifies the ledger
key = "{auditor}"
"""

KEYS = {"owner": "olga.key", "analyst": "ana.key", "auditor": "eva.key"}
"""Role → the file with the key of the account that has it."""


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
        print("\n".join(write_service(example)))
    elif file is None:
        raise TacitError(
            "there is no service file",
            code="wrong_type",
            fix="tacit serve SERVICE.toml; or first: tacit serve --example demo-service",
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


def studio(
    target: Annotated[Path | None, typer.Argument(help="A data file, a plan, or a project's folder.")] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="Folder of the project; NAME-studio beside the file when absent."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port on the loopback address; any free one when 0.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Open a page in which the whole job is done by clicks; it ends with a plan that repeats it.

    The page is served to this machine alone, and nothing leaves it. All work is kept in the project's folder.

    Example:  tacit studio patients.csv
    """
    from ..app import studio as opened

    outlive_peers()
    opened(target, project=project, port=port, browser=browser, say=typer.echo)


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


def write_service(folder: Path) -> list[str]:
    """Write the files and say what to do with them; files that are there already are never replaced."""
    from ..examples import clinic
    from ..query.account import key_hash, new_key
    from ..release.files import save

    data, file = folder / "clinic.csv", folder / "SERVICE.toml"
    for path in (data, file, *(folder / name for name in KEYS.values())):
        if path.exists():
            raise TacitError(f"{str(path)!r} exists already", code="file_exists", fix="choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise TacitError(
            f"the folder {str(folder)!r} cannot be written", code="cannot_write", fix="choose another one"
        ) from None
    keys = {role: new_key() for role in KEYS}
    for role, name in KEYS.items():
        write_text(folder / name, keys[role] + "\n", private=True)
    data.touch(mode=0o600, exist_ok=False)  # the mode that it keeps
    save(clinic(4000).frame, data)
    write_text(file, SERVICE.format(**{role: key_hash(key) for role, key in keys.items()}), private=True)
    question = '"SELECT sex, COUNT(*) AS n, AVG(rent) AS rent FROM patients GROUP BY sex"'
    ana = f"tacit query --key-file {folder / KEYS['analyst']}"
    return [
        f"written: {file}, {data} and a key for each role (*.key)",
        "",
        f"  tacit serve {file}",
        "",
        f"then open the address that it prints in a browser and paste the key in {folder / KEYS['analyst']}; "
        "or in another terminal:",
        "",
        f"  {ana} --datasets",
        f"  {ana} --cost {question} --spend 0.5",
        f"  {ana} {question} --spend 0.5",
        f"  {ana} --budget",
    ]
