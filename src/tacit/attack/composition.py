"""Composition: several releases about the same people, each harmless alone, leave fewer values together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import ValueClaims
from ..errors import TacitError, format_value
from .columns import why_incomparable
from .several_releases.candidates import CandidateValues, candidate_values, why_unusable
from .several_releases.intersection import RemainingValues, intersect_candidates
from .values.target import Target, no_target

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
            raise TacitError(f"column={format_value(self.column)} names no column", fix="e.g. column='diagnosis'")

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
            raise TacitError(f"releases cannot be composed: {why_not}", fix="see which columns the releases have")
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
