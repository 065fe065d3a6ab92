"""The transparency attack: everything that was published about the masking is used against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..claims.claims import LinkClaims
from ..claims.scenario import Scenario
from ..errors import TacitError, typed
from ..progress import part, report
from ..release.steps import flattened
from ..release.trace import Trace
from .columns import incomparable
from .laws.combined import by_distance, combined, disbelieved
from .laws.known import Known
from .laws.rank_swap import AT_MOST
from .linked import linked
from .space import windowed

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


CONTRADICTED = 0.1
"""When more of the people who are inside have no possible record, what was told is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transparency:
    r"""Link each person to the likeliest of the records that the published masking can have made of theirs (M-03).

    The trace says which methods were applied, with which parameters. So, for each column j that the intruder knows, the
    released value of a person x lies in a set :math:`B_j(x)`: equal where no step touched it, covered where it was
    coarsened, within the reach of rank swapping, among the candidate groups of microaggregation. The record is in

    .. math:: \bigcap_j B_j(x),

    which never grows with one column more. Within it the likeliest records are candidates, by the law of the method where
    it has one, else the nearest, as :class:`Distance` measures it; with ``within="distance"`` always the nearest, as the
    literature has it for rank swapping (M-04). **Sure** is a link when
    (a) the intruder knows the person to be in the release and one record is possible, or (b) it knows everybody
    in the release and the record is possible for nobody else: no distance knows that. After sampling or removal of
    records (a) tells nothing, after invented ones (b).

    Columns changed by several steps, or by a method without a law, are compared as if nothing had been told, and a note
    says so. When somebody who is in the release has no possible record, the trace contradicts the data or a bound is too
    low: then nothing is sure, that person is linked by cost alone, and a note counts such people. When there are more
    than a tenth, the laws of the trace are not believed, and then nothing of it. ``percent`` is an
    upper bound of the reach of rank swapping for a trace that does not tell it (M-06); without it, the least reach that
    leaves nobody without a record is taken, which is no more than a lower bound.

    Time about O((n + m) log n) when few records are possible, up to O(n·m); memory O(n + m + candidates).

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> from tacit.protect import RankSwap
    >>> values = pl.DataFrame({"pay": range(100), "age": [7 * i % 100 for i in range(100)]})
    >>> r = Release(values, quasi=["pay", "age"], kinds={"pay": "continuous", "age": "continuous"})
    >>> m = r.protect(RankSwap(columns=["pay", "age"], percent=3), seed=7)
    >>> claims = Transparency().claims(m.release, Scenario.worst_case(r, told=m.trace))
    >>> int(claims.sure.sum())
    100

    References
    ----------
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering
    64, 346–364.
    """

    percent: float | None = None
    within: Literal["likelihood", "distance"] = "likelihood"

    def __post_init__(self) -> None:
        given = self.percent
        if given is not None and (
            isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 100
        ):
            raise TacitError(
                f"percent={typed(given)} is no bound of a reach",
                fix="give a percentage of the records in (0, 100], e.g. percent=20, or leave it out",
            )
        if self.within not in ("likelihood", "distance"):
            raise TacitError(
                f"within={typed(self.within)} is unknown",
                fix="'likelihood': the likeliest of the possible records; 'distance': the nearest of them",
            )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if not scenario.told:
            return "nothing was told about the masking"
        return incomparable(release, scenario.file)

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released records each of the intruder's can have become, and the likeliest of them."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"an attack by what was published is not possible: {why_not}",
                fix="give the trace with told=, and a file with columns of the release",
            )
        report(progress, "reading the trace", 0.0)
        known = combined(release, self._bounded(scenario))
        if self.within == "distance":
            known = tuple(by_distance(one, release, scenario.file) for one in known)
        claims, lost = linked(known, release, scenario, progress=part(progress, 0.1, 0.8))
        doubts: tuple[str, ...] = ()
        for laws_only in (True, False):
            doubted = [one for one in known if (one.law or not laws_only) and any(map(windowed, one.compared))]
            if lost <= CONTRADICTED or not doubted:
                continue
            doubts = (_doubt(doubted, lost),)
            known = tuple(disbelieved(one, release, scenario.file) if one in doubted else one for one in known)
            claims, lost = linked(known, release, scenario, progress=part(progress, 0.8, 1.0))
        return replace(claims, notes=_notes(known) + doubts + claims.notes)

    def _bounded(self, scenario: Scenario) -> Scenario:
        """The scenario with the intruder's bound in every step of rank swapping that tells no reach."""
        if self.percent is None:
            return scenario
        told = []
        for step in flattened(scenario.told):
            if step.method == "rank_swap" and "percent" not in step.parameters:
                step = Trace(step.method, {**step.parameters, AT_MOST: self.percent}, step.outcome)
            told.append(step)
        return replace(scenario, told=tuple(told))


def _doubt(doubted: Sequence[Known], lost: float) -> str:
    columns = ", ".join(repr(column) for one in doubted for column in one.columns)
    return (
        f"{lost:.0%} of the known people had no possible record: what was told of {columns} contradicts the data, and is "
        "not believed; these columns are compared as if nothing had been told of them"
    )


def _notes(known: Sequence[Known]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for one in known for note in one.notes))
