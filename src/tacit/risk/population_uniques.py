"""Population uniques: which sample uniques are unique in a known population too."""

from __future__ import annotations

from ..errors import TacitError
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.masked import Masked
from ..release.release import Release
from ..release.step_effects import flatten_steps, step_effect
from ..result import Result
from .population_match import match_population


@describe(
    tags=Tags(about="identity", kind="measure", shown="proven"),
    needs=("population",),
)
def population_uniques(release: Release | Masked, *, population: Release | Masked | None = None) -> Result:
    r"""The share of the sample uniques that are unique in the population, P(PU | SU).

    .. math:: \Pr(PU \mid SU) = \frac{\sum_j I(F_j = 1, f_j = 1)}{\sum_j I(f_j = 1)}

    over the combinations j of the quasi-identifiers, with :math:`f_j` records and :math:`F_j` people; 0 without sample
    uniques. It speaks of *sampled* data. On a perturbed file the combinations no longer belong to the people: a
    Masked whose trace shows that a quasi-identifier was changed (swapped, averaged, drawn anew, replaced by a pseudonym),
    or may have been by a method that is not known here, or that records were invented, is refused.
    What a plain release went through cannot be known; records with fewer people than records behind their keys, which
    sampling cannot make, are counted among the facts. ``per_record`` is F.

    Identity disclosure, measured. Time O(n + N), memory O(n + N); in memory only.

    >>> import numpy as np, polars as pl
    >>> town = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", "N3"]}), quasi="zip")
    >>> sample = town.take(np.array([0, 2]))
    >>> print(population_uniques(sample, population=town))
    population uniques among sample uniques  0.5
    sample uniques                           2
    of them unique in the population         1
    population                               4
    sampling fraction                        0.5
    records that this population cannot give 0

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    _check_sampled(release)  # promise: numbers-population-uniques-refuses
    both = match_population(release, population)
    alone = both.records == 1
    unique = int((alone & (both.people == 1)).sum())
    people, of_record = both.people, both.classes.of_record
    return Result(
        name="population uniques among sample uniques",
        value=unique / max(1, int(alone.sum())),
        worse="high",
        about="identity",
        facts={
            "sample uniques": int(alone.sum()),
            "of them unique in the population": unique,
            "population": both.population,
            "sampling fraction": len(of_record) / both.population,
            "records that this population cannot give": both.excess_count,
        },
        per_record=PerRecord(array=lambda: people[of_record]),
    )


def _check_sampled(release: Release | Masked) -> None:
    """Refuse a file of which it is known that quasi-identifiers were perturbed or records invented."""
    if not isinstance(release, Masked):
        return
    invented = 0 if release.lineage is None else int((release.lineage < 0).sum())
    if invented:
        raise TacitError(
            f"{invented} records of the release were invented: it is no sample",
            code="wrong_type",
            fix="measure the release before records are added to it",
        )
    for step in flatten_steps(release.trace):
        did = step_effect(step, release.release)
        if did.kind not in ("changes", "hides", "unknown"):
            continue
        touched = next((name for name in release.release.quasi if did.columns is None or name in did.columns), None)
        if touched is not None:
            raise TacitError(
                f"was perturbed by {step.method}: its combinations no longer belong to the people who had them",
                code="already_masked",
                column=touched,
                fix="measure the release with an attack, e.g. tacit.attack.reidentify(…)",
            )
