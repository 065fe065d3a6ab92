"""Predicting a column from others with any scikit-learn estimator."""

from .features import features_of

__all__ = ["features_of"]
