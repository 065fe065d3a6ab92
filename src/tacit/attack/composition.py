"""Composition: several releases about the same people, each harmless alone, leave fewer values together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from ..claims.claims import ValueClaims
from ..claims.scenario import Scenario
from ..claims.values import right_values
from ..errors import TacitError, format_value
from ..progress import Progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import DisplayMixin, Result, format_fact
from ._candidates import CandidateValues, RemainingValues, candidate_values, intersect_candidates, why_unusable
from ._columns import why_incomparable
from ._target import Target, no_target, target_of, true_values

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    r"""Intersect what several releases say of the same person's confidential value.

    The intruder has the release and others (``scenario.also``), perhaps with other columns, generalised otherwise. In
    release j a person b may be any record of :math:`C_j(b)`, those that contradict nothing known of it
    (:func:`.held.candidate_records`); let :math:`s_j(v)` be the share of the value v there and :math:`\pi_j(v)` that in all of
    release j. A value that is absent from one :math:`C_j(b)` is out; of the r releases that hold somebody like b, those
    left have

    .. math:: \Pr[V(b) = v] \propto \bar\pi(v) \prod_{j=1}^r \frac{s_j(v)}{\pi_j(v)}, \qquad
              \bar\pi(v) = \Big(\prod_{j=1}^r \pi_j(v)\Big)^{1/r}.

    This is Bayes' rule when b is each record of :math:`C_j(b)` with the same chance, the other records there are drawn
    as in the whole release, the releases tell independently, and :math:`\bar\pi` is how common v is among those who are in
    all of them: a common value is in every class anyway, so that it is worth less to be left. Where the releases have the
    same people, or people alike, :math:`\bar\pi` is that share; where one holds many strangers of whom few values are
    common, nobody can read it off the releases, and the mean is a stand-in: chances between 0 and 1 are then too bold (in
    a simulation with three strangers for each person, 0.7 was claimed where 0.57 were right). With one release it is the
    share in the class; a value left alone is certain.

    **Assumes** that b is in every release that holds somebody like it, and has the same value in all of them (one
    condition at both visits); so what is certain here is *likely* to be true. A release whose classes hold nobody like b
    says nothing. Where no value is left, b is not the same in all or the value changed, and nothing is claimed. Records
    without a value leave their chance to nobody. Values that the release itself does not show are reckoned with and
    cannot be claimed, except numbers; these are compared exactly, so that noise in one release ends in a contradiction. A
    release that shows the column at another level is not used.

    ``column`` may be left out when one column is confidential. Time is that of finding the classes, about
    O(r (n + m) log n), and O(kinds of people · values · r log); memory O(n r + values named).

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> ill = {"a": ["hiv", "flu"], "b": ["hiv", "gout"]}
    >>> a, b = (Release(pl.DataFrame({"zip": "N1", "ill": ill[x]}), quasi="zip", confidential="ill") for x in "ab")
    >>> bob = Release(pl.DataFrame({"zip": ["N1"]}), quasi="zip")
    >>> claims = Composition().claims(a, Scenario(file=bob, knows=("zip",), also=(b,)))
    >>> a.codes("ill").dictionary[claims.codes.tolist()].to_list(), claims.shares.tolist()
    (['hiv'], [1.0])

    References
    ----------
    Ganta, Kasiviswanathan and Smith (2008), Composition attacks and auxiliary information in data privacy, KDD, 265–273.
    """

    makes: ClassVar = ValueClaims
    linkage: ClassVar = "generic"
    column: str | None = None

    def __post_init__(self) -> None:
        if self.column is not None and (not isinstance(self.column, str) or not self.column):
            raise TacitError(
                f"column={format_value(self.column)} names no column",
                code="no_usable_column",
                parameter="column",
                fix="e.g. column='diagnosis'",
            )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = no_target(release, scenario, self.column) or why_incomparable(release, scenario.file)
        if why_not:
            return why_not
        if not scenario.also:
            return "the intruder has no other release about the same people"
        column = self.column or release.confidential[0]
        reasons = [why_unusable(other, release, scenario.file, column) for other in scenario.also]
        return None if None in reasons else f"the other release {reasons[0]}"

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> ValueClaims:
        """For each person the values that all releases leave, with their chances."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"releases cannot be composed: {why_not}",
                code="not_applicable",
                fix="see which columns the releases have",
            )
        column = self.column or release.confidential[0]
        reasons = [why_unusable(other, release, scenario.file, column) for other in scenario.also]
        others = [other for other, reason in zip(scenario.also, reasons, strict=True) if reason is None]
        helds, target = candidate_values([release, *others], scenario.file, column, progress=progress)
        left = [intersect_candidates(helds[: count + 1]) for count in range(len(helds))]
        unused = [f"another release is not used: it {reason}" for reason in reasons if reason]
        return values_left(
            left[-1], target, notes=(*_silent_release_notes(helds), *unused), facts=_composition_facts(left)
        )


def values_left(
    found: RemainingValues, target: Target, *, notes: Sequence[str] = (), facts: dict[str, object] | None = None
) -> ValueClaims:
    """The values left as claims; codes beyond those of the release cannot be claimed."""
    said: dict[str, np.ndarray] = {}
    start, shares = found.start, found.shares
    if target.numbers is not None:
        said["numbers"] = target.numbers[found.codes]
    else:
        shown = found.codes < target.count
        start = np.append(0, np.cumsum(shown))[start]
        said["codes"], shares = found.codes[shown], shares[shown]
    return ValueClaims(
        column=target.column,
        start=start,
        shares=shares,
        claim_of=found.kind_of,
        notes=tuple(notes),
        facts=facts or {},
        **said,
    )


def _silent_release_notes(helds: Sequence[CandidateValues]) -> list[str]:
    """How many people each release says nothing of."""
    absent = [int((np.diff(held.start) == 0)[held.claim_of].sum()) for held in helds]
    return [
        f"release {place + 1} says nothing about {count:,} of the people: it holds nobody like them"
        for place, count in enumerate(absent)
        if count
    ]


def _composition_facts(left: Sequence[RemainingValues]) -> dict[str, object]:
    counts = np.column_stack([one.remaining_counts() for one in left])
    # The same people in every mean: those of whom the first release speaks, and whom none contradicts.
    same = (counts[:, 0] > 0) & (counts > 0).all(axis=1)
    means = {str(place + 1): float(counts[same, place].mean()) for place in range(len(left)) if same.any()}
    return {
        "releases": len(left),
        "one value left by this release": int(left[0].determined_people().sum()),
        "one value left by all": int(left[-1].determined_people().sum()),
        "contradicted": int((counts[:, -1] == 0).sum()),
        "values left by number of releases": means,
    }


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
        raise TacitError(
            f"the releases cannot be composed: {why_not}",
            code="not_applicable",
            fix="leave that release out, or name column=…",
        )
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
            "there are not two releases to put together",
            code="wrong_type",
            fix="give a list of them, e.g. compose([a, b], …)",
        )
    return [release_of(release) for release in releases]
