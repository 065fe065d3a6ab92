"""How re-identification falls with protection: every attack at each value of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, format_value
from ..progress import Progress, report_progress
from ..release.masked import Masked, Method, release_of
from ..release.release import Release
from ..result import DisplayMixin, format_fact
from ..seed import child_seed
from .registry import Attacks
from .reidentify import every_attack, worst_of
from .runner import AttackResult

Value: TypeAlias = float | int | str
Masking: TypeAlias = Method | Callable[[Release], Masked]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Point:
    """One value of the parameter, and what each attack found there."""

    parameter: Value
    attacks: tuple[AttackResult, ...]

    @property
    def worst(self) -> AttackResult:
        """The attack with the highest upper end of its interval."""
        return worst_of(self.attacks)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve(DisplayMixin):
    """Re-identification by each attack over the values of a parameter, in the order given."""

    points: tuple[Point, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """A line for each value: the worst attack, its interval, what it is sure of, and guessing."""
        for point in self.points:
            worst = point.worst
            assert worst.result is not None
            facts = worst.result.facts
            sure, baseline = format_fact(facts.get("sure links")), format_fact(facts.get("baseline"))
            spread = f" ({format_fact(worst.result.interval)})" if worst.result.interval else ""
            said = f"{format_fact(worst.result.value)}{spread} by {worst.name}, sure of {sure}, guessing {baseline}"
            yield str(point.parameter), said

    def as_json(self) -> list[dict[str, Any]]:
        """A row for each value and attack that was made, for a chart."""
        rows: list[dict[str, Any]] = []
        for point in self.points:
            for one in point.attacks:
                if one.result is None:
                    continue
                low, high = one.result.interval or (one.result.value, one.result.value)
                facts = one.result.facts
                row: dict[str, Any] = {"parameter": point.parameter, "attack": one.name, "value": one.result.value}
                row |= {"low": low, "high": high, "baseline": facts.get("baseline"), "sure": facts.get("sure links")}
                rows.append(row)
        return rows


def curve(
    original: Release,
    methods: Mapping[Value, Masking],
    *,
    knows: str | Iterable[str] | None = None,
    attack: Attacks = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> Curve:
    """How re-identification falls with protection: the original masked with each of ``methods``, and attacked.

    ``methods`` names for each value of a parameter the method that has it, or a function that makes the masked release
    from the original. The intruder is the worst case (see :func:`reidentify`) and is told the trace. Each value is masked
    once, with a seed of its own drawn from ``seed``: what two runs differ by is in addition to the intervals, which
    tell of the people alone. The cost is that of the maskings and of the attacks.

    >>> import numpy as np, polars as pl
    >>> r = Release(pl.DataFrame({"age": [20, 31, 44, 59]}), quasi="age", kinds={"age": "continuous"})
    >>> def hidden(part):
    ...     return lambda release: Masked(release.take(np.arange(part)), (), lineage=np.arange(part))
    >>> [round(point.worst.result.value, 2) for point in curve(r, {4: hidden(4), 2: hidden(2)}).points]
    [1.0, 0.5]
    """
    original = release_of(original)
    if not isinstance(methods, Mapping) or not methods:
        raise TacitError(
            f"{format_value(methods)} names no methods",
            code="missing_parameter",
            fix="give value → method, e.g. {2: RankSwap(…, percent=2)}",
        )
    points = []
    for place, (value, method) in enumerate(methods.items()):
        report_progress(progress, f"masking and attacking: {value}", place / len(methods))
        masked = _mask_original(original, method, None if seed is None else child_seed(seed, "curve", str(value)))
        scenario = Scenario.worst_case(original, knows=knows, told=masked.trace)
        truth = Truth.by_lineage(masked.rows(), original.size, trace=masked.trace)
        done = every_attack(masked, scenario, truth=truth, attack=attack, seed=seed)
        kept = tuple(replace(one, result=one.result and one.result.without_data()) for one in done)
        points.append(Point(parameter=value, attacks=kept))
    return Curve(points=tuple(points))


def _mask_original(original: Release, method: Masking, seed: bytes | None) -> Masked:
    if not hasattr(method, "apply") and callable(method) and not isinstance(method, type):
        found = method(original)
        if not isinstance(found, Masked):
            raise TacitError(
                f"the function gave {format_value(found)}, not a Masked",
                code="attack_impossible",
                fix="return release.protect(method, seed=…)",
            )
        return found
    masked: Masked = original.protect(method, seed=seed)  # type: ignore[arg-type]
    return masked
