"""Loss: what a masked release no longer tells its users. Each measure takes the masked release and the original."""

from . import corrected as corrected
from .combined import combine_estimates
from .distributions.contingency import contingency
from .distributions.hellinger import hellinger
from .distributions.mutual_information import mutual_information
from .distributions.propensity import propensity
from .distributions.wasserstein import wasserstein
from .divergence import divergence
from .headline import headline
from .labels.changed import changed
from .labels.class_size import class_size
from .labels.discernibility import discernibility
from .labels.entropy import entropy
from .labels.generalisation import generalisation
from .labels.suppression import suppressed
from .learning.classification import classification
from .learning.clustering import clustering
from .learning.holdout_prediction import holdout_prediction
from .learning.interval_overlap import Estimate, interval_overlap
from .learning.regression import regression
from .numbers.covariances import covariances
from .numbers.distances import distances
from .numbers.eigenvalues import eigenvalues
from .numbers.il1 import il1
from .numbers.moments import moments
from .numbers.quantiles import quantiles
from .numbers.squared_error import squared_error
from .registry import ALL
from .score import score
from .summary import summary

__all__ = [
    "ALL",
    "Estimate",
    "changed",
    "class_size",
    "classification",
    "clustering",
    "combine_estimates",
    "contingency",
    "covariances",
    "discernibility",
    "distances",
    "divergence",
    "eigenvalues",
    "entropy",
    "generalisation",
    "headline",
    "hellinger",
    "holdout_prediction",
    "il1",
    "interval_overlap",
    "moments",
    "mutual_information",
    "propensity",
    "quantiles",
    "regression",
    "score",
    "squared_error",
    "summary",
    "suppressed",
    "wasserstein",
]
