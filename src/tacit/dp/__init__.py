"""Differential privacy: mechanisms, statistics of data with declared bounds, accounting, a ledger and an auditor.

bounds → statistic (knows its price) → ledger (charges first) → estimate
"""

from . import accounting as accounting
from . import models as models
from .auditor import Audited, audit
from .bounds import Bounds
from .cost import Cost
from .enrolment import Enrolment, enrolment
from .event import Event
from .game import Game, game, least_error, rough_guide
from .ledger import Charge, Ledger
from .mechanisms.choice import Exponential, PermuteAndFlip
from .mechanisms.gaussian import Gaussian
from .mechanisms.laplace import Laplace
from .mechanisms.randomised_response import RandomisedResponse, Shares
from .play import Level, Played, play
from .statistics.estimate import Estimate
from .statistics.group_by import Count, GroupBy, Mean, Sum, Variance
from .statistics.histogram import Histogram
from .statistics.moments import laplace_noise, loss_of_shift, mean_sensitivity, promised
from .statistics.quantile import Quantile
from .statistics.top_k import TopK

__all__ = [
    "Audited",
    "Bounds",
    "Charge",
    "Cost",
    "Count",
    "Enrolment",
    "Estimate",
    "Event",
    "Exponential",
    "Game",
    "Gaussian",
    "GroupBy",
    "Histogram",
    "Laplace",
    "Ledger",
    "Level",
    "Mean",
    "PermuteAndFlip",
    "Played",
    "Quantile",
    "RandomisedResponse",
    "Shares",
    "Sum",
    "TopK",
    "Variance",
    "audit",
    "enrolment",
    "game",
    "laplace_noise",
    "least_error",
    "loss_of_shift",
    "mean_sensitivity",
    "play",
    "promised",
    "rough_guide",
]
