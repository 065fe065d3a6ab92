"""δ-presence: how sure an intruder can be that somebody of the population is in the release."""

from __future__ import annotations

import numpy as np

from ..per_record import PerRecord
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result
from .people import Compared, compared

__all__ = ["delta_presence", "presence"]


def delta_presence(release: Release | Masked, *, population: Release | Masked | None = None) -> Result:
    r"""The largest chance, over the people of the population, of being in the release.

    .. math:: \delta_{max} = \max_j f_j / F_j, \qquad \delta_{min} = \min_j f_j / F_j

    for the f records and F people with the same quasi-identifiers. Being in a file of patients is itself confidential:
    :math:`\delta_{max} = 1` says that somebody is in it for sure, :math:`\delta_{min} = 0` that somebody is not. The
    smallest counts the people whose keys no record has (they are absent for sure). Where fewer people than records
    have the keys, which sampling cannot make, presence is taken as 1. ``per_record`` is f/F.

    Membership disclosure, a Boolean model (D-01). Time O(n + N), memory O(n + N); in memory only.

    >>> import polars as pl
    >>> town = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", "N2", "N2"]}), quasi="zip")
    >>> result = delta_presence(town.taken(np.array([0, 2])), population=town)
    >>> result.value, round(result.facts["smallest presence"], 4)
    (0.5, 0.3333)

    References
    ----------
    Nergiz, Atzori, Clifton (2007), Hiding the presence of individuals from shared databases, SIGMOD, 665–676.
    """
    both = compared(release, population)
    shares, of_record = presence(both), both.classes.of_record
    return Result(
        name="delta-presence",
        value=float(shares.max()),
        worse="high",
        about="identity",
        kind="model",
        facts={
            "smallest presence": 0.0 if both.absent else float(shares.min()),
            "people whose keys no record has": both.absent,
            "records surely present": int(both.exact[shares >= 1.0].sum()),
            "population": both.population,
            "sampling fraction": len(of_record) / both.population,
        },
        per_record=PerRecord(array=lambda: shares[of_record]),
    )


def presence(both: Compared) -> np.ndarray:
    """Records over people in each class, at most 1."""
    shares: np.ndarray = np.minimum(1.0, both.records / np.maximum(1, both.people))
    return shares
