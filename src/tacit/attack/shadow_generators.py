"""Shadow generators: the intruder runs the program itself, with and without the person, and compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import MemberClaims
from ..errors import Cancelled, TacitError, check_int
from ..progress import report_progress, sub_progress
from ..release.masked import Method, release_of
from ..seed import DEFAULT_SEED, child_seed, make_generator
from ._columns import common_columns, why_incomparable
from ._distance_encoding import encode_for_distance
from .attack import AttackImpossible
from .file_membership import GRAIN
from .model_membership.lira import log_likelihood_ratio
from .model_membership.shadow_models import random_halves

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowGenerators:
    r"""Make the file again, with and without each person, and ask in which sort of file the person is as near.

    Having the program by which a file was made is knowledge: :attr:`Scenario.program`. The intruder runs it ``count`` times
    on random halves of its own list, so that half of these shadow files were made with a given person and half without. How near a file comes to
    the person is :math:`\varphi = -\log r`, with r the distance to the ``nearest``-th nearest record (:class:`.Membership`); with normal laws for
    both sorts of shadows the score is the likelihood ratio of the released file,

    .. math:: \log \frac{N(\varphi; \mu_{in}, \sigma^2_{in})}{N(\varphi; \mu_{out}, \sigma^2_{out})}.

    So nobody is taken for a member because any file comes near to them, and the lonely, whom a generator gives away first, are
    measured by their own yardstick. It is the stronger attacker who can run the program after choosing whom to look for
    (the people asked about are in its list, who is a member is not). The whole list is attacked with the same shadows, at
    ``count`` runs of the program; that of Stadler et al. runs it anew for each person. A shadow is made from half of the list, and should be as large as the training data: best when as many were held back as were used.

    Variances are pooled over the people. Time ``count`` times that of the program and of O(n log n) to O(n²) for the
    distances; memory O(count · n).

    References
    ----------
    Stadler, Oprisanu and Troncoso (2022), Synthetic data – anonymisation groundhog day, USENIX Security.
    Houssiau et al. (2022), TAPAS: a toolbox for adversarial privacy auditing of synthetic data, NeurIPS SyntheticData4ML.
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """

    makes: ClassVar = MemberClaims
    linkage: ClassVar = "specific"
    needs: ClassVar = ("control",)
    upto: ClassVar = 5000
    count: int = 16
    nearest: int = 1

    def __post_init__(self) -> None:
        check_int("count", self.count, least=4)
        check_int("nearest", self.nearest, least=1)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if scenario.program is None:
            return "the intruder does not have the program by which the file was made (Scenario.program)"
        if scenario.file.size < 4:
            return "shadow files need at least four people, from whose halves they are made"
        if min(release.size, scenario.file.size // 2) < self.nearest:
            return f"the release or half of the list has fewer than nearest={self.nearest} records"
        return why_incomparable(release, scenario.file)

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> MemberClaims:
        """The logarithm of the likelihood ratio of each person."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"shadow generators are not possible: {why_not}",
                code="wrong_type",
                fix="give the scenario what it needs",
            )
        drawn = seed if isinstance(seed, int | bytes) else DEFAULT_SEED
        inside = random_halves(scenario.file.size, self.count, make_generator(child_seed(drawn, "halves")))
        near = np.array([self._log_nearness(one, scenario) for one in _shadow_files(scenario, inside, drawn, progress)])
        phi = self._log_nearness(release.select(common_columns(release, scenario.file)), scenario)
        facts = {"shadows": self.count, "records of a shadow": (scenario.file.size + 1) // 2}
        return MemberClaims(scores=log_likelihood_ratio(phi, near, inside), threshold=0.0, facts=facts)

    def _log_nearness(self, release: Release, scenario: Scenario) -> np.ndarray:
        """How near the file comes to each person, in logarithms."""
        from ..kernels.near_lists import near_lists
        from ..kernels.nearest import distinct_rows

        sides = encode_for_distance(release, scenario.file)
        if not sides.points.shape[1]:
            return np.zeros(scenario.file.size)
        of, first = distinct_rows(sides.queries)
        points = sides.points[distinct_rows(sides.points)[1]] if self.nearest == 1 else sides.points
        far = near_lists(points, sides.queries[first], sides.costs, self.nearest)[1][:, -1]
        found: np.ndarray = -np.log(far[of] + GRAIN * sides.points.shape[1])
        return found


def _shadow_files(
    scenario: Scenario, inside: np.ndarray, seed: int | bytes, progress: Progress | None
) -> Iterator[Release]:
    """The shadow file of each row of ``inside``."""
    program = scenario.program
    assert program is not None
    for number, rows in enumerate(inside):
        report_progress(progress, "running the generator on halves of the list", number / len(inside))
        share = sub_progress(progress, number / len(inside), (number + 1) / len(inside))
        yield _run_generator(
            program, scenario.file.take(np.flatnonzero(rows)), child_seed(seed, "shadow", number), share
        )


def _run_generator(program: Method, half: Release, seed: bytes, progress: Progress | None) -> Release:
    try:
        return release_of(program.apply(half, seed=seed, progress=progress))
    except Cancelled:
        raise
    except TacitError as problem:
        raise AttackImpossible(
            f"the program cannot be run on half of the list: {problem.what}",
            column=problem.column,
            fix="give a list with the columns that it needs, or leave the attack out",
        ) from problem
