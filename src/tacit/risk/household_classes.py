"""Households by their composition: how many have the same, and which are the only one of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import TacitError
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.households import composition_counts, household_numbers
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result

if TYPE_CHECKING:
    import numpy as np


@describe(
    tags=Tags(about="identity", kind="measure"),
    needs=("household",),
)
def k_households(release: Release | Masked) -> Result:
    r"""The smallest number of households with the same composition: k-anonymity of households.

    .. math:: k = \min_h |\{g : \{\!\{q_i : i \in g\}\!\} = \{\!\{q_i : i \in h\}\!\}\}|,

    the composition being the multiset of the members' quasi-identifiers. k-anonymity of records does not imply it: five households
    in which everybody shares age and sex with many people may each be the only one of its kind. An intruder who knows a whole household finds it with chance
    at most 1/k. Where a missing cell matches any value, households match whose members can be assigned one to one to
    matching ones. Records without a household number have no household to be found by and do not count. ``per_record`` is the
    number of households like the record's own, 0 without one; where no record has a household, the value is the number of records.

    Identity disclosure, measured. Time O(n log n), memory O(n); in memory only.

    >>> import polars as pl
    >>> home = pl.DataFrame({"sex": ["f", "m", "m", "f", "f", "f"], "home": [1, 1, 2, 2, 3, 3]})
    >>> k_households(Release(home, quasi="sex", household="home")).per_record.values().tolist()
    [2, 2, 2, 2, 1, 1]

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027 (of records).
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley (households in microdata).
    """
    import numpy as np

    release = release_of(release)
    numbers, counts = household_counts(release)
    people = numbers >= 0
    homes = len(np.unique(numbers[people]))
    alone = people & (counts == 1)
    return Result(
        name="k-anonymity of households",
        value=int(counts[people].min()) if homes else release.size,
        worse="low",
        about="identity",
        facts={
            "households": homes,
            "unique households": len(np.unique(numbers[alone])),
            "people in unique households": float(alone.mean()) if release.size else 0.0,
        },
        per_record=PerRecord(array=counts),
    )


@describe(
    tags=Tags(about="identity", kind="measure"),
    needs=("household",),
)
def household_uniques(release: Release | Masked) -> Result:
    """The households that are the only one of their composition in the file (sample unique households).

    ``value`` is their number; see :func:`k_households` for the composition. ``per_record`` is 1 for their members. Whether
    such a household is unique in the population, too, the file alone does not say.

    Identity disclosure, measured. Time O(n log n), memory O(n); in memory only.

    >>> import polars as pl
    >>> home = pl.DataFrame({"sex": ["f", "m", "m", "f", "f", "f"], "home": [1, 1, 2, 2, 3, 3]})
    >>> household_uniques(Release(home, quasi="sex", household="home")).value
    1
    """
    import numpy as np

    release = release_of(release)
    numbers, counts = household_counts(release)
    alone = (numbers >= 0) & (counts == 1)
    homes = len(np.unique(numbers[numbers >= 0]))
    unique = len(np.unique(numbers[alone]))
    return Result(
        name="unique households",
        value=unique,
        worse="high",
        about="identity",
        facts={
            "households": homes,
            "share of households": unique / homes if homes else 0.0,
            "people": int(alone.sum()),
        },
        per_record=PerRecord(array=alone.astype(float)),
    )


def household_counts(release: Release) -> tuple[np.ndarray, np.ndarray]:
    """The household of each row (−1: none), and how many households have its composition; refuses a release without any."""
    if release.household is None:
        raise TacitError(
            "the release has no household number, so that there are no households to count",
            code="wrong_type",
            fix="name the column, e.g. household='home' (--household home); in a plan keep it: keep_household = true under [roles]",
        )
    if not release.quasi:
        raise TacitError(
            "the release has no quasi-identifier, so that households have no composition",
            code="no_quasi_identifier",
            fix="say which columns an intruder may know, e.g. quasi=['age', 'sex']",
        )
    release.matches()
    numbers = household_numbers(release)
    return numbers, composition_counts(release, numbers)
