"""Household risk: the chance that somebody of a household is re-identified, and with them all the others."""

from __future__ import annotations

from ..errors import TacitError
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.households import one_per_household
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from .individual_risk import Form, record_risks


@describe(
    tags=Tags(about="identity", kind="measure"),
    needs=("weight", "household"),
)
def household_risk(release: Release | Masked, *, form: Form = "exact") -> Result:
    r"""Chance that at least one member of the record's household is re-identified.

    .. math:: r_h = 1 - \prod_{i \in h} (1 - r_i)

    with the individual risks :math:`r_i` of :func:`tacit.risk.individual_risk`, taken as independent. Who finds one
    member finds the others by the household id. A record without a household id is a household of its own. ``value``
    is the mean over the records.

    Identity disclosure, measured. Time O(n log n), memory O(n); in memory only.

    >>> import polars as pl
    >>> home = pl.DataFrame({"zip": ["N1", "N1", "N2"], "home": [1, 2, 2], "people": [50.0, 60.0, 8.0]})
    >>> household_risk(Release(home, quasi="zip", household="home", weight="people")).per_record.values().round(4).tolist()
    [0.0171, 0.3091, 0.3091]

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    import numpy as np

    release = release_of(release)
    if release.household is None:
        raise TacitError(
            "household risk needs to know who lives together",
            code="no_household_column",
            fix="name the column of household ids, e.g. household='home' (--household home)",
        )
    safe = 1.0 - record_risks(release, form=form)
    _, household = one_per_household(release)
    with np.errstate(divide="ignore"):
        nobody = np.exp(np.bincount(household, weights=np.log(safe)))
    risks = (1.0 - nobody)[household]
    return Result(
        name="household risk",
        value=float(risks.mean()),
        worse="high",
        about="identity",
        facts={
            "re-identifications to expect": float(risks.sum()),
            "highest": float(risks.max()),
            "households": len(nobody),
            "sampling fraction": float(release.size / release.weights().sum()),
            "form": form,
        },
        per_record=PerRecord(array=risks),
    )
