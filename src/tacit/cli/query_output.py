"""What a service said, on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def query(said: dict[str, Any]) -> str:
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


dummy = query


def cost(said: dict[str, Any]) -> str:
    """A preview: price, accuracy, what is left, and whether it would be refused."""
    left = [f"{cap['scope']} {cap['name']}: {cap['text']}" for cap in said["caps"]]
    refusal = said["refusal"]
    would = [f"would be refused ({refusal['code']}): {refusal['sentence']}"] if refusal else []
    return "\n".join([f"would cost {said['cost_text']}", *_accuracy_lines(said), *left, *would, *_note_lines(said)])


def datasets(said: list[dict[str, Any]]) -> str:
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


def budget(said: list[dict[str, Any]]) -> str:
    """What is left under each cap."""
    rows = [(one["dataset"], cap["scope"], cap["name"], cap["text"]) for one in said for cap in one["caps"]]
    return _format_table(("data set", "cap of", "name", "left"), rows)


def history(said: list[dict[str, Any]]) -> str:
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


def verify(said: dict[str, Any]) -> str:
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
