"""The registry of losses of microdata."""

from __future__ import annotations

from ..registry import Entry, Tags
from .distributions.contingency import contingency
from .distributions.hellinger import hellinger
from .distributions.mutual_information import mutual_information
from .distributions.propensity import propensity
from .distributions.wasserstein import wasserstein
from .labels.changed import changed
from .labels.class_size import class_size
from .labels.discernibility import discernibility
from .labels.entropy import entropy
from .labels.generalisation import generalisation
from .labels.suppression import suppressed
from .learning.classification import classification
from .learning.clustering import clustering
from .learning.interval_overlap import interval_overlap
from .learning.regression import regression
from .numbers.covariances import covariances
from .numbers.distances import distances
from .numbers.eigenvalues import eigenvalues
from .numbers.il1 import il1
from .numbers.moments import moments
from .numbers.quantiles import quantiles
from .numbers.squared_error import squared_error

_UTILITY = Tags(about="utility", kind="measure", whose="user")

ALL = {
    "moments": Entry(call=moments, catalogue="F-01", tags=_UTILITY),
    "squared_error": Entry(call=squared_error, catalogue="F-04", tags=_UTILITY),
    "changed": Entry(call=changed, catalogue="F-04", tags=_UTILITY),
    "generalisation": Entry(call=generalisation, catalogue="F-04", tags=_UTILITY),
    "entropy": Entry(call=entropy, catalogue="F-04", tags=_UTILITY),
    "discernibility": Entry(call=discernibility, catalogue="F-04", tags=_UTILITY),
    "class_size": Entry(call=class_size, catalogue="F-04", tags=_UTILITY),
    "suppressed": Entry(call=suppressed, catalogue="F-04", tags=_UTILITY),
    "covariances": Entry(call=covariances, catalogue="F-01", tags=_UTILITY, upto=0),
    "quantiles": Entry(call=quantiles, catalogue="F-01", tags=_UTILITY, upto=0),
    "eigenvalues": Entry(call=eigenvalues, catalogue="F-01", tags=_UTILITY, upto=0),
    "distances": Entry(call=distances, catalogue="F-01", tags=_UTILITY, upto=0),
    "il1": Entry(call=il1, catalogue="F-01", tags=_UTILITY, upto=0),
    "contingency": Entry(call=contingency, catalogue="F-01", tags=_UTILITY, upto=0),
    "mutual_information": Entry(call=mutual_information, catalogue="F-01", tags=_UTILITY, upto=0),
    "hellinger": Entry(call=hellinger, catalogue="F-03", tags=_UTILITY, upto=0),
    "wasserstein": Entry(call=wasserstein, catalogue="F-03", tags=_UTILITY, upto=0),
    "propensity": Entry(call=propensity, catalogue="F-03", tags=_UTILITY, upto=0),
    "classification": Entry(call=classification, catalogue="F-02", tags=_UTILITY, upto=0),
    "regression": Entry(call=regression, catalogue="F-02", tags=_UTILITY, upto=0),
    "clustering": Entry(call=clustering, catalogue="F-02", tags=_UTILITY, upto=0),
    "interval_overlap": Entry(call=interval_overlap, catalogue="F-03", tags=_UTILITY, upto=0),
}
"""Name → measure, in the order of the summary."""
