"""Copies: people who stand in the release as they are, or nearly so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from ..claims.claims import CopyClaims
from ..claims.copies import score_copies
from ..claims.scenario import Scenario
from ..errors import TacitError, format_value
from ..progress import report_progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from ._columns import common_columns, compare_column, why_incomparable
from ._scenarios import whole_records, with_outsiders

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed


APART = 4.0
"""So far apart lie records of different categories, where those within 1 are alike."""

ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Take those for members whom a released record equals in every known column.

    With a ``percent`` above 0 near copies count too: all categories are equal, and every number and date is within so many
    per cent of the standard deviation of the released ones. A missing cell equals a missing one only.

    A generator that has learnt the training data by heart gives them back. But people may be alike: in a file of few
    categories most records equal somebody's, whoever made them. What counts is how many more people of the training data
    are met than of people like them who were held back (:func:`.copied.copied`).

    Time O((n + m) log n) in few columns, up to O(n·m) in many; memory O(n + m).

    >>> import polars as pl
    >>> released, asked = (Release(pl.DataFrame({"age": ages}), quasi="age") for ages in ([20.0, 40, 66], [20.0, 41, 50]))
    >>> [Copies(percent=p).claims(released, Scenario(file=asked, knows=("age",))).scores.tolist() for p in (0, 10)]
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """

    makes: ClassVar = CopyClaims
    linkage: ClassVar = "generic"
    needs: ClassVar = ("control",)
    percent: float = 10.0

    def __post_init__(self) -> None:
        if isinstance(self.percent, bool) or not isinstance(self.percent, int | float) or not 0 <= self.percent <= 100:
            raise TacitError(
                f"percent={format_value(self.percent)} is not a part of a standard deviation",
                code="wrong_type",
                parameter="percent",
                fix="give 0 for exact copies, or a percentage up to 100, e.g. percent=10",
            )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = why_incomparable(release, scenario.file)
        mixed = next((column for column in common_columns(release, scenario.file) if column in release.mixed), None)
        if why_not is None and mixed is not None:
            return f"{mixed!r} was recoded record by record, so that no record is as it was"
        return why_not

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> CopyClaims:
        """1 for each person whom a released record equals, else 0."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"no copies can be looked for: {why_not}",
                code="attack_impossible",
                fix="see which columns both files have",
            )
        report_progress(progress, "looking for copies", 0.0)
        found = tolerance_space(release, scenario.file, percent=self.percent).has_like()
        return CopyClaims(scores=found.astype(float), threshold=1.0)


def copies(
    masked: Masked | Release,
    *,
    original: Release,
    control: Release,
    percent: float = 10.0,
    columns: str | Iterable[str] | None = None,
) -> Results:
    r"""Exact copies and near copies of the original's people, beside those of people who were held back.

    ``control`` are people like those of the original from whom nothing was made. The first result is the share of the
    original's people whom a released record equals in all ``columns`` (all that the three files have when absent, less
    identifiers, weights and households), the second of those who are equal within ``percent`` % of a standard deviation
    (:class:`Copies`). Facts ``control`` and ``above the control``, with its interval, say what counts: a match by chance is no copy.

    ``released records like one of the people`` is the share of released records that are like somebody of the original,
    ``… of as many people as the control has`` the same beside a random part of the original (or of the control) of the size
    of the smaller side, by the hypergeometric chance that one of the c like it is drawn,

    .. math:: 1 - \binom{n - c}{m} \Big/ \binom{n}{m},

    and ``released records like one of the control`` the share beside which that stands.

    Copies found are a fault; no copies found proves nothing, because a record can be given away without being copied. Costs those of four :class:`Copies`.

    >>> import polars as pl
    >>> held, trained, made = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.5, 2.5], [1.0, 2.0], [1.0, 2.5]))
    >>> [found.value for found in copies(made, original=trained, control=held)]
    [0.5, 0.5]

    References
    ----------
    Ganev and De Cristofaro (2023), On the inadequacy of similarity-based privacy metrics, arXiv:2312.05114.
    """
    release, original, control = release_of(masked), release_of(original), release_of(control)
    knows = whole_records(release, original, control, columns)
    scenario = with_outsiders(Scenario(file=original, knows=knows), control)
    inside = np.arange(scenario.file.size) < original.size
    found = []
    for attack in (Copies(percent=0), Copies(percent=percent)):
        result, _ = score_copies(attack.claims(release, scenario), inside)
        near = tolerance_space(release, scenario.file, percent=attack.percent)
        found.append(_near_copy_result(result, attack).with_facts(**_of_records(near, inside)))
    return Results(tuple(found))


def _near_copy_result(result: Result, attack: Copies) -> Result:
    return result.with_facts(**{"numbers within": f"{attack.percent:g} % of a standard deviation"})


def _of_records(near: ToleranceSpace, inside: np.ndarray) -> dict[str, object]:
    """The shares of released records that are like somebody on either side."""
    sides = [near.count_alike(np.flatnonzero(side)) for side in (inside, ~inside)]
    size = int(min(inside.sum(), (~inside).sum()))
    even = [
        _sampling_chance(likes, int(side.sum()), size) for likes, side in zip(sides, (inside, ~inside), strict=True)
    ]
    return {
        "released records like one of the people": float((sides[0] > 0).mean()),
        "… of as many people as the control has": even[0],
        "released records like one of the control": even[1],
    }


def _sampling_chance(likes: np.ndarray, people: int, size: int) -> float:
    """The mean chance that one of the people like a record is among ``size`` of them drawn at random."""
    from scipy.stats import hypergeom

    return float(1 - hypergeom.pmf(0, people, likes, size).mean())


@dataclass(frozen=True, slots=True, eq=False)
class ToleranceSpace:
    """Rows of both files in a space in which two are alike when no coordinate differs by more than one."""

    released: np.ndarray
    listed: np.ndarray

    def has_like(self) -> np.ndarray:
        """Which rows of the list have a released row like them. O((n + m) log n) in few columns."""
        from scipy.spatial import cKDTree

        from ..kernels.nearest import distinct_rows

        points, (of, first) = np.unique(self.released, axis=0), distinct_rows(self.listed)
        far, _ = cKDTree(points).query(self.listed[first], p=np.inf, distance_upper_bound=ROUNDING)
        found: np.ndarray = np.isfinite(far)[of]
        return found

    def count_alike(self, rows: np.ndarray) -> np.ndarray:
        """For each released row how many of these rows of the list are like it."""
        from scipy.spatial import cKDTree

        from ..kernels.nearest import distinct_rows

        of, first = distinct_rows(self.released)
        tree = cKDTree(self.listed[rows])
        counts: np.ndarray = np.asarray(
            tree.query_ball_point(self.released[first], ROUNDING, p=np.inf, return_length=True)
        )
        found: np.ndarray = counts[of]
        return found


def tolerance_space(release: Release, file: Release, *, percent: float) -> ToleranceSpace:
    """The common columns of both: one coordinate for all categories together, and one for each number.

    Numbers and dates are measured in ``percent`` % of the standard deviation of the released ones; with 0 they are
    categories too. A missing cell is like a missing one and nothing else. O((n + m)·d).
    """
    codes: list[np.ndarray] = []
    numbers: list[np.ndarray] = []
    for column in common_columns(release, file):
        for pair in compare_column(release, file, column, units=False):
            both = np.append(pair.release, pair.intruder)
            unknown = np.isnan(both)
            near = percent / 100 * np.sqrt(pair.usual / 2)
            if pair.kind == "number" and near > 0:
                numbers.append(np.where(unknown, 0.0, both / near))
                codes.append(unknown.astype(float))
            else:
                codes.append(np.where(unknown, np.inf, both))
    table = pl.DataFrame({str(place): one for place, one in enumerate(codes)})
    key = table.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(float)
    whole = np.column_stack([APART * key, *numbers])
    return ToleranceSpace(whole[: release.size], whole[release.size :])
