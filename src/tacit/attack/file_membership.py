"""Presence in a released file: who lies closer to the release than people of the population do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import polars as pl

from ..claims.claims import MemberClaims
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, check_int, format_value
from ..progress import report_progress
from ..release.households import one_per_household
from ..release.masked import Masked, Method, release_of
from ..release.release import Release
from ..result import Result
from ..seed import DEFAULT_SEED, child_seed, make_generator
from ._columns import common_columns, why_incomparable
from ._distance_encoding import encode_for_distance
from ._scenarios import with_outsiders
from .attack import Attack
from .runner import judge_members

if TYPE_CHECKING:
    from ..kernels.nearest import Costs
    from ..progress import Progress
    from ..seed import Seed


GRAIN = 1e-6
"""Added to distances, for each column, before their ratio is taken; two random records differ by one in each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    r"""Take those for members of a released file, masked or synthetic, who lie near to its records.

    Presence is disclosed although nobody is found: that somebody is in the file of a clinic may be all that is to be kept.
    The distance is that of :class:`Distance`, over numbers, dates and categories alike.

    ``by="distance"`` scores a person by minus the distance :math:`r` to the ``nearest``-th nearest released record. Somebody in a crowd
    is near to a release in any case. ``by="density"`` therefore asks whether the release is denser around the person than the
    population is, which the first table of :attr:`Scenario.also` shows (people like them), with :math:`r'` the distance to the
    ``nearest``-th of those:

    .. math:: \log \hat p_{release}(x) - \log \hat p_{population}(x) \propto \log r'(x) - \log r(x) + const,

    the ratio of two nearest-neighbour estimates, in the place of kernel densities, which need a bandwidth, suffer in many
    columns, and have no meaning for categories. Only the order of scores counts, so the constant does not. The population may
    hold the very people of the list, some or all: a record of it that equals the person's in every column is taken for its
    own, and one such is left out. Else who is in the population would be told apart in the place of who is in the release.

    Time O((n + m) log n) in few columns, up to O(n·m) in many; memory O(n + m).

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> released, asked = (Release(pl.DataFrame({"age": ages}), quasi="age") for ages in ([20, 40, 66], [20, 50]))
    >>> Membership().claims(released, Scenario(file=asked, knows=("age",))).scores.round(3).tolist()
    [-0.0, -0.141]

    References
    ----------
    Chen, Yu, Zhang and Fritz (2020), GAN-Leaks: a taxonomy of membership inference attacks against generative models, ACM
    CCS.
    van Breugel, Sun, Qian and van der Schaar (2023), Membership inference attacks against synthetic data through
    overfitting detection, AISTATS.
    """

    makes: ClassVar = MemberClaims
    linkage: ClassVar = "generic"
    needs: ClassVar = ("control",)
    by: Literal["distance", "density"] = "distance"
    nearest: int = 1

    def __post_init__(self) -> None:
        if self.by not in ("distance", "density"):
            raise TacitError(
                f"by={format_value(self.by)} is unknown",
                code="unknown_name",
                parameter="by",
                fix="by is 'distance' or 'density'",
            )
        check_int("nearest", self.nearest, least=1)

    def with_control(self, scenario: Scenario, control: Release) -> Attack:
        """The same attack; where densities have no population, the outsiders, the last people of the list, stand in for it."""
        return (
            CrossFittedMembership(attack=self, control=control) if self.by == "density" and not scenario.also else self
        )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = why_incomparable(release, scenario.file)
        if why_not is not None:
            return why_not
        if release.size < self.nearest:
            return f"the release has fewer than nearest={self.nearest} records"
        if self.by == "distance":
            return None
        if not scenario.also:
            return "the density needs a table of the population (Scenario.also)"
        return _no_population(scenario.also[0], common_columns(release, scenario.file), self.nearest)

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> MemberClaims:
        """How near the release is to each person, or how much nearer than the population."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"presence cannot be inferred: {why_not}",
                code="not_applicable",
                fix="see which tables and columns it needs",
            )
        columns, people = common_columns(release, scenario.file), scenario.file.size
        file = scenario.file.select(columns)
        if self.by == "density":
            population = scenario.also[0]
            # One table, so that both distances are measured in the same units.
            file = file.append(pl.DataFrame([population.series(column) for column in columns]))
        sides = encode_for_distance(release, file)
        if not sides.points.shape[1]:
            return MemberClaims(scores=np.zeros(people), notes=("no column tells anybody apart",))
        asked = sides.queries[:people]
        report_progress(progress, "measuring distances", 0.0)
        near = self._nearest_distances(sides.points, asked, sides.costs)
        if self.by == "distance":
            return MemberClaims(scores=-near, notes=sides.notes)
        report_progress(progress, "measuring distances", 0.5)
        usual, own = self._without_own(sides.queries[people:], asked, sides.costs)
        grain = GRAIN * sides.points.shape[1]
        return MemberClaims(
            scores=np.log(usual + grain) - np.log(near + grain),
            threshold=0.0,
            notes=sides.notes,
            facts={"records of the population": len(sides.queries) - people, "people like one of them": own},
        )

    def _without_own(self, points: np.ndarray, queries: np.ndarray, costs: Costs) -> tuple[np.ndarray, int]:
        """The distance of each query to its nearest-th point, one that equals it left out; and how many had such a one."""
        from ..kernels.near_lists import near_lists
        from ..kernels.nearest import distinct_rows

        of, first = distinct_rows(queries)
        far = near_lists(points, queries[first], costs, self.nearest + 1)[1]
        equal = far[:, 0] <= 0
        found: np.ndarray = np.where(equal, far[:, -1], far[:, -2])[of]
        return found, int(equal[of].sum())

    def _nearest_distances(self, points: np.ndarray, queries: np.ndarray, costs: Costs) -> np.ndarray:
        """The distance of each query to its nearest-th point; queries that look alike are answered once."""
        from ..kernels.near_lists import near_lists
        from ..kernels.nearest import distinct_rows, nearest_and_next

        of, first = distinct_rows(queries)
        if self.nearest == 1:
            far: np.ndarray = nearest_and_next(points[distinct_rows(points)[1]], queries[first], costs).distance
        else:
            far = near_lists(points, queries[first], costs, self.nearest)[1][:, -1]
        found: np.ndarray = far[of]
        return found


def _no_population(population: Release, columns: tuple[str, ...], nearest: int) -> str | None:
    lacks = next((column for column in columns if column not in population.columns), None)
    if lacks is not None:
        return f"the table of the population lacks the column {lacks!r}"
    if population.size <= nearest:
        return f"the table of the population has fewer than {nearest + 1} records"
    return None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CrossFittedMembership:
    """A comparison of densities where the only people like those of the data are the outsiders, the last of the list.

    Were an outsider compared with all of them, it would meet itself there, and its family: the population would be denser
    around outsiders than around members whatever was released. So the outsiders are dealt into two halves, a household
    into one, and each is compared with the other half; members with either, at random. All meet as many people, none of
    them its own. Costs twice a :class:`.Membership` of half the people.
    """

    makes: ClassVar = MemberClaims
    linkage: ClassVar = "generic"
    attack: Membership
    control: Release

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if min(np.bincount(self._control_halves(DEFAULT_SEED), minlength=2)) <= self.attack.nearest:
            return f"half of the people kept back are fewer than {self.attack.nearest + 1}"
        return self.attack.applies(release, replace(scenario, also=(self.control,)))

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> MemberClaims:
        """The scores of both halves; the same scale, because distances are measured in units of the release."""
        drawn = seed if isinstance(seed, int | bytes) else DEFAULT_SEED
        halves, members = self._control_halves(drawn), scenario.file.size - self.control.size
        either = make_generator(child_seed(drawn, "members")).permutation(members) % 2
        with_half = np.append(either, 1 - halves)
        scores = np.empty(scenario.file.size)
        for half in (0, 1):
            asked = np.flatnonzero(with_half == half)
            like = self.control.take(np.flatnonzero(halves == half))
            alone = replace(scenario, file=scenario.file.take(asked), also=(like,), households=None)
            scores[asked] = self.attack.claims(release, alone, progress=progress).scores
        return MemberClaims(scores=scores, threshold=0.0, facts={"records of the population": self.control.size // 2})

    def _control_halves(self, seed: int | bytes) -> np.ndarray:
        """The half of each outsider."""
        first, units = one_per_household(self.control)
        order: np.ndarray = make_generator(child_seed(seed, "halves")).permutation(len(first)) % 2
        found: np.ndarray = order[units]
        return found


def membership_risk(
    masked: Masked | Release,
    *,
    original: Release,
    control: Release,
    knows: str | Iterable[str] | None = None,
    population: Release | None = None,
    attack: Attack | None = None,
    program: Method | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """How well an intruder tells people of the original from people who are not in it, by the released file.

    The intruder's list holds everybody of the ``original`` and of ``control``, people like them who are not in it, with the
    columns ``knows`` (all quasi-identifiers when absent). By lineage it is known who of the original is in a masked
    release; a bare release, or one whose rows were all invented (a synthetic file), was made from all of them.
    ``population`` are people like them, best of neither group: with it the attack compares densities, else distances
    (:class:`Membership`); ``attack`` gives another. ``program`` is the method that made the file, for an intruder who can run
    it (:class:`ShadowGenerators`). The result is that of :func:`tacit.claims.judge` for claims about membership: 0.5 is
    chance. The cost is that of the attack.

    >>> import polars as pl
    >>> people = [Release(pl.DataFrame({"age": ages}), quasi="age") for ages in ([20.0, 31, 44], [25.0, 38, 50])]
    >>> membership_risk(people[0], original=people[0], control=people[1]).value
    1.0

    References
    ----------
    van Breugel, Sun, Qian and van der Schaar (2023), Membership inference attacks against synthetic data through
    overfitting detection, AISTATS.
    """
    release, original = release_of(masked), release_of(original)
    own = Scenario.worst_case(original, knows=knows, told=masked.trace if isinstance(masked, Masked) else ())
    own = replace(own, program=program)
    people = None if population is None else release_of(population)
    listed = with_outsiders(own, release_of(control), population=people)
    made = attack if attack is not None else Membership(by="distance" if population is None else "density")
    if isinstance(made, type) or not hasattr(made, "makes"):
        raise TacitError(
            f"{format_value(made)} is no attack with its parameters",
            code="wrong_type",
            fix="e.g. attack=tacit.attack.Membership()",
        )
    everybody = Truth.by_lineage(masked.rows() if isinstance(masked, Masked) else None, original.size)
    found = judge_members(made, release, listed, everybody, seed=seed).result
    assert found is not None
    return found
