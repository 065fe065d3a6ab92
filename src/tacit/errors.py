"""Every error that a user can cause says where it is, what is wrong and how to mend it.

An error text is a release too: it shows what the user typed (names, parameters, categories of a public code
list) and of an offending cell only its row number and kind, never its content.

    TacitError
    └── Cancelled      the progress callback returned False
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar


class TacitError(ValueError):
    """A mistake that the user can mend: ``where`` (column or place), ``what`` is wrong, ``fix``.

    Programs decide by ``code``, which stays when the words change, by ``column`` and ``parameter``, and by ``fields``:
    further names and numbers that the sentence shows. :mod:`tacit.codes` lists the codes.

    >>> print(TacitError("holds text where numbers are needed", code="wrong_kind", column="age", fix="declare its kind"))
    column 'age' holds text where numbers are needed
      fix: declare its kind
    """

    exit_code = 2
    """What a command ends with."""

    def __init__(
        self,
        what: str,
        *,
        fix: str,
        code: str,
        column: str | None = None,
        parameter: str | None = None,
        where: str | None = None,
        fields: Mapping[str, object] | None = None,
    ) -> None:
        self.what, self.fix, self.column, self.where = what, fix, column, where
        self.code, self.parameter, self.fields = code, parameter, dict(fields or {})
        super().__init__(what)

    def __str__(self) -> str:
        return f"{self.message}\n  fix: {self.fix}"

    @property
    def message(self) -> str:
        """What is wrong and where, without the remedy."""
        place = f"{self.where}: " if self.where else ""
        subject = f"column {self.column!r} " if self.column is not None else ""
        return f"{place}{subject}{self.what}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_error, (type(self), dict(self.__dict__))

    def restate(self, **changes: Any) -> Self:
        """The same error, with its code, after a change of ``what``, ``fix``, ``column``, ``where`` or ``fields``."""
        return _rebuild_error(type(self), {**self.__dict__, **changes})

    def with_location(self, where: str) -> Self:
        """The same error with its place (a file, or a line and key of a plan) in front."""
        return self.restate(where=where)

    def as_json(self) -> dict[str, Any]:
        """Code and fields for programs, place, sentence and remedy for people."""
        names = ("code", "what", "fix", "column", "parameter", "where", "fields")
        return {name: getattr(self, name) for name in names}


Problem = TypeVar("Problem", bound=TacitError)


def _rebuild_error(kind: type[Problem], parts: Mapping[str, Any]) -> Problem:
    problem = kind.__new__(kind, parts["what"])
    problem.__dict__.update(parts)
    return problem


class Cancelled(TacitError):
    """The user stopped the work; nothing was left behind."""

    def __init__(self, what: str, *, fix: str) -> None:
        super().__init__(what, code="cancelled", fix=fix)


class Note(str):
    """A sentence for readers that programs know by its ``code``; ``fields`` are the names and numbers that it shows.

    >>> note = Note("k is above the 3 records of the release", code="beyond_records", records=3)
    >>> print(note, note.code, note.fields["records"], sep="; ")
    k is above the 3 records of the release; beyond_records; 3
    """

    __slots__ = ("code", "fields")

    code: str
    fields: Mapping[str, object]

    def __new__(cls, text: str, *, code: str, **fields: object) -> Self:
        """The sentence with its code and fields."""
        note = super().__new__(cls, text)
        note.code, note.fields = code, fields
        return note

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_note, (str(self), self.code, self.fields)

    def as_json(self) -> dict[str, Any]:
        """Code and fields for programs, the sentence for people."""
        return {"code": self.code, "text": str(self), "fields": dict(self.fields)}


def _rebuild_note(text: str, code: str, fields: Mapping[str, object]) -> Note:
    return Note(text, code=code, **fields)


def describe_bug(problem: BaseException) -> str:
    """Our own mistake, told without the data: kind and place of an exception, because its message may quote a cell.

    >>> try:
    ...     int("Mary")
    ... except ValueError as problem:
    ...     "Mary" in describe_bug(problem), "ValueError" in describe_bug(problem)
    (False, True)
    """
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "unknown place"
    return f"Tacit failed with {type(problem).__name__} at {place}; this is our mistake, not yours"


def nearest_name(typed: str, known: Collection[str]) -> str | None:
    """The known name that looks most like what was typed, if any does."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(typed.casefold(), folded, n=1)
    return folded[near[0]] if near else None


def suggest_alternative(typed: str, known: Collection[str]) -> str:
    """The remedy for a name that is not known: the nearest one, or all of them.

    >>> suggest_alternative("rankswap", ["rank_swap", "mdav"]), suggest_alternative("zzz", ["rank_swap", "mdav"])
    ("did you mean 'rank_swap'?", 'use one of rank_swap, mdav')
    """
    near = nearest_name(typed, known)
    return f"did you mean {near!r}?" if near else f"use one of {', '.join(known)}"


def unknown_column(name: str, known: Collection[str]) -> TacitError:
    """A column that the table lacks, answered with the nearest name or with all of them."""
    near = nearest_name(name, known)
    listed = ", ".join(list(known)[:30]) + (", …" if len(known) > 30 else "")
    return TacitError(
        "is not in the table",
        code="unknown_column",
        column=name,
        fix=f"did you mean {near!r}?" if near else f"the table has {listed}",
    )


def format_value(value: object) -> str:
    """What the user typed, as an error may show it: names and numbers as they are, of anything else only its type.

    >>> format_value(0.5), format_value("zip"), format_value([1, 2]), format_value(dict)
    ('0.5', "'zip'", 'a list', 'dict')
    """
    if value is None or isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= 80):
        return repr(value)
    return value.__name__ if isinstance(value, type) else f"a {type(value).__name__}"


def check_int(name: str, value: object, *, least: int) -> None:
    """Refuse what is not a whole number from ``least`` on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise TacitError(
            f"{name}={format_value(value)} is not a whole number of {least} or more",
            code="not_whole_number",
            parameter=name,
            fix=f"e.g. {name}={least + 2}",
        )


def check_columns(given: str | Iterable[str] | None, known: Sequence[str] | None = None) -> tuple[str, ...]:
    """One name or several as a tuple, each checked to be known; the one way in which columns are given.

    >>> check_columns("zip"), check_columns(["zip", "age"]), check_columns(None)
    (('zip',), ('zip', 'age'), ())
    """
    if given is None:
        return ()
    if not isinstance(given, str) and (not isinstance(given, Iterable) or hasattr(given, "dtype")):
        raise TacitError(
            f"columns are given by name, not as {type(given).__name__}",
            code="wrong_type",
            fix="e.g. 'zip' or ['zip', 'birth']",
        )
    found = (given,) if isinstance(given, str) else tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise TacitError(
                f"a column name is text, not {type(name).__name__}", code="wrong_type", fix="give the name in quotes"
            )
        if known is not None and name not in known:
            raise unknown_column(name, known)
    doubled = next((name for place, name in enumerate(found) if name in found[:place]), None)
    if doubled is not None:
        raise TacitError("is named twice", code="duplicate", column=doubled, fix="name each column once")
    return found
