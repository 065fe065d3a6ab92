"""Three intruders: the prosecutor, the journalist and the marketer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import TacitError, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.lazy import LazyClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .population_match import match_population


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"threshold": 0.2},
)
def attackers(
    release: Release | Masked, *, population: Release | Masked | None = None, threshold: float = 0.2
) -> Results:
    r"""How often three kinds of intruder are right who know the quasi-identifiers.

    .. math:: R_{prosecutor} = \max_i \frac1{f_i}, \qquad R_{journalist} = \max_i \frac1{F_i}, \qquad
              R_{marketer} = \frac1n \sum_i \frac1{F_i}

    The *prosecutor* knows that his target is in the release, among f records with the same quasi-identifiers. The
    *journalist* does not, and chooses among the F people of the population; the *marketer* wants as many as possible
    and is content to be right on average. Without a population F = f: then the release is taken as everybody. Each
    result has the average, and the share of records with a risk above ``threshold``. A record whose keys nobody in the
    population has is a risk of 1/f.

    Identity disclosure, measured. Time O(n·m), memory O(n); a group-by on lazy engines without a population.

    >>> import polars as pl
    >>> patients = Release(pl.DataFrame({"zip": ["N1", "N1", "N1", "N2"]}), quasi="zip")
    >>> [round(result.value, 4) for result in attackers(patients)]
    [1.0, 1.0, 0.5]

    References
    ----------
    El Emam (2013), Guide to the De-Identification of Personal Health Information, CRC Press.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise TacitError(
            f"threshold={format_value(threshold)} is not a risk",
            code="wrong_type",
            parameter="threshold",
            fix="give a number from 0 to 1, e.g. 0.2",
        )
    plain = release_of(release)
    population = plain.population if population is None else population
    sizes = plain.matches().size()
    inside = np.array([(size, found.records) for size, found in sizes.tally().items()], dtype=float).T
    if population is None:
        vector = None if isinstance(plain.matches(), LazyClasses) else _reciprocal_of(sizes.per_record().values)
        prosecutor = journalist = _Risks(1.0 / inside[0], inside[1], threshold, vector)
    else:
        both = match_population(plain, population)
        behind = np.where(both.people > 0, both.people, both.records)
        prosecutor = _Risks(1.0 / inside[0], inside[1], threshold, _reciprocal_of(sizes.per_record().values))
        journalist = _Risks(
            1.0 / behind, both.exact_records, threshold, _reciprocal_of(lambda: behind[both.classes.of_record])
        )
    known = {"population": "the release itself" if population is None else release_of(population).size}
    return Results(
        (
            prosecutor.result("prosecutor risk", prosecutor.highest),
            journalist.result("journalist risk", journalist.highest).with_facts(**known),
            journalist.result("marketer risk", journalist.average).with_facts(**known),
        )
    )


def _reciprocal_of(counts: Callable[[], np.ndarray]) -> Callable[[], np.ndarray]:
    return lambda: 1.0 / counts()


class _Risks:
    """Risks with how many records have each."""

    def __init__(
        self,
        risks: np.ndarray,
        records: np.ndarray,
        threshold: float,
        vector: Callable[[], np.ndarray] | None,
    ) -> None:
        self.highest = float(risks.max())
        self.average = float((risks * records).sum() / records.sum())
        self._above = float(records[risks > threshold + 1e-12].sum() / records.sum())
        self._threshold, self._vector = threshold, vector

    def result(self, name: str, value: float) -> Result:
        """Under one intruder's name."""
        return Result(
            name=name,
            value=value,
            worse="high",
            about="identity",
            facts={
                "highest": self.highest,
                "average": self.average,
                f"share of records above {self._threshold:g}": self._above,
            },
            per_record=None if self._vector is None else PerRecord(array=self._vector),
        )
