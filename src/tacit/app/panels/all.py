"""The list of panels; adding one is its file, its template and a line here."""

from collections.abc import Mapping

from .attacks import attacks
from .cells import cells
from .column import column
from .hierarchy_file import hierarchy_file
from .lattice import lattice
from .levels import ABOUT, by_hand, levels, of_column
from .look import look
from .panel import DATA, MASKED, Panel
from .ready import before_steps, measured_on
from .release import JOB, release
from .requirement import requirement
from .risk import combinations, individual, knowledge, risk
from .status import status
from .step import effect, step, upto
from .study import study
from .suggestions import suggestions
from .table import table
from .tabulated import TABLE
from .variant import variant

FILE = {"plan": ("data",)}
STEPS = {"plan": (*DATA["plan"], "protect", "require")}
REQUIRED = {"plan": (*DATA["plan"], "require")}
EXPLORED = {"plan": (*REQUIRED["plan"], "intruder", "attack", "study")}
"""Without the steps, so that a map stays when one of its points is taken."""

ALL: Mapping[str, Panel] = {
    "look": Panel(call=look, reads=FILE),
    "suggestions": Panel(call=suggestions, reads=FILE),
    "status": Panel(call=status, reads=MASKED),
    "levels": Panel(call=levels, reads=ABOUT, cut=of_column),
    "by_hand": Panel(call=by_hand, reads=ABOUT, cut=of_column),
    "hierarchy_file": Panel(call=hierarchy_file, reads=ABOUT, cut=of_column, lane="long", asked=True, again=True),
    "lattice": Panel(call=lattice, reads=REQUIRED, lane="long", asked=True),
    "study": Panel(call=study, reads=EXPLORED, lane="long", asked=True, again=True),
    "risk": Panel(call=risk, reads=MASKED, cut=measured_on),
    "combinations": Panel(call=combinations, reads=MASKED, cut=measured_on, upto=1_000_000),
    "individual": Panel(call=individual, reads=MASKED, cut=measured_on),
    "knowledge": Panel(call=knowledge, reads=DATA, upto=1_000_000),
    "attacks": Panel(call=attacks, cut=before_steps, lane="long", upto=20_000),
    "effect": Panel(call=effect, reads=STEPS, cut=upto),
    "step": Panel(call=step, reads=STEPS, cut=upto),
    "column": Panel(call=column, reads=STEPS, cut=upto),
    "variant": Panel(call=variant),
    "requirement": Panel(call=requirement),
    "release": Panel(call=release, reads=JOB, lane="long", asked=True, again=True),
    "cells": Panel(call=cells, reads=TABLE),
    "table": Panel(call=table, reads=TABLE, lane="long", asked=True, again=True),
}
