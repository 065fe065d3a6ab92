"""The attacks that link records: the part of the registry that attacks on values build on."""

from __future__ import annotations

from .distance import Distance
from .household import Household
from .learned import Learned
from .one_to_one import OneToOne
from .probabilistic import Probabilistic
from .transparency import Transparency

LINK_ATTACKS = (Distance, OneToOne, Household, Transparency, Probabilistic, Learned)
