"""The attacks on tables by their names."""

from __future__ import annotations

from ...registry import Entry, Tags
from .arithmetic import Arithmetic
from .coalition import Coalition
from .external import External
from .holding import Holding
from .own_value import OwnValue
from .rival import Rival
from .sole_respondent import SoleRespondent

ATTRIBUTE = Tags(about="attribute", kind="attack")

ALL = {
    "arithmetic": Entry(call=Arithmetic, catalogue="G-02", tags=ATTRIBUTE),
    "external": Entry(call=External, catalogue="G-02", tags=ATTRIBUTE),
    "own_value": Entry(call=OwnValue, catalogue="G-02", tags=ATTRIBUTE),
    "rival": Entry(call=Rival, catalogue="G-02", tags=ATTRIBUTE, example={"n": 1}),
    "coalition": Entry(call=Coalition, catalogue="G-02", tags=ATTRIBUTE, example={"c": 2}),
    "holding": Entry(call=Holding, catalogue="G-02", tags=ATTRIBUTE),
    "sole_respondent": Entry(call=SoleRespondent, catalogue="G-02", tags=ATTRIBUTE),
}
