"""The sorts of data that a study may be about, and which of them something is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import TacitError, format_value
from ..plan.parse import COMMANDS, noun_in, text_of
from .data_kind import DataKind, StudyPlan
from .graph import GRAPH
from .microdata import MICRODATA

NOUNS: Mapping[str, DataKind] = {"microdata": MICRODATA, "graph": GRAPH}
"""Noun of a plan → how a study treats it."""


def noun_of(what: object) -> DataKind:
    """That of a plan, or of data in memory."""
    for noun in NOUNS.values():
        if noun.is_plan(what) or noun.data_of(what) is not None:
            return noun
    raise TacitError(
        f"{format_value(what)} cannot be explored",
        code="invalid_plan",
        fix="give a plan or its path, a release or a graph",
    )


def read_plan(path: str | Path) -> StudyPlan:
    """The plan in a TOML file, whatever of these it is about."""
    text, file = text_of(path), Path(path)
    about = noun_in(text, file.name)
    if about in COMMANDS and about not in NOUNS:
        raise TacitError(
            f"this is a plan about {about}, and a study is about {' or '.join(NOUNS)}",
            code="invalid_plan",
            fix=f"use: {COMMANDS[str(about)]} {file.name}",
            where=file.name,
        )
    plan: StudyPlan = NOUNS.get(str(about), MICRODATA).load(text, folder=file.parent, name=file.name)
    return plan
