"""k-map: how many people of the population each released record could be."""

from __future__ import annotations

from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result
from .population_match import match_population


@describe(
    tags=Tags(about="identity", kind="measure", shown="proven"),
    needs=("population",),
)
def k_map(release: Release | Masked, *, population: Release | Masked | None = None) -> Result:
    r"""The smallest number of people in the population who have the quasi-identifiers of a released record.

    .. math:: k = \min_i F_i, \qquad F_i = |\{\text{people } j : q_j = q_i\}|

    An intruder who does not know who is in the release finds a record with chance 1/F at most. k-anonymity asks the
    same within the release, and more than is needed when being in the release is not known. 0 means that nobody of
    the population has the keys of some record: then it is not its population. ``per_record`` is F.

    Identity disclosure, a Boolean model. Time O(n + N), memory O(n + N); in memory only.

    >>> import polars as pl
    >>> town = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", "N2", "N2"]}), quasi="zip")
    >>> k_map(town.select("zip"), population=town).value
    2

    References
    ----------
    Sweeney (2002), k-anonymity: a model for protecting privacy, IJUFKS 10, 557–570.
    """
    both = match_population(release, population)
    people, of_record = both.people, both.classes.of_record
    return Result(
        name="k-map",
        value=int(people.min()),
        worse="low",
        about="identity",
        kind="model",
        facts={
            "population": both.population,
            "sampling fraction": len(of_record) / both.population,
            "records with one person behind them": int(both.exact_records[people == 1].sum()),
            "records with nobody behind them": int(both.exact_records[people == 0].sum()),
        },
        per_record=PerRecord(array=lambda: people[of_record]),
    )
