"""Marks of a plan from a priori files and from statuses: what is known of single cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ..problem import Problem, Status
from .hst import Prior

MARKS = {"s": "safe", "u": "unsafe", "p": "published", "m": "hidden", "ml": "hidden"}


def marks_from_priors(priors: Iterable[Prior], names: Sequence[str], margin: float | None) -> list[str]:
    """One mark per cell: a later line about the same cell adds to it."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for prior in priors:
        said = found.setdefault(tuple(code.strip() for code in prior.codes), {})
        if prior.word in MARKS:
            said["as"] = f'"{MARKS[prior.word]}"'
            if prior.word == "u" and margin is not None and "lower" not in said:
                said["level"] = f"{margin:g}"
        elif prior.word in ("c", "w"):
            said["cost"] = repr(prior.numbers[0])
        else:
            pair = ("lower", "upper") if prior.word == "pl" else ("low", "high")
            said |= {name: repr(number) for name, number in zip(pair, prior.numbers, strict=True)}
            if prior.word == "pl":
                said.pop("level", None)
    lines = []
    for codes, said in found.items():
        named = [f"{key(name)} = {quoted(code)}" for name, code in zip(names, codes, strict=True) if code]
        lines += ["[[mark]]", *named, *(f"{name} = {text}" for name, text in said.items()), ""]
    return lines


def marks_from_statuses(problem: Problem) -> list[str]:
    """One mark for each cell whose status no rule gives: unsafe with its levels, or to be published."""
    lines: list[str] = []
    words = {Status.UNSAFE: "unsafe", Status.PUBLISHED: "published"}
    for cell, codes in enumerate(problem.table.labels.iter_rows()):
        word = words.get(Status(int(problem.status[cell])))
        if word is None:
            continue
        named = zip(problem.table.labels.columns, codes, strict=True)
        lines += ["[[mark]]", *(f"{key(name)} = {quoted(code.strip())}" for name, code in named), f'as = "{word}"']
        if word == "unsafe":
            lines += [f"lower = {float(problem.lower[cell])!r}", f"upper = {float(problem.upper[cell])!r}"]
        lines.append("")
    return lines


def quoted(value: str | Sequence[str]) -> str:
    """A text or a list of texts as TOML writes it."""
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    """A name as a key: bare where TOML allows it."""
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else quoted(name)
