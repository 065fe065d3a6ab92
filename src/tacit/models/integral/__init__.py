"""Integral privacy: models that many different databases give, so that seeing one does not tell which it came from."""

from .completions import completions
from .generators import Generators
from .integral_privacy import IntegralPrivacy
from .learner import Learner
from .linear import Linear
from .logistic import Logistic
from .model_space import ModelSpace, enumerate_models, find_recurrent_models
from .published import LEARNERS, KMeans, Moments, PublishedModel, read_model
from .recurring_model import Family, RecurringModel, disjoint_family
from .tree import Tree

__all__ = [
    "LEARNERS",
    "Family",
    "Generators",
    "IntegralPrivacy",
    "KMeans",
    "Learner",
    "Linear",
    "Logistic",
    "ModelSpace",
    "Moments",
    "PublishedModel",
    "RecurringModel",
    "Tree",
    "completions",
    "disjoint_family",
    "enumerate_models",
    "read_model",
    "find_recurrent_models",
]
