"""The parameters of whatever a plan can name: fields of a dataclass or section, keyword options of a measure."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from .field import Control


class _AnnotationNames(dict[str, Any]):
    """Names in which an annotation is read; one that cannot be had, as of a library not installed, is anything."""

    def __missing__(self, name: str) -> Any:
        return Any


def hints_of(call: Callable[..., Any]) -> dict[str, Any]:
    """The type of each parameter of a dataclass or function."""
    return get_type_hints(call, localns=_names_in(call.__module__))


def union_members(hint: Any) -> tuple[Any, ...]:
    """The members of a union without None; of any other type the type itself.

    >>> union_members(float | None), union_members(int | str)
    ((<class 'float'>,), (<class 'int'>, <class 'str'>))
    """
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(one for one in members if one is not NoneType)


def literal_values(hint: Any) -> tuple[Any, ...]:
    """The values of a type that allows nothing but these; empty for other types.

    >>> literal_values(Literal["a", "b"] | None), literal_values(str)
    (('a', 'b'), ())
    """
    members = union_members(hint)
    if not members or any(get_origin(one) is not Literal for one in members):
        return ()
    return tuple(value for one in members for value in get_args(one))


@cache
def _names_in(module: str) -> dict[str, Any]:
    found = sys.modules[module]
    return _AnnotationNames({**vars(builtins), **vars(found), **dict(_for_checking(found))})


def _for_checking(module: Any) -> Iterator[tuple[str, Any]]:
    """What a module imports under ``if TYPE_CHECKING``, as far as it is installed."""
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.If) or ast.unparse(node.test) not in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            continue
        for part in node.body:
            if isinstance(part, ast.Import | ast.ImportFrom):
                yield from _imported_names(part, module.__package__)


def _imported_names(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, Any]]:
    for alias in node.names:
        with suppress(ImportError, AttributeError):
            if isinstance(node, ast.Import):
                yield alias.asname or alias.name, importlib.import_module(alias.name)
            else:
                source = importlib.import_module("." * node.level + (node.module or ""), package)
                yield alias.asname or alias.name, getattr(source, alias.name)


BESIDE = ("original", "lineage", "population")
"""Arguments of a measure that are files, not options."""

ENDS = re.compile(r"\n\s*(?:References\n|>>> |Examples?\n)")

MATHS = re.compile(r"\n\s*\.\. math::.*?(?=\n\s*\n|\Z)", re.DOTALL)

PIECES = re.compile(r"(?:^|\n\s*\n|\n)\s*[*-] |\n\s*\n")

SENTENCES = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?:\*\*)?\s+(?=[A-Z`(\"])")

CLAUSES = re.compile(r";\s+")

SEE = re.compile(r"\s*\((?:see )?:\w+:`[^`]*`\)")

ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?([^`]*)`")

LONG = 140
"""Letters beyond which the part of a sentence that begins with the parameter is enough."""

LONGEST = 300
"""Letters beyond which a sentence helps nobody who fills in a form."""

SHORT = 5
"""Words below which a sentence is a heading."""

ONE_COLUMN = frozenset(
    "column target person latitude longitude density order outcome weight holding response value contributors".split()
)
"""Texts that name a column."""

COLUMNS = frozenset("columns block by top more".split())
"""Lists of texts that name columns; a text or a list of texts always does."""

IN_ORDER = frozenset({"geography", "order", "top"})
"""Columns whose order has a meaning."""

LEVELS = frozenset({"levels", "lowest", "highest"})
"""Whole numbers by column that are levels of its hierarchy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter by name: its control, what it may be, whether one can do without it, and what is said of it."""

    name: str
    control: Control
    required: bool
    default: Any = None
    literals: tuple[Any, ...] = ()
    help: str = ""


@cache
def parameters_of(call: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters in their order; that a section is of its ``method`` is no parameter."""
    if isinstance(call, type) and issubclass(call, BaseModel):
        return tuple(_of_section(call))
    return tuple(_of_dataclass(call) if is_dataclass(call) else _of_function(call))


def _of_dataclass(call: Any) -> Iterator[Parameter]:
    hints = hints_of(call)
    for one in fields(call):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        yield _make_parameter(one.name, hints[one.name], default, MISSING, sentence_about(one.name, call.__doc__))


def _of_function(call: Callable[..., Any]) -> Iterator[Parameter]:
    hints = hints_of(call)
    for one in inspect.signature(call).parameters.values():
        if one.kind is one.KEYWORD_ONLY and one.name not in BESIDE:
            help = sentence_about(one.name, call.__doc__)
            yield _make_parameter(one.name, hints.get(one.name, Any), one.default, one.empty, help)


def _of_section(call: type[BaseModel]) -> Iterator[Parameter]:
    for name, one in call.model_fields.items():
        if name != "method":
            default = MISSING if one.is_required() else one.get_default(call_default_factory=True)
            yield _make_parameter(one.alias or name, one.annotation, default, MISSING, one.description or "")


def _make_parameter(name: str, hint: Any, default: Any, nothing: Any, help: str) -> Parameter:
    control = control_of(name, hint)
    return Parameter(
        name=name,
        control=control,
        required=default is nothing and control not in ("models", "flag"),
        default=None if default is nothing else default,
        literals=literal_values(hint),
        help=help,
    )


def sentence_about(name: str, docstring: str | None) -> str:
    """The sentence that begins with the parameter, or the first that mentions it; none whose formula would not read.

    >>> sentence_about("k", "Groups of ``k`` like records. ``k`` is 3 or more; see :class:`~tacit.protect.Mdav`.")
    'k is 3 or more; see Mdav.'
    >>> sentence_about("q", "Nothing about it.")
    ''
    """
    mention = re.compile(rf"``{re.escape(name)}(?:``|\s?=)")
    whole = MATHS.sub("", ENDS.split(inspect.cleandoc(docstring or ""), maxsplit=1)[0])
    every = (" ".join(one.split()) for piece in PIECES.split(whole) for one in SENTENCES.split(piece))
    found = [_shorten_sentence(sentence, mention) for sentence in every if mention.search(sentence)]
    readable = map(_strip_markup, sorted(found, key=lambda one: not mention.match(one)))
    return next((one for one in readable if one), "")


def _shorten_sentence(sentence: str, mention: re.Pattern[str]) -> str:
    clauses = [clause for clause in CLAUSES.split(sentence) if mention.match(clause)]
    return clauses[0] if clauses and len(sentence) > LONG else sentence


def _strip_markup(sentence: str) -> str:
    """The sentence without mark-up; nothing when it is a heading, a formula, or about time and memory."""
    text = ROLE.sub(r"\1", SEE.sub("", sentence))
    if "\\" in text or "O(" in text or len(text.split()) < SHORT or len(text) > LONGEST:
        return ""
    plain = text.replace("``", "").replace("**", "").strip(" :,;")
    return plain if plain.endswith((".", ")", "?")) else f"{plain}."


def control_of(name: str, hint: Any) -> Control:
    """The control for a parameter of this name and type; what no other control can hold is a value as in a plan.

    >>> control_of("k", int), control_of("columns", str | Sequence[str]), control_of("form", Literal["a", "b"])
    ('whole', 'columns', 'choice')
    >>> control_of("levels", Mapping[str, int]), control_of("percent", float | Mapping[str, float])
    ('levels', 'toml')
    """
    members = union_members(hint)
    if name == "models":
        return "models"
    if literal_values(hint):
        return "choice"
    if members == (bool,) and NoneType not in get_args(hint):
        return "flag"
    if members and set(members) <= {int, float}:
        return "number" if float in members else "whole"
    return _of_texts(name, members) or _by_column(name, members) or ("loose" if _may_be_bare_word(members) else "toml")


def _of_texts(name: str, members: Collection[Any]) -> Control | None:
    lists = [one for one in members if _list_of_texts(one)]
    if members and all(one is str for one in members):
        return "column" if name in ONE_COLUMN else "text"
    if not lists or len(lists) + (str in members) < len(members):
        return None
    if str not in members and name not in COLUMNS:
        return None
    return "places" if name in IN_ORDER else "columns"


def _list_of_texts(hint: Any) -> bool:
    origin = get_origin(hint)
    listed = isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping)
    return listed and set(get_args(hint)) - {Ellipsis} == {str}


def _by_column(name: str, members: Sequence[Any]) -> Control | None:
    if len(members) != 1 or not _is_mapping(members[0]):
        return None
    of = get_args(members[0])[1:]
    if of == (float,):
        return "numbers"
    return ("levels" if name in LEVELS else "wholes") if of == (int,) else None


def _is_mapping(hint: Any) -> bool:
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _may_be_bare_word(members: Sequence[Any]) -> bool:
    """Whether a word without quotes may be meant."""
    return any(one in (str, Any) or get_origin(one) is Literal for one in members)
