"""The parts of a page, in the order of a reader's questions; each is left out when there is nothing to show."""

from collections.abc import Callable

from ...plan.outcome import Outcome
from ..audience import Audience
from ..blocks import Section
from .ahead import ahead
from .attacks import attacks
from .classes import classes
from .done import done
from .given_away import given_away
from .learnt import learnt
from .loss import loss
from .near import near
from .notes import notes
from .presence import presence
from .repeat import repeat
from .requirements import requirements
from .risk import risk
from .roles import roles
from .search import search
from .synthetic import synthetic
from .utility import utility

__all__ = ["ALL"]

ALL: tuple[Callable[[Outcome, Audience], Section | None], ...] = (
    requirements,
    roles,
    classes,
    risk,
    given_away,
    synthetic,
    done,
    search,
    attacks,
    learnt,
    near,
    presence,
    utility,
    loss,
    ahead,
    notes,
    repeat,
)
