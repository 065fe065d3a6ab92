"""Jobs with a guarantee of differential privacy: what they declare, what they read, what they cover, what their verdict discloses.

A step has a guarantee when it declares the types of its columns (``declared_types``). In such a job

- declared columns are read as text and parsed value by value; their type follows from the declaration (see
  :mod:`tacit.protect.private.values`), so that no value of one record changes the type of a column or ends the job;
- a step with a guarantee comes before every step without one, because what another step learnt from all records could not be
  accounted for;
- a column that is not declared is not read by a generator; where rows are kept, one that nobody gave a role is refused, by the
  header alone; one with a role is released outside of the guarantee, and the verdict says so;
- what is published is the file and the trace. A decision that was made by comparing the file with the original is an answer
  about the original, too: it is a :class:`~tacit.plan.coverage.Gap`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import TacitError
from ..models import MODELS
from ..protect.drop_identifiers import DropIdentifiers
from ..protect.pipeline import Pipeline
from ..protect.private.values import TextFormats, parse_declared
from ..protect.pseudonymise import Pseudonymise
from ..protect.shuffle import Shuffle
from ..release.masked import Masked, Method
from ..release.release import Release
from ..release.trace import method_name
from ..risk import MEASURES
from .coverage import Gap
from .privacy import GUARANTEE, PrivacyGuarantee

if TYPE_CHECKING:
    import polars as pl

    from .load import LoadedPlan


LARGEST_EPSILON = 10
"""A larger ε covers nothing: it lets one record change the chance of a file by a factor of more than e¹⁰, 22,000."""
NEUTRAL = (DropIdentifiers, Pseudonymise, Shuffle)
"""Steps that touch identifiers or the order alone: a guarantee may follow them."""


def declared_columns(steps: Iterable[Method]) -> dict[str, pl.DataType]:
    """The columns that steps with a guarantee declare, and their types; nothing where no step has one."""
    found: dict[str, pl.DataType] = {}
    for step in _flatten_steps(steps):
        for column, dtype in step.declared_types().items() if hasattr(step, "declared_types") else ():
            if found.setdefault(column, dtype) != dtype:
                raise TacitError(
                    f"is declared as {found[column]} by one step and as {dtype} by another",
                    code="unsuitable_column",
                    column=column,
                    fix="declare the same in both: whole bounds make whole numbers, 0.0 decimals",
                )
    return found


def _flatten_steps(steps: Iterable[Method]) -> Iterator[Any]:
    for step in steps:
        yield from _flatten_steps(step.steps) if isinstance(step, Pipeline) else (step,)


def _makes_records(steps: Iterable[Method]) -> bool:
    """Whether a step with a guarantee makes records anew, of the declared columns only."""
    return any(hasattr(step, "declared_types") and hasattr(step, "delta") for step in _flatten_steps(steps))


def check_declarations(plan: LoadedPlan) -> None:
    """Refuse a plan whose guarantee could not hold, before any file is opened."""
    declared = declared_columns(plan.steps)
    if not declared:
        return
    _check_order(plan)
    said = plan.plan.roles
    for role in ("weight", "household"):
        column = getattr(said, role)
        if column is not None and (column in declared or _makes_records(plan.steps)):
            problem = TacitError(
                f"is the {role}, whose values are checked against all records, in a job with a guarantee",
                code="unsuitable_column",
                column=column,
                fix=f"take {role} out of [roles]",
            )
            raise plan.locate_error(problem, "roles", role)
    ladder = next((column for column in plan.plan.hierarchies if column in declared), None)
    if ladder is not None:
        problem = TacitError(
            "has a hierarchy, which is checked against the values of all records, and a guarantee",
            code="unsuitable_column",
            column=ladder,
            fix="take it out of [hierarchies]; declare coarser categories or bins instead",
        )
        raise plan.locate_error(problem, "hierarchies", ladder)
    if not _makes_records(plan.steps):
        return
    for role in ("quasi", "confidential"):
        column = next((one for one in getattr(said, role) if one not in declared), None)
        if column is not None:
            problem = TacitError(
                "has a role and is not declared: a generator with a guarantee reads declared columns only",
                code="column_not_chosen",
                column=column,
                fix="declare its categories or bounds, or take it out of [roles]",
            )
            raise plan.locate_error(problem, "roles", role)


def _check_order(plan: LoadedPlan) -> None:
    before: Method | None = None
    for place, step in enumerate(plan.steps):
        for one in _flatten_steps([step]):
            if before is not None and hasattr(one, "declared_types"):
                problem = TacitError(
                    f"{method_name(one)} comes after {method_name(before)}, which reads all records without a guarantee",
                    code="missing_parameter",
                    fix=f"put {method_name(one)} first, or take {method_name(before)} out",
                )
                raise plan.locate_error(problem, "protect", place)
            if not hasattr(one, "declared_types") and not isinstance(one, NEUTRAL):
                before = one


def read_columns(plan: LoadedPlan, columns: Sequence[str]) -> tuple[str, ...]:
    """Those columns of a file that the job reads: with a generator the declared ones and the identifiers, which are dropped."""
    declared = declared_columns(plan.steps)
    if not declared or not _makes_records(plan.steps):
        return tuple(columns)
    named = {given.column for given in plan.identifiers}
    return tuple(column for column in columns if column in declared or column in named)


def check_undeclared(plan: LoadedPlan, columns: Sequence[str]) -> None:
    """Refuse, by the header alone, columns that no step with a guarantee declares and that nobody gave a role."""
    declared = declared_columns(plan.steps)
    if not declared or _makes_records(plan.steps):
        return
    said = plan.plan.roles
    decided = {*declared, *said.quasi, *said.confidential, said.weight, said.household}
    decided |= {given.column for given in plan.identifiers}
    extra = [column for column in columns if column not in decided]
    if extra:
        problem = TacitError(
            f"is neither declared nor has a role, in a job with a guarantee ({len(extra)} such columns)"
            if len(extra) > 1
            else "is neither declared nor has a role, in a job with a guarantee",
            code="column_not_chosen",
            column=extra[0],
            fix="declare it in a step with a guarantee, name it under identifier in [roles] (it is then dropped), or give it a role: it is then released outside of the guarantee",
        )
        raise plan.locate_error(problem, "roles")


def parse_table(plan: LoadedPlan, table: Release) -> Release:
    """The table with its declared columns in their declared types, value by value; what is no value is missing. O(n · columns)."""
    types = {column: dtype for column, dtype in declared_columns(plan.steps).items() if column in table.columns}
    if not types:
        return table
    data = plan.plan.data
    written = TextFormats(decimal=data.decimal, thousands=data.thousands, dates=data.dates)
    return table.with_columns(
        {column: parse_declared(table.series(column), dtype, written) for column, dtype in types.items()}
    )


def guarantee_gaps(plan: LoadedPlan, masked: Masked) -> tuple[Gap, ...]:
    """What a verdict on a job with a guarantee does not cover: columns outside of it, and a decision made from the original."""
    methods = [step.method for step in masked.trace if GUARANTEE in step.outcome]
    if not methods:
        return ()
    whole = PrivacyGuarantee.of(masked)
    if whole is None:
        covered = {
            column
            for step in masked.trace
            if GUARANTEE in step.outcome
            for column in step.outcome[GUARANTEE].value["columns"]
        }
        rest = tuple(column for column in masked.release.columns if column not in covered)
        names = ", ".join(dict.fromkeys(methods))
        return (Gap(code="guarantee_incomplete", columns=rest, facts={"methods": names}),)
    gaps, deciding = [], _original_requirements(plan)
    if whole.epsilon > LARGEST_EPSILON:
        gaps.append(Gap(code="weak_guarantee", facts={"guarantee": str(whole), "most": LARGEST_EPSILON}))
    if deciding:
        facts = {"requirements": ", ".join(deciding), "guarantee": str(whole)}
        gaps.append(Gap(code="decision_depends_on_data", facts=facts))
    return tuple(gaps)


def _original_requirements(plan: LoadedPlan) -> list[str]:
    """The requirements that compare the release with the original."""
    asked = plan.requirements
    models = [name for name in asked.models if "original" in MODELS[name].needs]
    return [
        *models,
        *(bound.measure for bound in asked.bounds if "original" in MEASURES[bound.measure].needs),
        *asked.attacks,
    ]
