"""How large the population is that a release was sampled from."""

from __future__ import annotations

import narwhals as nw

from ..errors import TacitError, format_value
from ..release.engines.table import few_rows
from ..release.release import Release


def population_size_of(release: Release, *, fraction: float | None, population_size: float | None) -> float:
    """The number of people: as given, from the sampling fraction, or the sum of the sampling weights."""
    if fraction is not None and population_size is not None:
        raise TacitError(
            "fraction= and population_size= say the same thing",
            code="conflicting_parameters",
            parameter="fraction",
            fix="give one of them",
        )
    for name, value in (("fraction", fraction), ("population_size", population_size)):
        wrong = isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf")
        if value is not None and wrong:
            raise TacitError(
                f"{name}={format_value(value)} is not a positive number",
                code="wrong_type",
                parameter=name,
                fix=f"e.g. {_EXAMPLES[name]}",
            )
    if fraction is not None and fraction > 1:
        raise TacitError(
            f"fraction={fraction!r} is above 1",
            code="out_of_range",
            parameter="fraction",
            fix="give the share of the population in the release",
        )
    if fraction is None and population_size is None and release.weight is None:
        raise TacitError(
            "it is not known of how large a population the release is a sample",
            code="no_population_size",
            fix="give fraction=0.1 or population_size=300000, or name the column of sampling weights (weight=)",
        )
    if fraction is not None:
        found = release.size / fraction
    elif population_size is not None:
        found = float(population_size)
    else:
        found = float(few_rows(release.scan().select(nw.col(release.weight or "").cast(nw.Float64).sum()))[0][0] or 0)
    if round(found) < release.size:
        raise TacitError(
            f"a population of {found:.0f} is smaller than the {release.size} records of the release",
            code="not_applicable",
            fix="give population_size= of all people who could have been in it, or correct the weights",
        )
    return found


_EXAMPLES = {"fraction": "fraction=0.1", "population_size": "population_size=300000"}
