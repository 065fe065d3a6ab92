"""A public name as Markdown: its signature, its docstring, and its members."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel

__all__ = ["documented", "marked_down"]

WIDEST = 110
CODE = re.compile(r"(```.*?```|`[^`]*`)", re.DOTALL)
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=\w)[^*\n]+\1(?![\w*])|\*")
ROLE = re.compile(r":(?:class|func|meth|mod):`~?([^`]+)`")
MATH = re.compile(r"^\.\. math::[ ]*(.*?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
SOURCES = re.compile(r"^References\n-+\n(.*)", re.DOTALL | re.MULTILINE)


class Written:
    """An annotation as it stands in the source, without the quotes that `inspect` puts around it."""

    def __init__(self, text: object) -> None:
        self.text = text if isinstance(text, str) else inspect.formatannotation(text)

    def __repr__(self) -> str:
        return self.text


def documented(module: ModuleType, name: str) -> str:
    """The section of one public name."""
    thing = getattr(module, name)
    if inspect.isclass(thing):
        return "\n".join(_class(thing, name))
    if inspect.isfunction(thing):
        return f"### {name}\n\n{_code(name, thing)}\n\n{marked_down(thing.__doc__ or '')}\n"
    if inspect.ismodule(thing):
        return f"### {name}\n\n{marked_down(thing.__doc__ or '')}\n"
    return f"### {name}\n\n{_constant(module, name)}\n"


def marked_down(doc: str) -> str:
    """A docstring, which is lightly marked reStructuredText, as Markdown."""
    text = re.sub(r"(?<!`)``(?!`)", "`", inspect.cleandoc(doc))
    text = SOURCES.sub(lambda found: "**References**\n\n" + _listed(found[1]), text)
    text = MATH.sub(lambda found: f"```math\n{inspect.cleandoc(found[1]).strip()}\n```", text)
    text = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
    text = re.sub(r":math:`([^`]+)`", lambda found: f"$`{' '.join(found[1].split())}`$", text)
    text = ROLE.sub(r"`\1`", text)
    parts = CODE.split(text)
    return "".join(part if place % 2 else EMPHASIS.sub(_kept, part) for place, part in enumerate(parts))


def _kept(found: re.Match[str]) -> str:
    """Emphasis stays; a star that is only a star is escaped."""
    return found[0] if len(found[0]) > 1 else r"\*"


def _listed(sources: str) -> str:
    """One item per source: an entry ends where a line ends with a full stop."""
    items = re.split(r"(?<=\.)\n", sources.strip())
    return "\n".join(f"- {' '.join(item.split())}" for item in items)


def _class(thing: Any, name: str) -> Iterator[str]:
    yield f"### {name}\n"
    plain = issubclass(thing, BaseModel) or getattr(thing, "_is_protocol", False)
    if not plain:
        yield f"{_code(name, thing)}\n"
    yield f"{marked_down(thing.__doc__ or '')}\n"
    for member, value in [] if issubclass(thing, BaseModel) else _members(thing):
        yield _member(member, value)


def _members(thing: Any) -> list[tuple[str, Any]]:
    """Public methods and properties, those of bases of ours first, each once."""
    found: dict[str, Any] = {}
    for kind in reversed(thing.__mro__):
        if kind.__module__.split(".")[0] == "tacit":
            found |= {key: value for key, value in vars(kind).items() if not key.startswith("_")}
    return [(key, value) for key, value in found.items() if _documentable(value)]


def _documentable(value: Any) -> bool:
    return isinstance(value, property | staticmethod | classmethod) or inspect.isfunction(value)


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        got = inspect.signature(value.fget).return_annotation if value.fget else ""
        return f"**`.{name}`** `{Written(got)}`: {marked_down(value.__doc__ or '')}\n"
    call = value.__func__ if isinstance(value, staticmethod | classmethod) else value
    return f"**`.{_signature(name, call, skip=not isinstance(value, staticmethod))}`**\n\n{marked_down(call.__doc__ or '')}\n"


def _code(name: str, thing: Any) -> str:
    written = _signature(name, thing)
    if len(written) > WIDEST:
        parameters, got = _parts(thing)
        written = f"{name}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){got}"
    return f"```python\n{written}\n```"


def _signature(name: str, thing: Any, *, skip: bool = False) -> str:
    parameters, got = _parts(thing)
    return f"{name}({', '.join(parameters[1:] if skip else parameters)}){got}"


def _parts(thing: Any) -> tuple[list[str], str]:
    """The parameters as they would be written, a star before those that are given by name, and what is returned."""
    signature = inspect.signature(thing)
    written: list[str] = []
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        if one.annotation is not one.empty:
            one = one.replace(annotation=Written(one.annotation))
        if isinstance(one.default, Path):
            one = one.replace(default=Written(f"Path({str(one.default)!r})"))
        if isinstance(one.default, dict) and one.default:  # a room's map would fill the page
            one = one.replace(default=Written("…"))
        written.append(str(one).replace("<factory>", "…"))
    got = signature.return_annotation
    return written, "" if inspect.isclass(thing) or got is signature.empty else f" -> {Written(got)}"


def _constant(module: ModuleType, name: str) -> str:
    """A value or alias: what the string below it says, and the names in a registry."""
    thing = getattr(module, name)
    if isinstance(thing, Mapping):
        names = ", ".join(f"`{key}`" for key in thing)
        return f"{_said_below(module, name)} {names}.".strip()
    return f"`{str(thing).replace('tacit.', '')}` {_said_below(module, name)}".strip()


def _said_below(module: ModuleType, name: str) -> str:
    source = inspect.getsource(module)
    body = ast.parse(source).body
    for node, after in zip(body, body[1:], strict=False):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            return marked_down(str(after.value.value))
    return ""
