"""Study: methods and parameters tried on a file, each candidate attacked and measured, and the best of them shown."""

from .candidate import Candidate
from .evaluation import Evaluation, Figure
from .explore import explore
from .front import dominates, front, hypervolume
from .results import Point, Study
from .space import Choose, Range, Strategy

__all__ = [
    "Candidate",
    "Choose",
    "Evaluation",
    "Figure",
    "Point",
    "Range",
    "Strategy",
    "Study",
    "dominates",
    "explore",
    "front",
    "hypervolume",
]
