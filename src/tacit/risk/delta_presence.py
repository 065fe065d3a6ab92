"""δ-presence: how sure an intruder can be that somebody of the population is in the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result
from .population_match import PopulationMatch, match_population


@describe(
    tags=Tags(about="identity", kind="measure", shown="proven"),
    needs=("population",),
)
def delta_presence(release: Release | Masked, *, population: Release | Masked | None = None) -> Result:
    r"""The largest chance, over the people of the population, of being in the release.

    .. math:: \delta_{max} = \max_j f_j / F_j, \qquad \delta_{min} = \min_j f_j / F_j

    for the f records and F people with the same quasi-identifiers as person j. Being in a file of patients is itself
    confidential: :math:`\delta_{max} = 1` says that somebody is in it for sure, :math:`\delta_{min} = 0` that somebody is
    not. The smallest counts the people whose keys no record has (they are absent for sure). Where fewer people than
    records have the keys, which sampling cannot make, presence is taken as 1. ``per_record`` is f/F.

    Under ``missing="any"`` a record with gaps may be one of several people who are not alike, so that f/F is nobody's
    chance. The chance of person j then is the share of the ways to give every record a person of its own, whom it matches,
    in which j gets one; to count the ways is as hard as a permanent. Both ends are bounds that no such chance passes:
    ``value`` is never below the largest, "smallest presence" never above the smallest. Without gaps they are f/F. The
    argument is in ``delta_presence.md``.

    Membership disclosure, a Boolean model. Time O(n + N), memory O(n + N); in memory only.

    >>> import polars as pl
    >>> town = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", "N2", "N2"]}), quasi="zip")
    >>> result = delta_presence(town.take(np.array([0, 2])), population=town)
    >>> result.value, round(result.facts["smallest presence"], 4)
    (0.5, 0.3333)

    References
    ----------
    Nergiz, Atzori, Clifton (2007), Hiding the presence of individuals from shared databases, SIGMOD, 665–676.
    """
    both = match_population(release, population)
    shares, of_record, bounds = presence_by_class(both), both.classes.of_record, presence_bounds(both)
    return Result(
        name="delta-presence",
        value=bounds.largest,
        worse="high",
        about="identity",
        kind="model",
        facts={
            "smallest presence": bounds.smallest,
            "people whose keys no record has": both.absent,
            "records surely present": int(both.exact_records[shares >= 1.0].sum()),
            "population": both.population,
            "sampling fraction": len(of_record) / both.population,
        },
        per_record=PerRecord(array=lambda: shares[of_record]),
    )


def presence_by_class(both: PopulationMatch) -> np.ndarray:
    """Records over people in each class, at most 1."""
    shares: np.ndarray = np.minimum(1.0, both.records / np.maximum(1, both.people))
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class PresenceBounds:
    """Bounds of the chance of being in the release: ``below`` and ``above`` for each person of the population.

    ``largest`` is no less than any chance and ``smallest`` no more.
    """

    below: np.ndarray
    above: np.ndarray
    largest: float
    smallest: float


def presence_bounds(both: PopulationMatch) -> PresenceBounds:
    """Bounds from the counts of matching records and people; the argument is in ``delta_presence.md``. O(n + N)."""
    shares, joint = presence_by_class(both), both.joint
    records = np.arange(joint.of_record.size) < both.classes.of_record.size
    in_release, in_population = records.astype(float), (~records).astype(float)
    if isinstance(joint, ArrayClasses):
        people = np.maximum(1.0, joint.totals(in_population))
        below = above = np.minimum(1.0, joint.totals(in_release) / people)[joint.of_record[~records]]
    else:
        people, matching = joint.totals(in_population), joint.totals(in_release)
        with_gaps = joint.totals(in_population * joint.has_missing_key)
        odds_below = _joint_odds(joint, people - joint.superset_totals(in_release), in_release)
        odds_above = _joint_odds(joint, people - matching - with_gaps, in_release)
        below, above = (_chance_from_odds(odds)[joint.of_record[~records]] for odds in (odds_below, odds_above))
    smallest = 0.0 if both.absent else float(below.min())
    return PresenceBounds(below, above, max(float(shares.max()), float(above.max())), smallest)


def _joint_odds(joint: Matches, free: np.ndarray, in_release: np.ndarray) -> np.ndarray:
    """For each joint class the sum of 1/free over the records that it matches; infinite where one has nobody left."""
    with np.errstate(divide="ignore"):
        each = np.where(free > 0.5, 1.0 / np.maximum(free, 0.0), np.inf)[joint.of_record]
    each[in_release == 0.0] = 0.0
    return joint.totals(each)


def _chance_from_odds(odds: np.ndarray) -> np.ndarray:
    return np.where(np.isinf(odds), 1.0, odds / (1.0 + np.where(np.isinf(odds), 0.0, odds)))
