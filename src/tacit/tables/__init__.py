"""Aggregate tables: build them, see which cells disclose, protect them, and audit what everybody can compute.

    table → rules → problem → suppress (or round, adjust, add noise) → audit

Everything is one form: cells, the sums that bind them, what everybody knows, costs, statuses and levels.
"""

from .audit.audit import Audit, audit
from .audit.intervals import Intervals, intervals
from .audit.outsider import Outsider
from .build.additivity import check_additive
from .build.cell_tables import from_cells
from .build.hierarchies import dimension
from .build.linking import cells_of_table, link_tables
from .build.records import tabulate
from .dimension import Dimension
from .equations import Equations
from .files.from_tau_argus import from_tau_argus
from .files.imported_table import ImportedTable
from .files.layout import Layout
from .files.ptable import read_ptable
from .files.translate import plan_of
from .files.write import write_internal, write_table
from .intruders.arithmetic import Arithmetic
from .intruders.claims import CellClaims
from .intruders.coalition import Coalition
from .intruders.external import External
from .intruders.feasibility import tighten_bounds
from .intruders.holding import Holding
from .intruders.judge import judge_claims
from .intruders.knowledge import Knowledge
from .intruders.own_value import OwnValue
from .intruders.rival import Rival
from .intruders.sole_respondent import SoleRespondent, knowledge_of
from .pattern import Pattern
from .perturb.adjust import adjust
from .perturb.controlled_rounding import round_controlled
from .perturb.perturb_counts import cell_keys, perturb_counts, record_keys
from .perturb.perturbed import Perturbed
from .perturb.ptable import PTable
from .perturb.ptable_design import design_ptable
from .perturb.random_rounding import round_random
from .perturb.recovery import recovery_risk
from .problem import Problem, Status
from .published import Published
from .registry import ALL
from .rules.assess import build_problem
from .rules.dominance import Dominance
from .rules.marks import Mark
from .rules.minimum_frequency import MinimumFrequency
from .rules.p_percent import PPercent
from .rules.pq import PQ
from .rules.request import Request
from .suppress.limits import CannotProtect, Limits
from .suppress.suppress import suppress
from .suppress.suppressed import Suppressed
from .table import Contributions, Table
from .tasks.audit_file import FileAudit, audit_file, read_given
from .tasks.dominance import suppress_dominated
from .tasks.small_counts import suppress_small_counts

__all__ = [
    "ALL",
    "Arithmetic",
    "Audit",
    "CannotProtect",
    "CellClaims",
    "Coalition",
    "Contributions",
    "Dimension",
    "Dominance",
    "Equations",
    "External",
    "FileAudit",
    "ImportedTable",
    "Holding",
    "Intervals",
    "Knowledge",
    "Layout",
    "Limits",
    "Mark",
    "MinimumFrequency",
    "Outsider",
    "OwnValue",
    "PPercent",
    "PQ",
    "PTable",
    "Pattern",
    "Perturbed",
    "Problem",
    "Published",
    "Request",
    "Rival",
    "SoleRespondent",
    "Status",
    "Suppressed",
    "Table",
    "adjust",
    "audit",
    "audit_file",
    "cell_keys",
    "check_additive",
    "design_ptable",
    "dimension",
    "from_cells",
    "from_tau_argus",
    "intervals",
    "judge_claims",
    "knowledge_of",
    "link_tables",
    "build_problem",
    "perturb_counts",
    "plan_of",
    "read_given",
    "read_ptable",
    "record_keys",
    "recovery_risk",
    "round_controlled",
    "round_random",
    "cells_of_table",
    "suppress",
    "suppress_dominated",
    "suppress_small_counts",
    "tabulate",
    "tighten_bounds",
    "write_internal",
    "write_table",
]
