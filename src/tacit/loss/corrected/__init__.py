"""Corrected estimates: what an analyst gets right with the release and what was published about its masking (F-05)."""

from .counts import counts
from .covariance import correlation, covariance
from .estimates import Corrected
from .regression import regression

__all__ = ["Corrected", "correlation", "counts", "covariance", "regression"]
