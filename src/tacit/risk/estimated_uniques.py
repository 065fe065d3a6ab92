"""Population uniques estimated from a sample: Pitman, Zayatz, slide negative binomial, and Dankar's rule."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..errors import TacitError, typed
from ..per_record import PerRecord
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from .class_sizes import ClassSizes, class_sizes
from .pitman import pitman, pitman_uniques
from .sampled import population_size_of
from .slide_negative_binomial import slide_negative_binomial
from .zayatz import zayatz

__all__ = ["estimated_uniques"]

FORMS = ("dankar", "pitman", "zayatz", "snb")
SMALL = 0.1
"""Up to this sampling fraction Dankar's rule takes Pitman's estimate."""


def estimated_uniques(
    release: Release | Masked,
    *,
    fraction: float | None = None,
    population_size: float | None = None,
    form: Literal["dankar", "pitman", "zayatz", "snb"] = "dankar",
) -> Result:
    r"""The share of people in the population who are alone with their quasi-identifiers, estimated from a sample.

    Only the class sizes of the release are read: :math:`f_j` classes of j records. The population has
    ``population_size`` people, or the release is a ``fraction`` of it; without either it has as many as the sampling
    weights sum to. Models (``form``):

    - ``"pitman"``: :math:`\Gamma(\theta+1)/\Gamma(\theta+\alpha)\, N^{\alpha-1}` with the maximum likelihood fit of
      Pitman's sampling formula (Hoshino); the form without the limit N → ∞ is among the facts;
    - ``"zayatz"``: the classes of the population have sizes distributed as those of the sample;
    - ``"snb"``: slide negative binomial class sizes (Chen and Keller-McNulty), with as many classes as make N people;
      refused when its equations have no solution;
    - ``"dankar"``: Pitman up to a fraction of 0.1, above it the smaller of the other two (Dankar and others).

    The facts have the chance that a sample unique is a population unique, which is also its ``per_record`` (0 for the
    others). When every record is alone no model has a finite fit, and the estimate is its limit, 1; a fraction of 1
    makes the release the population. The release must be a random sample with its values as they are or coarser: on
    perturbed files the estimate means nothing. A missing key is a category of its own. An estimate without an interval:
    between models, and between samples of a few hundred records, it may differ by a factor of two or three.

    Identity disclosure, measured (C-01). Time O(n·m) for the classes (a group-by on lazy engines), then milliseconds.

    >>> import polars as pl
    >>> keys = [str(i) for i in range(60)] + [str(i) for i in range(100, 120) for _ in range(3)]
    >>> print(estimated_uniques(Release(pl.DataFrame({"key": keys}), quasi="key"), fraction=0.05))
    population uniques, estimated                       0.05911
    people who are unique                               141.9
    chance that a sample unique is a population unique  0.1182
    sample uniques                                      60
    population                                          2,400
    sampling fraction                                   0.05
    model                                               pitman
    without the limit of many people                    0.05747

    References
    ----------
    Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment, JOS 17, 499–520.
    Zayatz (1991), Estimation of the percent of unique population elements on a microdata file using the sample,
    US Census Bureau.
    Chen and Keller-McNulty (1998), Estimation of identification disclosure risk in microdata, JOS 14, 79–95.
    Dankar, El Emam, Neisa, Roffey (2012), Estimating the re-identification risk of clinical data sets, BMC Medical
    Informatics and Decision Making 12, 66.
    """
    if form not in FORMS:
        raise TacitError(f"form={typed(form)} of the estimate is unknown", fix=f"use one of {', '.join(FORMS)}")
    release = release_of(release)
    found = class_sizes(release)
    people = population_size_of(release, fraction=fraction, population_size=population_size)
    share, model, more = _estimate(found, people, form)
    alone = found.of(1)
    chance = min(1.0, share * found.records / alone) if alone else 0.0
    return Result(
        name="population uniques, estimated",
        value=share,
        worse="high",
        about="identity",
        facts={
            "people who are unique": share * people,
            "chance that a sample unique is a population unique": chance,
            "sample uniques": alone,
            "population": round(people),
            "sampling fraction": found.records / people,
            "model": model,
            **more,
        },
        per_record=_vector(release, chance),
    )


def _estimate(found: ClassSizes, people: float, form: str) -> tuple[float, str, dict[str, Any]]:
    """The share of uniques, the model behind it, and further facts."""
    if round(people) == found.records:
        return found.of(1) / found.records, "none: the release is the population", {}
    if found.classes == found.records:
        return 1.0, "none: every record is alone, the limit of all models", {}
    if found.classes == 1:
        return 0.0, "none: all records are alike", {}
    if form == "pitman" or (form == "dankar" and found.records / people <= SMALL):
        fit = pitman(found)
        assert fit is not None
        share, finite = pitman_uniques(fit, people)
        return min(1.0, share), "pitman", {"without the limit of many people": min(1.0, finite)}
    slide = slide_negative_binomial(found, people) if form != "zayatz" else None
    if form == "snb":
        if slide is None:
            raise TacitError(
                "the equations of the slide negative binomial have no solution for these class sizes",
                fix="use form='zayatz' or form='pitman'",
            )
        return slide, "snb", {}
    plain = zayatz(found, round(people))
    return (slide, "snb", {}) if slide is not None and slide < plain else (plain, "zayatz", {})


def _vector(release: Release, chance: float) -> PerRecord | None:
    classes = release.classes()
    if not isinstance(classes, ArrayClasses):
        return None
    return PerRecord(array=lambda: np.where(classes.sizes == 1, chance, 0.0)[classes.of_record])
