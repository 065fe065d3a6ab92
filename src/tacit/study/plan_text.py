"""A point of the map as a plan file: the user's own text with other steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TacitError


def plan_with_steps(text: str, steps: Sequence[Mapping[str, Any]], *, said: str) -> str:
    """The plan with these steps under [[protect]] and without [study]; comments and all else stay as they are.

    ``said`` stands as a comment beside the first step.

    >>> swap = {"method": "rank_swap", "columns": ("pay",), "percent": 5}
    >>> print(plan_with_steps('title = "Pay"  # a comment', [swap], said="point 3: swap"))
    title = "Pay"  # a comment
    <BLANKLINE>
    [[protect]]  # point 3: swap
    method = "rank_swap"
    columns = ["pay"]
    percent = 5
    <BLANKLINE>
    """
    tomlkit = import_tomlkit()
    plan = tomlkit.parse(text)
    plan.pop("study", None)
    put_steps(plan, steps, said=said)
    return str(tomlkit.dumps(plan))


def put_steps(plan: Any, steps: Sequence[Mapping[str, Any]], *, said: str, after: bool = False) -> None:
    """Put steps under [[protect]] of a parsed plan, instead of those that stand there or ``after`` them."""
    tomlkit = import_tomlkit()
    kept = plan.pop("protect", None)
    tables = kept if after and kept is not None else tomlkit.aot()
    for place, step in enumerate(steps):
        table = tomlkit.table()
        for name, value in step.items():
            if value is not None:
                table.add(name, toml_value(value))
        if place == 0:
            table.comment(" ".join(said.split()))
        tables.append(table)
    if len(tables):
        plan.append("protect", tables)


def as_toml(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Sections of a plan as text.

    >>> print(as_toml({"require": {"k_anonymity": 3}}))
    [require]
    k_anonymity = 3
    <BLANKLINE>
    """
    tomlkit = import_tomlkit()
    plan = tomlkit.document()
    for name, section in sections.items():
        table = tomlkit.table()
        for key, value in section.items():
            if value is not None:
                table.add(key, toml_value(value))
        plan.add(name, table)
    return str(tomlkit.dumps(plan))


def import_tomlkit() -> Any:
    """The library that writes TOML and keeps its comments, or a word on how to get it."""
    try:
        import tomlkit
    except ImportError:
        raise TacitError(
            "writing a plan needs TOML Kit, which is not installed",
            code="not_installed",
            fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'",
        ) from None
    return tomlkit


def toml_value(value: Any) -> Any:
    """Lists and inline tables, without what is None: TOML has no word for it."""
    import tomlkit

    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        for name, inner in value.items():
            if inner is not None:
                inline.append(name, toml_value(inner))
        return inline
    return [toml_value(inner) for inner in value] if isinstance(value, list | tuple) else value
