"""Aggregate tables: build them, see which cells disclose, protect them, and audit what everybody can compute.

    table → rules → problem → suppress (or round, adjust, add noise) → audit

Everything is one form: cells, the sums that bind them, what everybody knows, costs, statuses and levels.
"""

from .all import ALL
from .audit.audit import Audit, audit
from .audit.intervals import Intervals, intervals
from .audit.outsider import Outsider
from .build.additivity import check_additive
from .build.hierarchies import dimension
from .build.linked import linked, separate
from .build.ready import from_cells
from .build.records import tabulate
from .dimension import Dimension
from .equations import Equations
from .files.batch import plan_of
from .files.from_tau_argus import from_tau_argus
from .files.given import Given
from .files.layout import Layout
from .files.ptable import read_ptable
from .files.write import write_internal, write_table
from .intruders.arithmetic import Arithmetic
from .intruders.claims import CellClaims
from .intruders.coalition import Coalition
from .intruders.external import External
from .intruders.holding import Holding
from .intruders.judge import judged
from .intruders.knowledge import Knowledge
from .intruders.own_value import OwnValue
from .intruders.rival import Rival
from .intruders.sole_respondent import SoleRespondent, knowledge_of
from .intruders.tightened import tightened
from .pattern import Pattern
from .perturb.adjust import adjust
from .perturb.controlled import round_controlled
from .perturb.perturb_counts import cell_keys, perturb_counts, record_keys
from .perturb.perturbed import Perturbed
from .perturb.ptable import PTable
from .perturb.ptable_design import design_ptable
from .perturb.random_rounding import round_random
from .perturb.recovered import recovered
from .problem import Problem, Status
from .published import Published
from .rules.dominance import Dominance
from .rules.marked import marked
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
from .tasks.dominated import suppress_dominated
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
    "Given",
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
    "judged",
    "knowledge_of",
    "linked",
    "marked",
    "perturb_counts",
    "plan_of",
    "read_given",
    "read_ptable",
    "record_keys",
    "recovered",
    "round_controlled",
    "round_random",
    "separate",
    "suppress",
    "suppress_dominated",
    "suppress_small_counts",
    "tabulate",
    "tightened",
    "write_internal",
    "write_table",
]
