"""Protect: methods that turn a release into a release with less to disclose, and say what they did."""

from ..entry import Entry, Tags
from .drop_identifiers import DropIdentifiers
from .generalise import Generalise
from .load import from_json, to_json
from .mdav import Mdav
from .new_households import NewHouseholds
from .pipeline import Pipeline
from .pseudonymise import Pseudonymise
from .rank_swap import RankSwap
from .recode import Recode
from .shuffle import Shuffle
from .suppress_cells import SuppressCells
from .suppress_records import SuppressRecords
from .top_bottom_code import TopBottomCode

__all__ = [
    "ALL",
    "DropIdentifiers",
    "Generalise",
    "Mdav",
    "NewHouseholds",
    "Pipeline",
    "Pseudonymise",
    "RankSwap",
    "Recode",
    "Shuffle",
    "SuppressCells",
    "SuppressRecords",
    "TopBottomCode",
    "from_json",
    "to_json",
]

_IDENTITY = Tags(about="identity", kind="method")
_PROVEN = Tags(about="identity", kind="method", shown="proven")
_BOTH = Tags(about="identity and attribute", kind="method")

_CLASSES = {"zip": 2, "birth": 4, "occupation": 2}

ALL = {
    "drop_identifiers": Entry(call=DropIdentifiers, catalogue="A-01", tags=_IDENTITY),
    "generalise": Entry(call=Generalise, catalogue="E-12", tags=_IDENTITY, example={"levels": _CLASSES}),
    "mdav": Entry(call=Mdav, catalogue="E-02", tags=_BOTH, example={"columns": ["income", "visits"], "k": 3}),
    "new_households": Entry(call=NewHouseholds, catalogue="A-01", tags=_IDENTITY),
    "pipeline": Entry(
        call=Pipeline,
        catalogue="A-01",
        tags=_BOTH,
        example={"steps": [DropIdentifiers(), Generalise(levels=_CLASSES), SuppressRecords(k=3)]},
    ),
    "pseudonymise": Entry(call=Pseudonymise, catalogue="A-01", tags=_IDENTITY, example={"columns": ["name"]}),
    "rank_swap": Entry(call=RankSwap, catalogue="E-03", tags=_BOTH, example={"columns": ["income"], "percent": 5}),
    "recode": Entry(
        call=Recode, catalogue="E-10", tags=_BOTH, example={"column": "sex", "groups": {"other than F": ["M", "X"]}}
    ),
    "shuffle": Entry(call=Shuffle, catalogue="A-01", tags=_IDENTITY),
    "suppress_cells": Entry(call=SuppressCells, catalogue="E-13", tags=_PROVEN, example={"k": 3}),
    "suppress_records": Entry(call=SuppressRecords, catalogue="E-13", tags=_PROVEN, example={"k": 2}),
    "top_bottom_code": Entry(
        call=TopBottomCode, catalogue="E-11", tags=_BOTH, example={"column": "income", "top": 60_000}
    ),
}
"""Plan name → method, with an example for the clinic register."""
