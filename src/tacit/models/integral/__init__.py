"""Integral privacy: models that many different databases give, so that seeing one does not tell which it came from."""

from .completions import completions
from .family import Family, disjoint_family
from .generators import Generators
from .integral_privacy import IntegralPrivacy
from .k_means import KMeans
from .learner import Learner
from .linear import Linear
from .logistic import Logistic
from .moments import Moments
from .published import LEARNERS, Published, read_model
from .recurrent import enumerated, recurrent
from .recurring import Recurring
from .space import ModelSpace
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
