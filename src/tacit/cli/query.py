"""``tacit query``: ask a query service."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TacitError
from .options import Json
from .terminal import print_json

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
    if as_json:
        print_json(found)
    else:
        print(FORMATS[action](found))
    raise typer.Exit(1 if action == "verify" and not found["holds"] else 0)


def _parse_action(chosen: Sequence[str], sql: str | None) -> str:
    if len(chosen) > 1:
        raise TacitError(
            f"--{chosen[0]} and --{chosen[1]} cannot be had at once",
            code="conflicting_parameters",
            fix="choose one of them",
        )
    action = chosen[0] if chosen else "query"
    if (sql is None) == (action in ("query", "cost", "dummy")):
        what = "there is no question" if sql is None else f"--{action} takes no question"
        raise TacitError(what, code="wrong_type", fix='e.g. tacit query "SELECT COUNT(*) FROM patients" --spend 0.1')
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
                f"the key file {str(file)!r} cannot be read",
                code="cannot_read",
                fix="give the path of a file with the key",
            ) from None
    if not found.strip():
        raise TacitError("there is no API key", code="wrong_type", fix=f"--key-file FILE, or set the variable {KEY}")
    return found.strip()


def _print_refusal(refusal: Any, as_json: bool) -> None:
    if as_json:
        print_json(refusal.as_json())
    else:
        print(f"refused ({refusal.code}): {refusal.what}\n  hint: {refusal.fix}", file=sys.stderr)


def _format_answer(said: dict[str, Any]) -> str:
    """An answer: the table, its accuracy, what it cost."""
    price = "nothing: it was answered before" if said["repeated"] else said["cost_text"]
    price = "nothing: made-up data" if said["dummy"] else price
    rows = [
        [_with_width(value, width) for value, width in zip(row, widths, strict=True)]
        for row, widths in zip(said["rows"], said["accuracy"], strict=True)
    ]
    noisy = any(width for widths in said["accuracy"] for width in widths)
    meant = ["± is the half-width of a 95 % interval of the noise"] if noisy else []
    return "\n".join([_format_table(said["columns"], rows), "", *meant, f"cost: {price}", *_note_lines(said)])


def _format_cost(said: dict[str, Any]) -> str:
    """A preview: price, accuracy, what is left, and whether it would be refused."""
    left = [f"{cap['scope']} {cap['name']}: {cap['text']}" for cap in said["caps"]]
    refusal = said["refusal"]
    would = [f"would be refused ({refusal['code']}): {refusal['sentence']}"] if refusal else []
    return "\n".join([f"would cost {said['cost_text']}", *_accuracy_lines(said), *left, *would, *_note_lines(said)])


def _format_datasets(said: list[dict[str, Any]]) -> str:
    """The declared columns of each data set."""
    return "\n\n".join(
        f"{one['name']} (mode {one['mode']}, version {one['version']}"
        + (f", spends {one['spends']}" if one["spends"] else "")
        + ")\n"
        + _format_table(
            ("column", "kind", "declared"), [(c["name"], c["kind"], _format_domain(c)) for c in one["columns"]]
        )
        for one in said
    )


def _format_budget(said: list[dict[str, Any]]) -> str:
    """What is left under each cap."""
    rows = [(one["dataset"], cap["scope"], cap["name"], cap["text"]) for one in said for cap in one["caps"]]
    return _format_table(("data set", "cap of", "name", "left"), rows)


def _format_history(said: list[dict[str, Any]]) -> str:
    """One line for each line of the ledger."""
    rows = [
        (
            line["number"],
            line["time"],
            line["kind"],
            line["account"],
            line["dataset"],
            line["cost"]["amount"],
            _format_outcome(line),
        )
        for line in said
    ]
    return _format_table(("line", "time", "kind", "account", "data set", "cost", "outcome"), rows)


def _format_verify(said: dict[str, Any]) -> str:
    """Whether the chain holds."""
    lines = f"{said['lines']} lines, head {said['head']}"
    return (
        f"{lines}\nthe chain holds" if said["holds"] else f"{lines}\nBROKEN at line {said['broken']}: {said['problem']}"
    )


def _format_outcome(line: dict[str, Any]) -> str:
    answer = line["answer"] or {}
    return answer.get("code") or (
        f"{len(answer['figures'])} rows, of line {line['charge']}" if "figures" in answer else ""
    )


def _format_domain(column: dict[str, Any]) -> str:
    if "values" in column:
        return ", ".join(map(str, column["values"][:8])) + (", …" if len(column["values"]) > 8 else "")
    return f"{column['low']} … {column['high']}" if "low" in column else ""


def _accuracy_lines(said: dict[str, Any]) -> list[str]:
    pairs = zip(said["columns"], said["kinds"], said["accuracy"], strict=True)
    return [f"{name}: ± {width:g} in 95 of 100 answers" for name, kind, width in pairs if kind == "figure" and width]


def _with_width(value: Any, width: float | None) -> str:
    return f"{_format_cell(value)} ± {width:.4g}" if width and value is not None else _format_cell(value)


def _note_lines(said: dict[str, Any]) -> list[str]:
    return [f"note: {note}" for note in said["notes"]]


def _format_table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cells = [list(names), *([_format_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def _format_cell(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_format_cell(end) for end in value)}]"
    return "(missing)" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)


FORMATS: dict[str, Callable[[Any], str]] = {
    "query": _format_answer,
    "dummy": _format_answer,
    "cost": _format_cost,
    "datasets": _format_datasets,
    "budget": _format_budget,
    "history": _format_history,
    "verify": _format_verify,
}
"""Action → what a service said, as text for the terminal."""
