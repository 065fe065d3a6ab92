"""Which columns help an intruder most: the attack again without each of them, and with each of them alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..claims.scenario import Scenario
from ..progress import Progress, report_progress
from ..release.masked import Masked
from ..release.release import Release
from ..result import DisplayMixin, Result, format_fact
from ._scenarios import scenario_of, truth_of
from .registry import Attacks
from .reidentify import every_attack, reidentify, worst_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnEffect:
    """One known column: what an intruder finds who lacks it, and one who knows nothing else (None: no attack applies)."""

    column: str
    without: Result | None
    alone: Result | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropOne(DisplayMixin):
    """Re-identification with all known columns, and by column; those that help an intruder most come first."""

    full: Result
    columns: tuple[ColumnEffect, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "all known columns", format_fact(self.full.value)
        for one in self.columns:
            yield one.column, f"{_format_result(one.without)} without it, {_format_result(one.alone)} with it alone"

    def as_json(self) -> dict[str, Any]:
        """Plain values, for a report."""
        columns = [
            {"column": one.column, "without": _result_json(one.without), "alone": _result_json(one.alone)}
            for one in self.columns
        ]
        return {"full": _result_json(self.full), "columns": columns}


def drop_one(
    masked: Masked | Release,
    *,
    original: Release | Scenario,
    knows: str | Iterable[str] | None = None,
    lineage: np.ndarray | None = None,
    attack: Attacks = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> DropOne:
    """What each known column gives an intruder: re-identification without it and with it alone.

    Each is the result of :func:`reidentify`, the worst of the attacks that apply or of those named by ``attack``, with the
    same meaning of the arguments. A column that lowers the number most when it is dropped is the one to mask; one that
    finds people alone is dangerous even when others replace it. 2c + 1 times the cost of the attacks for c columns.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "m", "f", "m"], "age": [20, 31, 44, 59]})
    >>> r = Release(frame, quasi=["sex", "age"], kinds={"age": "continuous"})
    >>> print(drop_one(r, original=r, lineage=np.arange(4)))
    all known columns  1
    age                0.5 without it, 1 with it alone
    sex                1 without it, 0.5 with it alone
    """
    scenario = scenario_of(masked, original, knows=knows)
    truth = truth_of(masked, original, lineage)
    steps = 2 * len(scenario.knows) + 1

    def found(columns: tuple[str, ...], step: int) -> Result | None:
        report_progress(progress, "dropping columns", step / steps)
        known = replace(scenario, knows=columns)
        done = every_attack(masked, known, truth=truth, attack=attack, seed=seed)
        if all(one.result is None for one in done):  # the release has none of these columns
            return None
        worst = worst_of(done).result
        return worst.without_data() if worst else None

    full = reidentify(masked, original=scenario, truth=truth, attack=attack, seed=seed)
    columns = []
    for place, column in enumerate(scenario.knows):
        rest = tuple(other for other in scenario.knows if other != column)
        without = found(rest, 2 * place + 1) if rest else None
        columns.append(ColumnEffect(column=column, without=without, alone=found((column,), 2 * place + 2)))
    return DropOne(full=full, columns=tuple(sorted(columns, key=_importance_key)))


def _importance_key(one: ColumnEffect) -> tuple[float, float]:
    """Less is found without it, more with it alone: the column comes earlier."""
    return (one.without.value if one.without else 0.0), -(one.alone.value if one.alone else 0.0)


def _format_result(result: Result | None) -> str:
    return "nobody" if result is None else format_fact(result.value)


def _result_json(result: Result | None) -> dict[str, Any] | None:
    return None if result is None else result.as_json()
