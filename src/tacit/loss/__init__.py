"""Loss: what a masked release no longer tells its users. Each measure takes the masked release and the original."""

from ..entry import Entry, Tags
from .changed import changed
from .class_size import class_size
from .discernibility import discernibility
from .entropy import entropy
from .generalisation import generalisation
from .headline import headline
from .moments import moments
from .score import score
from .squared_error import squared_error
from .summary import summary
from .suppression import suppressed

__all__ = [
    "ALL",
    "changed",
    "class_size",
    "discernibility",
    "entropy",
    "generalisation",
    "headline",
    "moments",
    "score",
    "squared_error",
    "summary",
    "suppressed",
]

_UTILITY = Tags(about="utility", kind="measure", whose="user")

ALL = {
    "moments": Entry(call=moments, catalogue="F-01", tags=_UTILITY),
    "squared_error": Entry(call=squared_error, catalogue="F-04", tags=_UTILITY),
    "changed": Entry(call=changed, catalogue="F-04", tags=_UTILITY),
    "generalisation": Entry(call=generalisation, catalogue="F-04", tags=_UTILITY),
    "entropy": Entry(call=entropy, catalogue="F-04", tags=_UTILITY),
    "discernibility": Entry(call=discernibility, catalogue="F-04", tags=_UTILITY),
    "class_size": Entry(call=class_size, catalogue="F-04", tags=_UTILITY),
    "suppressed": Entry(call=suppressed, catalogue="F-04", tags=_UTILITY),
}
"""Name → measure, in the order of the summary."""
