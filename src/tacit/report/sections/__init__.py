"""The parts of a page, in the order of a reader's questions; each is left out when there is nothing to show."""

from collections.abc import Callable

from ...plan.outcome import Outcome
from ..audience import Audience
from ..blocks import Section
from .attacks import attacks_section
from .attribute_disclosure import attribute_disclosure_section
from .class_inference import given_away
from .classes import classes_section
from .interval_disclosure import interval_disclosure_section
from .loss import loss_section
from .membership import membership_section
from .next_steps import next_steps_section
from .notes import notes_section
from .repeat import repeat_section
from .requirements import requirements_section
from .risk import risk_section
from .roles import roles_section
from .search import search_section
from .steps import steps_section
from .synthetic import synthetic_section
from .utility import utility_section

__all__ = ["ALL"]

ALL: tuple[Callable[[Outcome, Audience], Section | None], ...] = (
    requirements_section,
    roles_section,
    classes_section,
    risk_section,
    given_away,
    synthetic_section,
    steps_section,
    search_section,
    attacks_section,
    attribute_disclosure_section,
    interval_disclosure_section,
    membership_section,
    utility_section,
    loss_section,
    next_steps_section,
    notes_section,
    repeat_section,
)
