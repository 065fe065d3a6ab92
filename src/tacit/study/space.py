"""What is tried: strategies, which are steps of a plan whose parameters may be left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any, TypeAlias

from ..errors import TacitError, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..protect import METHODS
from ..protect.parameters import is_number
from ..registry import Entry

Path: TypeAlias = tuple[int | str, ...]
"""Where a parameter stands: the number of the step, its name, and the keys inside it."""


@dataclass(frozen=True, slots=True)
class Range:
    """Any number from ``low`` to ``high``; a whole one when both are whole. In a plan ``{ from = 2, to = 50 }``.

    With ``log`` the search goes by factors, not by differences (``scale = "log"``): from 0.01 to 1, for example.

    >>> Range(2, 50).value_at(0.5), Range(0.01, 1, log=True).value_at(0.5), Range(2, 4).levels(5)
    (26, 0.1, (2, 3, 4))
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not is_number(self.low) or not is_number(self.high) or self.low > self.high:
            raise TacitError(
                f"from {format_value(self.low)} to {format_value(self.high)} is no range",
                code="out_of_range",
                fix="give two numbers, the smaller first, e.g. { from = 2, to = 50 }",
            )
        if self.log and self.low <= 0:
            raise TacitError(
                f"a range from {format_value(self.low)} has no logarithms",
                code="invalid_plan",
                fix='start above 0, or leave scale = "log" out',
            )

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers are meant."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def value_at(self, share: float) -> float:
        """The number that lies this share of the way from the low to the high end."""
        if self.log:
            found = exp(log(self.low) + share * (log(self.high) - log(self.low)))
        else:
            found = self.low + share * (self.high - self.low)
        return self.snap_value(found)

    def snap_value(self, found: float) -> float:
        """A number as it is tried: whole, or with six digits, and never beyond the ends."""
        return min(self.high, max(self.low, round(found) if self.is_whole else float(f"{found:.6g}")))

    def levels(self, count: int) -> tuple[float, ...]:
        """So many numbers at equal distances, both ends among them; fewer where there are no more whole ones."""
        shares = [0.5] if count == 1 else [place / (count - 1) for place in range(count)]
        return tuple(dict.fromkeys(self.value_at(share) for share in shares))


@dataclass(frozen=True, slots=True)
class Choose:
    """One of several values. In a plan ``{ any_of = ["uniform", "normal"] }``.

    >>> Choose("a", "b").levels(5)
    ('a', 'b')
    """

    of: tuple[Any, ...]

    def __init__(self, *of: Any) -> None:
        if not of:
            raise TacitError(
                "there is nothing to choose from", code="wrong_type", fix="name at least one, e.g. { any_of = [3, 5] }"
            )
        object.__setattr__(self, "of", of)

    def value_at(self, share: float) -> Any:
        """The value that lies this share of the way through the list."""
        return self.of[min(len(self.of) - 1, int(share * len(self.of)))]

    def levels(self, count: int) -> tuple[Any, ...]:  # noqa: ARG002 - a list is tried as a whole
        """All of them."""
        return self.of


Open: TypeAlias = Range | Choose


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """Steps of a plan under a name; a parameter may be a :class:`Range` or a :class:`Choose` instead of a value.

    ``methods`` are those that steps may name: the masking methods, or ``tacit.graphs.METHODS`` for a network.

    >>> swap = Strategy.of("swap", [{"method": "rank_swap", "columns": ["pay"], "percent": {"from": 1, "to": 20}}])
    >>> swap.open_parameters
    {(0, 'percent'): Range(low=1, high=20, log=False)}
    >>> swap.fill_steps({(0, "percent"): 5})
    ({'method': 'rank_swap', 'columns': ('pay',), 'percent': 5},)
    """

    name: str
    steps: tuple[Mapping[str, Any], ...]
    methods: Mapping[str, Entry] = field(default_factory=lambda: METHODS, repr=False, compare=False)

    @staticmethod
    def of(name: str, steps: Sequence[Mapping[str, Any]], *, methods: Mapping[str, Entry] = METHODS) -> Strategy:
        """From plain data, as they stand in a plan."""
        if isinstance(steps, Mapping) or not isinstance(steps, Sequence) or not steps:
            raise TacitError(
                f"the strategy {name!r} has no steps", code="invalid_plan", fix='e.g. steps = [{ method = "mdav", … }]'
            )
        read = tuple(_read_step(step, name, methods) for step in steps)
        return Strategy(name=name, steps=read, methods=methods)

    @property
    def open_parameters(self) -> dict[Path, Open]:
        """Every parameter that is left open, by its place."""
        return dict(_iter_open(self.steps))

    def fill_steps(self, values: Mapping[Path, Any]) -> tuple[dict[str, Any], ...]:
        """The steps with a value in every open place."""
        steps: tuple[dict[str, Any], ...] = _fill_open(self.steps, values, ())
        return steps


def _read_step(given: Any, strategy: str, methods: Mapping[str, Entry]) -> Any:
    """A step of a known method with parameters that it has: a wrong name would fail every candidate."""
    method = given.get("method") if isinstance(given, Mapping) else None
    if not isinstance(method, str) or method not in methods:
        said = f"the method {method!r} of the strategy {strategy!r} is unknown"
        raise TacitError(said, code="unknown_name", fix=suggest_alternative(str(method), methods))
    step = _parse_open(given)
    takes, needs = methods[method].parameters, methods[method].required
    wrong = next((name for name in step if name not in takes and name != "method"), None)
    if wrong is not None:
        said = f"{method} in the strategy {strategy!r} has no parameter {wrong!r}"
        raise TacitError(said, code="unknown_name", fix=suggest_alternative(str(wrong), takes))
    # A step without models is given those that are required.
    lacks = next((name for name in needs if name not in step and name != "models"), None)
    if lacks is not None:
        said = f"{method} in the strategy {strategy!r} lacks its parameter {lacks!r}"
        raise TacitError(said, code="unknown_name", fix=f"{method} takes {', '.join(takes)}")
    return step


def _parse_open(given: Any) -> Any:
    """Plain data with ranges and choices in the places of their tables."""
    if isinstance(given, Mapping):
        if {"from", "to"} <= set(given) <= {"from", "to", "scale"}:
            scale = given.get("scale", "linear")
            if scale not in ("linear", "log"):
                raise TacitError(f"the scale {scale!r} is unknown", code="unknown_name", fix="use linear or log")
            return Range(given["from"], given["to"], log=scale == "log")
        if set(given) == {"any_of"} and isinstance(given["any_of"], list | tuple):
            of = tuple(_parse_open(part) for part in given["any_of"])
            if any(True for _ in _iter_open(of)):
                raise TacitError(
                    "there is a range or a choice among the values of any_of",
                    code="invalid_plan",
                    fix="name values, or make it two strategies",
                )
            return Choose(*of)
        return FrozenDict({key: _parse_open(part) for key, part in given.items()})
    return tuple(_parse_open(part) for part in given) if isinstance(given, list | tuple) else given


def _iter_open(given: Any, path: Path = ()) -> Iterator[tuple[Path, Open]]:
    if isinstance(given, Range | Choose):
        yield path, given
    elif isinstance(given, Mapping):
        for key, part in given.items():
            yield from _iter_open(part, (*path, key))
    elif isinstance(given, tuple):
        for place, part in enumerate(given):
            yield from _iter_open(part, (*path, place))


def _fill_open(given: Any, values: Mapping[Path, Any], path: Path) -> Any:
    if isinstance(given, Range | Choose):
        return values[path]
    if isinstance(given, Mapping):
        return {key: _fill_open(part, values, (*path, key)) for key, part in given.items()}
    if isinstance(given, tuple):
        return tuple(_fill_open(part, values, (*path, place)) for place, part in enumerate(given))
    return given
