"""A point of the map as a plan file: the user's own text with other steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TacitError

__all__ = ["as_toml", "written"]


def written(text: str, steps: Sequence[Mapping[str, Any]], *, said: str) -> str:
    """The plan with these steps under [[protect]] and without [study]; comments and all else stay as they are.

    ``said`` stands as a comment beside the first step.

    >>> swap = {"method": "rank_swap", "columns": ("pay",), "percent": 5}
    >>> print(written('title = "Pay"  # a comment', [swap], said="point 3: swap"))
    title = "Pay"  # a comment
    <BLANKLINE>
    [[protect]]  # point 3: swap
    method = "rank_swap"
    columns = ["pay"]
    percent = 5
    <BLANKLINE>
    """
    tomlkit = _tomlkit()
    plan = tomlkit.parse(text)
    for section in ("study", "protect"):
        plan.pop(section, None)
    tables = tomlkit.aot()
    for place, step in enumerate(steps):
        table = tomlkit.table()
        for name, value in step.items():
            if value is not None:
                table.add(name, _plain(value))
        if place == 0:
            table.comment(" ".join(said.split()))
        tables.append(table)
    if steps:
        plan.append("protect", tables)
    return str(tomlkit.dumps(plan))


def as_toml(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Sections of a plan as text.

    >>> print(as_toml({"require": {"k_anonymity": 3}}))
    [require]
    k_anonymity = 3
    <BLANKLINE>
    """
    tomlkit = _tomlkit()
    plan = tomlkit.document()
    for name, section in sections.items():
        table = tomlkit.table()
        for key, value in section.items():
            if value is not None:
                table.add(key, _plain(value))
        plan.add(name, table)
    return str(tomlkit.dumps(plan))


def _tomlkit() -> Any:
    try:
        import tomlkit
    except ImportError:
        raise TacitError(
            "writing a plan needs TOML Kit, which is not installed",
            fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'",
        ) from None
    return tomlkit


def _plain(value: Any) -> Any:
    """Lists and inline tables, without what is None: TOML has no word for it."""
    import tomlkit

    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        for name, inner in value.items():
            if inner is not None:
                inline.append(name, _plain(inner))
        return inline
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
