"""Models from noisy statistics: the data are read once, all that follows is post-processing."""

from .domain import Bins
from .linear import LinearModel, linear_regression
from .logistic import LogisticModel, logistic_regression
from .naive_bayes import NaiveBayes, naive_bayes

__all__ = [
    "Bins",
    "LinearModel",
    "LogisticModel",
    "NaiveBayes",
    "linear_regression",
    "logistic_regression",
    "naive_bayes",
]
