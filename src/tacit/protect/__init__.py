"""Protect: methods that turn a release into a release with less to disclose, and say what they did."""

from ..entry import Entry, Tags
from .anonymise import Anonymise, anonymise
from .drop_identifiers import DropIdentifiers
from .dummy_records import DummyRecords
from .full_domain import FullDomain
from .generalise import Generalise
from .k_member import KMember
from .load import from_json, to_json
from .local_recode import LocalRecode
from .mdav import Mdav
from .mondrian import Mondrian
from .new_households import NewHouseholds
from .pipeline import Pipeline
from .pseudonymise import Pseudonymise
from .rank_swap import RankSwap
from .recode import Recode
from .sample import Sample
from .shuffle import Shuffle
from .suppress_cells import SuppressCells
from .suppress_records import SuppressRecords
from .top_bottom_code import TopBottomCode

__all__ = [
    "ALL",
    "Anonymise",
    "DropIdentifiers",
    "DummyRecords",
    "FullDomain",
    "Generalise",
    "KMember",
    "LocalRecode",
    "Mdav",
    "Mondrian",
    "NewHouseholds",
    "Pipeline",
    "Pseudonymise",
    "RankSwap",
    "Recode",
    "Sample",
    "Shuffle",
    "SuppressCells",
    "SuppressRecords",
    "TopBottomCode",
    "anonymise",
    "from_json",
    "to_json",
]

_IDENTITY = Tags(about="identity", kind="method")
_PROVEN = Tags(about="identity", kind="method", shown="proven")
_BOTH = Tags(about="identity and attribute", kind="method")

_CLASSES = {"zip": 2, "birth": 4, "occupation": 2}

ALL = {
    "anonymise": Entry(call=Anonymise, catalogue="D-07", tags=_PROVEN, example={"models": {"k_anonymity": 3}}),
    "drop_identifiers": Entry(call=DropIdentifiers, catalogue="A-01", tags=_IDENTITY),
    "dummy_records": Entry(
        call=DummyRecords,
        catalogue="D-07",
        tags=Tags(about="attribute", kind="method", shown="proven"),
        example={"t": 0.4, "columns": ["income"]},
    ),
    "full_domain": Entry(
        call=FullDomain,
        catalogue="D-07",
        tags=_PROVEN,
        example={"models": {"k_anonymity": 3}, "suppression": 0.1},
    ),
    "generalise": Entry(call=Generalise, catalogue="E-12", tags=_IDENTITY, example={"levels": _CLASSES}),
    "k_member": Entry(call=KMember, catalogue="D-07", tags=_PROVEN, example={"models": {"k_anonymity": 3}}),
    "local_recode": Entry(call=LocalRecode, catalogue="D-07", tags=_PROVEN, example={"models": {"k_anonymity": 3}}),
    "mdav": Entry(call=Mdav, catalogue="E-02", tags=_BOTH, example={"columns": ["income", "visits"], "k": 3}),
    "mondrian": Entry(call=Mondrian, catalogue="D-07", tags=_PROVEN, example={"models": {"k_anonymity": 3}}),
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
    "sample": Entry(call=Sample, catalogue="D-07", tags=_BOTH, example={"fraction": 0.5}),
    "shuffle": Entry(call=Shuffle, catalogue="A-01", tags=_IDENTITY),
    "suppress_cells": Entry(call=SuppressCells, catalogue="E-13", tags=_PROVEN, example={"k": 3}),
    "suppress_records": Entry(call=SuppressRecords, catalogue="E-13", tags=_PROVEN, example={"k": 2}),
    "top_bottom_code": Entry(
        call=TopBottomCode, catalogue="E-11", tags=_BOTH, example={"column": "income", "top": 60_000}
    ),
}
"""Plan name → method, with an example for the clinic register."""
