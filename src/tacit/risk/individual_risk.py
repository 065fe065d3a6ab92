"""Individual risk: the chance that a record is re-identified, estimated from the sampling weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ..errors import TacitError, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.lazy import LazyClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result

if TYPE_CHECKING:
    import numpy as np


Form = Literal["exact", "approx"]


@describe(
    tags=Tags(about="identity", kind="measure"),
    needs=("weight",),
)
def individual_risk(release: Release | Masked, *, form: Form = "exact") -> Result:
    r"""Chance that each record is re-identified, estimated from the sampling weights.

    A record shares its quasi-identifiers with :math:`f` records of the sample and with about :math:`F` people, the sum
    of their weights. With :math:`p = f/F` the risk is the expected value of 1/F given f, when each of the F people is
    sampled with chance p:

    .. math:: r = \tfrac{p}{f}\, {}_2F_1(1, 1;\, f + 1;\, 1 - p)

    The literature writes :math:`\tfrac{p^f}{f}\,{}_2F_1(f, f; f+1; 1-p)`, which overflows for large f; Euler's
    transformation gives the form above. ``form="approx"`` takes p/(f − 1 + p) from f = 3 on, as some programs do. With
    ``missing="any"`` f and F are over the records that match. Weights that sum to less than f count as f.

    ``value`` is the mean over the records; its sum, among the facts, is the number of re-identifications to expect by
    an intruder who knows the quasi-identifiers of everybody in the population, but not who was sampled.

    Identity disclosure, measured. Time O(n·m), memory O(n); on a lazy engine one group-by, whose pairs (f, F)
    come into memory, and no per-record vector.

    >>> import polars as pl
    >>> survey = pl.DataFrame({"zip": ["N1", "N1", "N2"], "people": [50.0, 60.0, 8.0]})
    >>> result = individual_risk(Release(survey, quasi="zip", weight="people"))
    >>> result.per_record.values().round(6).tolist()
    [0.017144, 0.017144, 0.297063]

    References
    ----------
    Benedetti and Franconi (1998), Statistical and technological solutions for controlled data dissemination, NTTS.
    Franconi and Polettini (2004), Individual risk estimation in μ-Argus: a review, PSD, LNCS 3050, 262–272.
    """
    release = release_of(release)
    weight = _require_weight(release, form)
    classes = release.matches()
    if isinstance(classes, LazyClasses):
        return _measure_lazy(release, classes, weight, form)
    f, weights, records = classes.sizes, release.weights(), classes.size().sizes
    risks = _class_risks(f, classes.totals(weights), form)
    facts = _risk_facts(risks @ records, risks.max(), records[f == 1].sum(), weights.sum() / release.size, form)
    return _build_result(facts, release.size, PerRecord(array=lambda: risks[classes.of_record]))


def record_risks(release: Release, *, form: Form) -> np.ndarray:
    """The individual risk of each record of a release in memory."""
    weight = _require_weight(release, form)
    classes = release.matches()
    if isinstance(classes, LazyClasses):
        raise release.capabilities.unsupported("in_memory", "cannot be summed record by record", column=weight)
    f = classes.sizes
    risks: np.ndarray = _class_risks(f, classes.totals(release.weights()), form)[classes.of_record]
    return risks


def _class_risks(f: np.ndarray, people: np.ndarray, form: Form) -> np.ndarray:
    import numpy as np

    from ..kernels.mean_reciprocal import mean_reciprocal, mean_reciprocal_approx

    measure = mean_reciprocal if form == "exact" else mean_reciprocal_approx
    found: np.ndarray = measure(f.astype(np.int64), f / np.maximum(people, f))
    return found


def _require_weight(release: Release, form: str) -> str:
    if form not in ("exact", "approx"):
        raise TacitError(
            f"form={format_value(form)} of the individual risk is unknown",
            code="unknown_name",
            parameter="form",
            fix="use form='exact' or form='approx'",
        )
    if release.weight is None:
        raise TacitError(
            "individual risk needs to know for how many people each record stands",
            code="no_weights",
            fix="name the column of sampling weights, e.g. weight='people' (--weight people)",
        )
    return release.weight


def _measure_lazy(release: Release, classes: LazyClasses, weight: str, form: Form) -> Result:
    import numpy as np

    f, people, count = (np.array(part) for part in zip(*classes.count_size_weights(weight), strict=True))
    risks = _class_risks(f, people, form)
    everybody = (people * count).sum() / release.size
    facts = _risk_facts((risks * f * count).sum(), risks.max(), count[f == 1].sum(), everybody, form)
    return _build_result(facts, release.size, None)


def _risk_facts(total: float, highest: float, alone: int, people: float, form: Form) -> dict[str, Any]:
    return {
        "re-identifications to expect": float(total),
        "highest": float(highest),
        "sample uniques": int(alone),
        "sampling fraction": float(1 / people),
        "form": form,
    }


def _build_result(facts: dict[str, Any], records: int, per_record: PerRecord | None) -> Result:
    return Result(
        name="individual risk",
        value=facts["re-identifications to expect"] / records,
        worse="high",
        about="identity",
        facts=facts,
        per_record=per_record,
    )
