"""Integral privacy: models that many different databases give, so that seeing one does not tell which it came from."""

from .completions import completions
from .generators import Generators
from .integral_privacy import IntegralPrivacy
from .learner import Learner
from .linear import Linear
from .logistic import Logistic
from .published import LEARNERS, KMeans, Moments, Published, read_model
from .recurrent import ModelSpace, enumerated, recurrent
from .recurring import Family, Recurring, disjoint_family
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
    "Published",
    "Recurring",
    "Tree",
    "completions",
    "disjoint_family",
    "enumerated",
    "read_model",
    "recurrent",
]
