"""Learning a column of one file and asking about the records of another, with any scikit-learn estimator."""

from .estimators import NAMES, Estimator, checked_estimator
from .features import Features
from .predicted import Predicted, predicted

__all__ = ["NAMES", "Estimator", "Features", "Predicted", "checked_estimator", "predicted"]
