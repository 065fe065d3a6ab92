"""Predicting a column from others with any scikit-learn estimator."""

from .estimators import NAMES, Estimator, checked_estimator
from .features import Features, features_of
from .predicted import Predicted, predicted

__all__ = ["NAMES", "Estimator", "Features", "Predicted", "checked_estimator", "features_of", "predicted"]
