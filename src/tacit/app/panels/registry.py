"""The list of panels; adding one is its file, its template and a line here."""

from collections.abc import Mapping

from .attacks import attacks_panel
from .cells import cells_panel
from .column import column_panel
from .hierarchy_file import hierarchy_file
from .lattice import lattice_panel
from .levels import ABOUT, by_hand, levels_panel, of_column
from .look import look_panel
from .panel import DATA, MASKED, Panel
from .prerequisites import before_steps, measured_on
from .release import JOB, release_panel
from .requirement import requirement_panel
from .risk import combinations_panel, individual_panel, knowledge_panel, risk_panel
from .status import status_panel
from .step import effect_panel, plan_up_to_step, step_panel
from .study import study_panel
from .suggestions import suggestions_panel
from .table import table_panel
from .table_data import TABLE
from .variant import variant_panel

FILE = {"plan": ("data",)}
STEPS = {"plan": (*DATA["plan"], "protect", "require")}
REQUIRED = {"plan": (*DATA["plan"], "require")}
EXPLORED = {"plan": (*REQUIRED["plan"], "intruder", "attack", "study")}
"""Without the steps, so that a map stays when one of its points is taken."""

ALL: Mapping[str, Panel] = {
    "look": Panel(call=look_panel, reads=FILE),
    "suggestions": Panel(call=suggestions_panel, reads=FILE),
    "status": Panel(call=status_panel, reads=MASKED),
    "levels": Panel(call=levels_panel, reads=ABOUT, cut=of_column),
    "by_hand": Panel(call=by_hand, reads=ABOUT, cut=of_column),
    "hierarchy_file": Panel(call=hierarchy_file, reads=ABOUT, cut=of_column, lane="long", asked=True, again=True),
    "lattice": Panel(call=lattice_panel, reads=REQUIRED, lane="long", asked=True),
    "study": Panel(call=study_panel, reads=EXPLORED, lane="long", asked=True, again=True),
    "risk": Panel(call=risk_panel, reads=MASKED, cut=measured_on),
    "combinations": Panel(call=combinations_panel, reads=MASKED, cut=measured_on, upto=1_000_000),
    "individual": Panel(call=individual_panel, reads=MASKED, cut=measured_on),
    "knowledge": Panel(call=knowledge_panel, reads=DATA, upto=1_000_000),
    "attacks": Panel(call=attacks_panel, cut=before_steps, lane="long", upto=20_000),
    "effect": Panel(call=effect_panel, reads=STEPS, cut=plan_up_to_step),
    "step": Panel(call=step_panel, reads=STEPS, cut=plan_up_to_step),
    "column": Panel(call=column_panel, reads=STEPS, cut=plan_up_to_step),
    "variant": Panel(call=variant_panel),
    "requirement": Panel(call=requirement_panel),
    "release": Panel(call=release_panel, reads=JOB, lane="long", asked=True, again=True),
    "cells": Panel(call=cells_panel, reads=TABLE),
    "table": Panel(call=table_panel, reads=TABLE, lane="long", asked=True, again=True),
}
