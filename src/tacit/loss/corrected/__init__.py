"""Corrected estimates: what an analyst gets right with the release and what was published about its masking."""

from .counts import counts
from .estimates import Corrected
from .regression import correlation, covariance, regression

__all__ = ["Corrected", "correlation", "counts", "covariance", "regression"]
