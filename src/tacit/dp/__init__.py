"""Differential privacy: mechanisms, statistics of data with declared bounds, accounting, a ledger and an auditor.

bounds → statistic (knows its price) → ledger (charges first) → estimate
"""

from . import accounting as accounting
from . import models as models
from .auditor import AuditResult, audit
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
from .play import GameResults, Level, play
from .statistics.estimate import Estimate
from .statistics.group_by import Count, GroupBy, Mean, Sum, Variance
from .statistics.histogram import Histogram
from .statistics.moments import check_record_count, laplace_noise, loss_of_shift, mean_sensitivity
from .statistics.quantile import Quantile
from .statistics.top_k import TopK

__all__ = [
    "AuditResult",
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
    "GameResults",
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
    "check_record_count",
    "rough_guide",
]
