"""What every measure returns: one number, the facts needed to read it, and the vector behind it.

``rows()`` decides once what a reader sees; terminal, notebook, report and JSON only lay it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from .errors import TacitError, unknown_column
from .frozen import FrozenDict
from .json_text import spell_infinity

if TYPE_CHECKING:
    from .per_record import PerRecord


def format_fact(value: object) -> str:
    """A fact as text: numbers with four significant digits and thousands separated.

    >>> (
    ...     format_fact(0.123456),
    ...     format_fact(1234567),
    ...     format_fact(True),
    ...     format_fact((0.1, 0.25)),
    ...     format_fact({"zip": 0.75, "sex": 0.25}),
    ... )
    ('0.1235', '1,234,567', 'yes', '0.1 to 0.25', 'zip 0.75, sex 0.25')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{int(value):,}" if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, float) for part in value):
        return f"{format_fact(value[0])} to {format_fact(value[1])}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {format_fact(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(format_fact(part) for part in value)
    return str(value)


def identifier_of(name: str) -> str:
    """The identifier of a measure or model that declares none.

    >>> identifier_of("k-anonymity"), identifier_of("(alpha, k)-anonymity")
    ('k_anonymity', 'alpha_k_anonymity')
    """
    return "_".join(re.findall(r"\w+", name.lower()))


def table_html(rows: Iterator[tuple[str, str]]) -> str:
    """The rows as the HTML table that a notebook shows."""
    return (
        f"<table class=result>{''.join(f'<tr><th>{escape(left)}<td>{escape(right)}' for left, right in rows)}</table>"
    )


class DisplayMixin:
    """Lays ``rows()`` out for terminal and notebook; Rich and Jupyter find the methods by name."""

    __slots__ = ()

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line; each kind has its own."""
        raise NotImplementedError

    def __str__(self) -> str:
        rows = list(self.rows())
        width = max((len(left) for left, _ in rows), default=0)
        return "\n".join(f"{left:<{width}}  {right}" for left, right in rows)

    def __rich_console__(self, console: object, options: object) -> Iterator[str]:
        yield str(self).replace("[", r"\[")

    def _repr_html_(self) -> str:
        return table_html(self.rows())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Result(DisplayMixin):
    """One number, the per-record vector behind it, and the facts needed to read it.

    Programs know it by its ``id``, readers by its ``name``. ``worse`` says in which direction the number is worse; ``about`` and ``kind`` place it: identity or
    attribute disclosure, a Boolean model or a measurable risk.

    >>> print(Result(name="k-anonymity", value=3, worse="low", about="identity", facts={"classes": 2}))
    k-anonymity  3
    classes      2
    """

    name: str
    id: str = ""
    value: float
    worse: Literal["low", "high"]
    about: Literal["identity", "attribute", "utility"]
    kind: Literal["model", "measure"] = "measure"
    column: str | None = None
    interval: tuple[float, float] | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    per_record: PerRecord | None = None

    def __post_init__(self) -> None:
        if self.value != self.value:
            raise AssertionError(f"{self.name} came out as NaN")
        object.__setattr__(self, "id", self.id or identifier_of(self.name))
        object.__setattr__(self, "facts", FrozenDict(self.facts))

    @property
    def worst_case(self) -> float:
        """The worse end of the interval, or the value where there is none: what a requirement is judged by."""
        if self.interval is None:
            return self.value
        return self.interval[1] if self.worse == "high" else self.interval[0]

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        of = f" of {self.column}" if self.column else ""
        value = format_fact(self.value)
        if self.interval:
            value += f" (95 % interval {format_fact(self.interval)})"
        yield self.name + of, value
        yield from ((name, format_fact(fact)) for name, fact in self.facts.items())

    def __repr__(self) -> str:
        of = f" of {self.column}" if self.column else ""
        return f"<Result {self.name}{of} = {format_fact(self.value)}>"

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``; per-record vectors only as their histogram; infinity as text."""
        plain: dict[str, Any] = {
            "id": self.id,
            "name": self.name,
            "column": self.column,
            "value": self.value,
            "interval": self.interval,
        }
        plain |= {"worse": self.worse, "about": self.about, "kind": self.kind, "facts": dict(self.facts)}
        if self.per_record is not None:
            plain["histogram"] = self.per_record.histogram().as_json()
        spelled: dict[str, Any] = spell_infinity(plain)
        return spelled

    def without_data(self) -> Result:
        """The same result without its hold on the data: the vector is kept as a histogram only."""
        if self.per_record is None:
            return self
        return _replace_fields(self, per_record=self.per_record.without_data())

    def with_facts(self, **facts: object) -> Result:
        """The same result with more facts."""
        return _replace_fields(self, facts={**self.facts, **facts})


def _replace_fields(result: Result, **fields: Any) -> Result:
    kept = {name: getattr(result, name) for name in Result.__slots__}
    return Result(**{**kept, **fields})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Results(DisplayMixin, Sequence[Result]):
    """One result per confidential column (or per loss); ``results["income"]`` and ``results.worst``."""

    parts: tuple[Result, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise TacitError(
                "there is no column to measure",
                code="no_confidential_column",
                fix="declare a confidential column, e.g. confidential='diagnosis' (--confidential diagnosis)",
            )

    def __getitem__(self, key: int | slice | str) -> Any:
        if not isinstance(key, str):
            return self.parts[key]
        found = self.of(key).parts
        if len(found) > 1:
            listed = ", ".join(sorted({part.name for part in found}))
            raise TacitError(
                f"several results are of {key!r}: {listed}",
                code="invalid_parameter",
                fix=f"take .of({key!r}), or .of(…) twice",
            )
        return found[0]

    def __len__(self) -> int:
        return len(self.parts)

    def of(self, key: str) -> Results:
        """The results of a column, or those with a name."""
        found = tuple(part for part in self.parts if key in (part.column, part.name))
        if not found:
            raise unknown_column(
                key, sorted({name for part in self.parts for name in (part.column, part.name) if name})
            )
        return Results(found)

    @property
    def worst(self) -> Result:
        """The result that discloses or loses most; losses of different measures cannot be compared."""
        if len({part.name for part in self.parts}) > 1 and self.parts[0].about == "utility":
            raise TacitError(
                "losses of different measures have no worst",
                code="invalid_parameter",
                fix="take those of one with .of('its name')",
            )
        low = self.parts[0].worse == "low"
        return (min if low else max)(self.parts, key=lambda part: part.value)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The rows of all parts."""
        for part in self.parts:
            yield from part.rows()

    def __repr__(self) -> str:
        return f"<Results {', '.join(repr(part) for part in self.parts)}>"
