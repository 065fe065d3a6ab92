"""The rules by their names in a plan."""

from __future__ import annotations

from ...registry import Entry, Tags
from .dominance import Dominance
from .minimum_frequency import MinimumFrequency
from .p_percent import PPercent
from .pq import PQ
from .request import Request

ALL = {
    "minimum_frequency": Entry(
        call=MinimumFrequency,
        catalogue="G-03",
        tags=Tags(about="identity and attribute", kind="model"),
        example={"n": 3},
        use="counts, and beside another rule for sums",
        avoid="alone for sums: it does not see that one respondent makes up nearly all of a cell",
    ),
    "dominance": Entry(
        call=Dominance,
        catalogue="G-03",
        tags=Tags(about="attribute", kind="model"),
        example={"n": 2, "k": 85},
        use="sums, where a law or a custom prescribes it",
        avoid="where you are free to choose: the p %-rule looks at what a competitor can compute",
    ),
    "p_percent": Entry(
        call=PPercent,
        catalogue="G-03",
        tags=Tags(about="attribute", kind="model"),
        example={"p": 10},
        use="sums of a response that is not negative, e.g. turnover",
        avoid="counts; sums in which gains and losses cancel out",
    ),
    "pq": Entry(
        call=PQ,
        catalogue="G-03",
        tags=Tags(about="attribute", kind="model"),
        example={"p": 10, "q": 50},
        use="sums, when respondents are known to each other to within q per cent already",
        avoid="when q is a guess: the p %-rule assumes that nothing is known",
    ),
    "request": Entry(
        call=Request,
        catalogue="G-03",
        tags=Tags(about="attribute", kind="model"),
        example={"percent": 70, "asked": [0], "level": 15},
        use="statistics that protect on request only, such as foreign trade",
        avoid="everywhere else: who did not ask is not protected",
    ),
}
