"""The job on tables: build, judge, protect, audit, attack, compare."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import Cancelled, TacitError
from ...progress import Progress, part, report
from ...result import Result
from ...seed import secret
from ...tables.audit.respondents import audit_respondents
from ...tables.loss.summary import summary
from ...tables.perturb.perturbed import Perturbed
from ...tables.problem import Problem
from ...tables.published import Published
from ...tables.suppress.limits import CannotProtect
from ...tables.suppress.suppressed import Suppressed
from ..coverage import Gap
from ..parse import blamed
from ..register import Fingerprint, attempts_before, fingerprint_of
from .attacks import attacks_on, nearness, unmade
from .built import problem_of
from .loaded import LoadedTablePlan
from .outcome import TableOutcome
from .protected import failures_of, protected, short_of
from .ways import Suppress

__all__ = ["protect_table", "table_fingerprint"]


def table_fingerprint(loaded: LoadedTablePlan) -> Fingerprint:
    """By what the register knows a plan again: its data, all that it does with them, and which cells disclose."""
    left_out: dict[str, Any] = {"title": True, "output": True, "data": {"path"}}
    sections = loaded.plan.model_dump(mode="json", by_alias=True, exclude=left_out)
    required = {name: sections.pop(name) for name in ("rule", "mark", "intruder")}
    return fingerprint_of(loaded.inputs[1:], steps=sections, requirements=required)


def protect_table(
    loaded: LoadedTablePlan,
    *,
    seed: int | bytes | None = None,
    out: Path | None = None,
    fingerprint: Fingerprint | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> TableOutcome:
    """Do the job of a plan about tables; :func:`tacit.report.table_folder.publish_table` puts the result into place.

    A table that cannot be protected is an outcome, not an error: its ``failures`` say why. The seed, which only methods that
    change figures use, is 128 bits from the operating system unless one is given. The outcome says how often the same was
    tried before in ``out``.
    """
    started = time.monotonic()
    known = fingerprint or table_fingerprint(loaded)
    attempts = attempts_before(out or loaded.folder / loaded.plan.output.directory, known)
    report(progress, "building the table", 0.0)
    key = secret() if seed is None else seed
    problem = problem_of(loaded, seed=key)
    found, short, failures = _protected(loaded, problem, key, part(progress, 0.1, 0.8))
    report(progress, "attacking", 0.8)
    before, after = _attacks(loaded, problem, found)
    drawn = not isinstance(loaded.way, Suppress)
    report(progress, "done", 1.0)
    return TableOutcome(
        title=loaded.plan.title or f"Table of {loaded.data_path.name}",
        problem=problem,
        protected=found,
        failures=failures,
        short=short,
        way=loaded.way.method,
        judged=loaded.judges,
        before=before,
        after=after,
        losses=_losses(problem, found),
        gaps=(*_gaps(loaded, problem, found), *(attempts.gaps if drawn else ())),
        strict=strict,
        fingerprint=known,
        attempts=attempts,
        notes=(
            *_notes(found, seed if drawn else None),
            *unmade(problem),
            *((str(attempts),) if attempts.total else ()),
        ),
        plan=loaded.plan.model_dump(mode="json", by_alias=True),
        plan_text=loaded.text,
        file=loaded.plan.output.file or f"{Path(loaded.plan.data.path).stem}.csv",
        form=loaded.plan.output.form,
        also=tuple(loaded.plan.output.also),
        seed=key if drawn else None,
        repeatable=drawn and seed is not None,
        seconds=time.monotonic() - started,
    )


def _protected(
    loaded: LoadedTablePlan, problem: Problem, seed: int | bytes, progress: Progress | None
) -> tuple[Suppressed | Perturbed | None, np.ndarray, tuple[str, ...]]:
    """The protected table, the unsafe cells that are not protected in it, and why it may not be published."""
    try:
        found = protected(loaded, problem, seed=seed, progress=progress)
    except CannotProtect as refused:
        return None, problem.primaries, (f"{refused.what[0].upper()}{refused.what[1:]} — {refused.fix}.",)
    except Cancelled:
        raise
    except TacitError as mistake:
        raise loaded.at(mistake, "protect", *blamed(mistake, loaded.plan.protect)) from None
    short = short_of(loaded, problem, found)
    return found, short, failures_of(problem, found, short)


def _attacks(
    loaded: LoadedTablePlan, problem: Problem, found: Suppressed | Perturbed | None
) -> tuple[tuple[Result, ...], tuple[Result, ...]]:
    """What respondents learn from the table as it is, and from the suppressed one by all that can be computed from it."""
    within, nothing = nearness(loaded.rules), np.zeros(problem.size, dtype=bool)
    before = attacks_on(problem, Published.suppressed(problem, nothing), within=within)
    if not isinstance(found, Suppressed):
        return before, ()
    known = found.audit.intervals
    seen = found.published.knowing(known.cells, known.low, known.high)
    return before, attacks_on(problem, seen, hidden=found.hidden, within=within)


def _gaps(loaded: LoadedTablePlan, problem: Problem, found: Suppressed | Perturbed | None) -> tuple[Gap, ...]:
    """What the verdict on a table does not cover: no rule, insiders who were left out, respondents who know their own value."""
    gaps = [] if loaded.judges else [Gap(code="no_requirement")]
    if not isinstance(found, Suppressed):
        return tuple(gaps)
    if not loaded.plan.intruder.insiders:
        gaps.append(Gap(code="insiders_not_audited"))
    seen = audit_respondents(problem, found.hidden, found.audit.intervals)
    if seen is not None and seen.pairs is None:
        gaps.append(Gap(code="respondents_not_audited"))
    elif seen is not None and seen.cells:
        facts = {"respondents": seen.respondents, "cells": len(seen.cells), "exact": len(seen.exact)}
        gaps.append(Gap(code="respondents_narrow_cells", facts=facts))
    if found.audit.joint:
        gaps.append(Gap(code="sums_of_one_respondent", facts={"respondents": len(found.audit.joint)}))
    return tuple(gaps)


def _losses(problem: Problem, found: Suppressed | Perturbed | None) -> tuple[Result, ...]:
    if found is None:
        return ()
    what = {"hidden": found.hidden} if isinstance(found, Suppressed) else {"values": found.values}
    return tuple(summary(problem, **what))


def _notes(found: Suppressed | Perturbed | None, seed: int | bytes | None) -> tuple[str, ...]:
    notes = found.notes if isinstance(found, Perturbed) else ()
    if isinstance(found, Suppressed) and not found.pattern.reproducible:
        notes += ("not reproducible: the clock ended the search; give nodes or iterations instead of seconds",)
    if seed is not None:
        notes += ("repeatable, not for publication: whoever knows the seed can undo the random steps",)
    return notes
