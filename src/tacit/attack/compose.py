"""Releases put together one after the other: how many people each one more gives away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ..claims.scenario import Scenario
from ..claims.values import right_values
from ..errors import TacitError
from ..progress import Progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import DisplayMixin, Result, format_fact
from .composition import Composition, values_left
from .several_releases.candidates import candidate_values, why_unusable
from .several_releases.intersection import intersect_candidates
from .values.target import target_of, true_values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompositionResult(DisplayMixin):
    """What the first release, the first two, … tell of each person. NEVER to be published by person: it points at people.

    ``left[b, j]`` is how many values the first j + 1 releases leave for person b, −1 where none says anything and 0 where
    they contradict each other; ``determined[b, j]`` whether one value is left for certain; ``right[j]`` the judged claims,
    with their per-record vector, where the people's true values were given.
    """

    column: str
    left: np.ndarray
    determined: np.ndarray
    right: tuple[Result, ...] | None

    def frame(self) -> pl.DataFrame:
        """One row for each number of releases: people determined, mean values left, contradicted, and the share right."""
        held = np.where(self.left > 0, self.left, np.nan)
        count = np.maximum((self.left > 0).sum(axis=0), 1)
        columns: dict[str, object] = {
            "releases": np.arange(self.left.shape[1]) + 1,
            "determined": self.determined.sum(axis=0),
            "values left": np.nansum(held, axis=0) / count,
            "contradicted": (self.left == 0).sum(axis=0),
            "says nothing": (self.left < 0).sum(axis=0),
        }
        if self.right is not None:
            columns["right"] = [one.value for one in self.right]
            columns["baseline"] = [float(str(one.facts["baseline"])) for one in self.right]
            columns["determined and right"] = [
                int((one.per_record.values() >= 1 - 1e-9)[of].sum()) if one.per_record is not None else 0
                for one, of in zip(self.right, self.determined.T, strict=True)
            ]
        return pl.DataFrame(columns)

    def rows(self) -> Iterator[tuple[str, str]]:
        """For each number of releases how many people are determined, how many values are left, how much is right."""
        for line in self.frame().iter_rows(named=True):
            text = f"{line['determined']:,} of {len(self.left):,} people determined, {format_fact(line['values left'])} values left"
            if self.right is not None:
                text += f", {format_fact(line['right'])} right (baseline {format_fact(line['baseline'])})"
            yield f"{line['releases']} release{'s' if line['releases'] > 1 else ''}", text


def compose(
    releases: Sequence[Release | Masked],
    *,
    people: Release,
    column: str | None = None,
    knows: str | Iterable[str] | None = None,
    progress: Progress | None = None,
) -> CompositionResult:
    """How many people are determined by the first release, by the first two, …, by all of them (internal).

    ``people`` are those whom the intruder looks for; it knows their columns ``knows`` (their quasi-identifiers when
    absent). Where they have ``column``, their true values judge what is claimed. The attack is :class:`.Composition`, which
    says what is assumed. The classes are found once; the cost is that of the attack on each number of releases.

    >>> ill = {"a": ["hiv", "flu"], "b": ["hiv", "gout"]}
    >>> a, b = (Release(pl.DataFrame({"zip": "N1", "ill": ill[x]}), quasi="zip", confidential="ill") for x in "ab")
    >>> bob = Release(pl.DataFrame({"zip": ["N1"], "ill": ["hiv"]}), quasi="zip", confidential="ill")
    >>> print(compose([a, b], people=bob))
    1 release   0 of 1 people determined, 2 values left, 0.5 right (baseline 0.5)
    2 releases  1 of 1 people determined, 1 values left, 1 right (baseline 1)
    """
    tables = _check_releases(releases)
    people = release_of(people)
    known = people.quasi if knows is None else knows
    scenario = Scenario(file=people, knows=known, also=tuple(tables[1:]))  # type: ignore[arg-type]
    why_not = Composition(column=column).applies(tables[0], scenario)
    chosen = column or next(iter(tables[0].confidential), "")
    reasons = [] if why_not else [why_unusable(other, tables[0], scenario.file, chosen) for other in tables[1:]]
    for place, reason in enumerate(reasons):
        why_not = why_not or (f"release {place + 2} {reason}" if reason else None)
    if why_not:
        raise TacitError(f"the releases cannot be composed: {why_not}", fix="leave that release out, or name column=…")
    helds, target = candidate_values(tables, scenario.file, chosen, progress=progress)
    steps = [intersect_candidates(helds[: count + 1]) for count in range(len(helds))]
    right = None
    if chosen in people.columns:
        values = true_values(tables[0], people, chosen)
        right = tuple(right_values(values_left(step, target), values) for step in steps)
    return CompositionResult(
        column=target_of(tables[0], chosen).column,
        left=np.column_stack([step.remaining_counts() for step in steps]),
        determined=np.column_stack([step.determined_people() for step in steps]),
        right=right,
    )


def _check_releases(releases: Sequence[Release | Masked]) -> list[Release]:
    if not isinstance(releases, list | tuple) or len(releases) < 2:
        raise TacitError(
            "there are not two releases to put together", fix="give a list of them, e.g. compose([a, b], …)"
        )
    return [release_of(release) for release in releases]
