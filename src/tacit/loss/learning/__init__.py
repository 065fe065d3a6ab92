"""Learning a column of one file and asking about the records of another, with any scikit-learn estimator."""

from .estimators import NAMES, Estimator, Features, Predictions, checked_estimator, fit_predict

__all__ = ["NAMES", "Estimator", "Features", "Predictions", "checked_estimator", "fit_predict"]
