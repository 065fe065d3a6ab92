"""The job on tables: build, judge, protect, audit, attack, compare."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...attack.runner import AttackResult
from ...errors import Cancelled, Note, TacitError
from ...models.verdict import Verdict
from ...progress import Progress, report_progress, sub_progress
from ...result import Result
from ...seed import secret_seed
from ...tables.audit.respondents import audit_respondents
from ...tables.intruders.claims import CELL
from ...tables.intruders.coalition import Coalition
from ...tables.intruders.external import External
from ...tables.intruders.judge import judge_claims
from ...tables.intruders.knowledge import Knowledge
from ...tables.intruders.rival import Rival
from ...tables.loss.summary import summary
from ...tables.perturb.adjust import adjust
from ...tables.perturb.checks import levels_met
from ...tables.perturb.controlled_rounding import round_controlled
from ...tables.perturb.perturb_counts import with_noise
from ...tables.perturb.perturbed import Perturbed
from ...tables.perturb.ptable_design import design_ptable
from ...tables.perturb.random_rounding import round_random
from ...tables.perturb.recovery import short_of_levels
from ...tables.problem import Problem
from ...tables.published import Published
from ...tables.rules.p_percent import PPercent
from ...tables.rules.rule import Rule
from ...tables.suppress.limits import CannotProtect, Limits
from ...tables.suppress.suppress import suppress
from ...tables.suppress.suppressed import Suppressed
from ..coverage import Gap, IntruderConsidered
from ..parse import error_key
from ..register import Fingerprint, attempts_before
from .build import problem_of
from .loaded_plan import LoadedTablePlan
from .methods import Adjust, CellKey, RoundControlled, RoundRandom, Suppress
from .outcome import TableOutcome

ATTACKS: dict[str, External | Rival | Coalition] = {
    "outsider who knows the numbers of respondents": External(),
    "second largest respondent": Rival(n=1),
    "respondent of a cell of two": Coalition(c=1),
    "two respondents of a cell of three": Coalition(c=2),
}
"""Who attacks: what the reader sees of it, and how."""

UNSAFE_CELLS = "unsafe cells not protected"
CONTRIBUTIONS = "contributions"


def protect_table(
    loaded: LoadedTablePlan,
    *,
    seed: int | bytes | None = None,
    out: Path | None = None,
    fingerprint: Fingerprint | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> TableOutcome:
    """Do the job of a plan about tables; :func:`tacit.plan.publish.run_and_publish` puts the result into place.

    A table that cannot be protected is an outcome, not an error: its ``failures`` say why. The seed, which only methods that
    change figures use, is 128 bits from the operating system unless one is given. The outcome says how often the same was
    tried before in ``out``.
    """
    started = time.monotonic()
    known = fingerprint or loaded.fingerprint()
    attempts = attempts_before(out or loaded.output_folder, known)
    report_progress(progress, "building the table", 0.0)
    key = secret_seed() if seed is None else seed
    problem = problem_of(loaded, seed=key)
    found, short, failures = _protect_and_audit(loaded, problem, key, sub_progress(progress, 0.1, 0.8))
    report_progress(progress, "attacking", 0.8)
    bare, attacks = _run_attacks(loaded, problem, found)
    drawn = not isinstance(loaded.way, Suppress)
    report_progress(progress, "done", 1.0)
    return TableOutcome(
        title=loaded.plan.title or f"Table of {loaded.data_path.name}",
        problem=problem,
        protected=found,
        verdicts=_judge(loaded, short, failures),
        short=short,
        way=loaded.way.method,
        judged=loaded.has_rules,
        bare=bare,
        attacks=attacks,
        intruders=tuple(IntruderConsidered(code=one.name, attacks=(CONTRIBUTIONS,)) for one in attacks),
        losses=_measure_losses(problem, found),
        gaps=(*_find_gaps(loaded, problem, found), *(attempts.gaps if drawn else ())),
        strict=strict,
        fingerprint=known,
        attempts=attempts,
        notes=(
            *_publication_notes(found, seed if drawn else None),
            *attacks_not_run(problem),
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


def _protect_and_audit(
    loaded: LoadedTablePlan, problem: Problem, seed: int | bytes, progress: Progress | None
) -> tuple[Suppressed | Perturbed | None, np.ndarray, tuple[str, ...]]:
    """The protected table, the unsafe cells that are not protected in it, and why it may not be published."""
    try:
        found = protect_cells(loaded, problem, seed=seed, progress=progress)
    except CannotProtect as refused:
        return None, problem.primaries, (f"{refused.what[0].upper()}{refused.what[1:]} — {refused.fix}.",)
    except Cancelled:
        raise
    except TacitError as mistake:
        raise loaded.locate_error(mistake, "protect", *error_key(mistake, loaded.plan.protect)) from None
    short = short_of(loaded, problem, found)
    return found, short, failures_of(problem, found, short)


def _judge(loaded: LoadedTablePlan, short: np.ndarray, failures: tuple[str, ...]) -> tuple[Verdict, ...]:
    """The verdict on the unsafe cells; none where nothing says which cells are unsafe."""
    if not loaded.has_rules and not failures:
        return ()
    missed = float(max(len(short), 1 if failures else 0))
    notes = tuple(Note(failure, code="cells_not_protected") for failure in failures)
    return (Verdict(holds=not failures, model=UNSAFE_CELLS, required=0.0, found=missed, margin=-missed, notes=notes),)


def _run_attacks(
    loaded: LoadedTablePlan, problem: Problem, found: Suppressed | Perturbed | None
) -> tuple[tuple[AttackResult, ...], tuple[AttackResult, ...]]:
    """What respondents learn from the table as it is, and from the suppressed one by all that can be computed from it."""
    within, nothing = closeness_share(loaded.rules), np.zeros(problem.size, dtype=bool)
    bare = attacks_on(problem, Published.from_suppression(problem, nothing), within=within)
    if not isinstance(found, Suppressed):
        return bare, ()
    known = found.audit.intervals
    seen = found.published.with_known_bounds(known.cells, known.low, known.high)
    return bare, attacks_on(problem, seen, hidden=found.hidden, within=within)


def _find_gaps(loaded: LoadedTablePlan, problem: Problem, found: Suppressed | Perturbed | None) -> tuple[Gap, ...]:
    """What the verdict on a table does not cover: no rule, insiders who were left out, respondents who know their own value."""
    gaps = [] if loaded.has_rules else [Gap(code="no_requirement")]
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


def _measure_losses(problem: Problem, found: Suppressed | Perturbed | None) -> tuple[Result, ...]:
    if found is None:
        return ()
    what = {"hidden": found.hidden} if isinstance(found, Suppressed) else {"values": found.values}
    return tuple(summary(problem, **what))


def _publication_notes(found: Suppressed | Perturbed | None, seed: int | bytes | None) -> tuple[str, ...]:
    notes = found.notes if isinstance(found, Perturbed) else ()
    if isinstance(found, Suppressed) and not found.pattern.reproducible:
        notes += ("not reproducible: the clock ended the search; give nodes or iterations instead of seconds",)
    if seed is not None:
        notes += ("repeatable, not for publication: whoever knows the seed can undo the random steps",)
    return notes


def closeness_share(rules: Sequence[Rule]) -> float:
    """Within what share a contribution counts as known: the p of the p %-rule, else only exactly."""
    return max((rule.p / 100 for rule in rules if isinstance(rule, PPercent)), default=0.0)


def attacks_on(
    problem: Problem, published: Published, *, hidden: np.ndarray | None = None, within: float = 0.0
) -> tuple[AttackResult, ...]:
    """How many respondents each intruder finds out about; nothing where the table does not tell who contributes, or
    counts respondents, of each of whom everybody knows that it adds one.

    ``published`` should have every suppressed cell narrowed to its interval, as somebody who can do the sums would start.
    """
    if problem.table.contributions is None or problem.table.is_frequency:
        return ()
    return tuple(_attack_results(problem, published, hidden, within))


def attacks_not_run(problem: Problem) -> tuple[str, ...]:
    """Which attacks cannot be made on the table, and why: what is not tried must not look as if it had failed."""
    table = problem.table
    if table.is_frequency:
        return ()
    kept = 0 if table.contributions is None else table.contributions.values.shape[1]
    if kept >= 3:
        return ()
    said = "no contribution" if not kept else "the largest contribution" if kept == 1 else "two contributions"
    return (f"attacks by respondents were not all made: the table keeps {said} to each cell",)


def _attack_results(
    problem: Problem, published: Published, hidden: np.ndarray | None, within: float
) -> Iterator[AttackResult]:
    knowledge = Knowledge.of(problem.table, counts="all", hidden=hidden)
    for name, attack in ATTACKS.items():
        try:
            claims = attack.claims(published, knowledge)
        except TacitError:
            continue  # the table keeps too few contributions to a cell for so many intruders
        if len(claims) and (claims.owners != CELL).any():
            found = judge_claims(claims, problem, within=within).of("respondents disclosed")[0]
            facts = {key: value for key, value in found.facts.items() if key not in ("notes", "wrong claims")}
            result = Result(name=found.name, value=found.value, worse="high", about="attribute", facts=facts)
            yield AttackResult(name=name, result=result, about="attribute")


def protect_cells(
    loaded: LoadedTablePlan, problem: Problem, *, seed: int | bytes, progress: Progress | None
) -> Suppressed | Perturbed:
    """Do what [protect] says."""
    way = loaded.way
    if isinstance(way, Suppress):
        given = {"nodes": way.nodes, "iterations": way.iterations, "seconds": way.seconds}
        said = {name: value for name, value in given.items() if value is not None}
        return suppress(
            problem,
            method=way.search,
            limits=Limits(**said) if said else None,  # type: ignore[arg-type]
            insiders=None if loaded.plan.intruder.insiders else False,
            progress=progress,
        )
    if isinstance(way, RoundControlled):
        return round_controlled(problem.table, base=way.base, seed=seed, progress=progress)
    if isinstance(way, RoundRandom):
        return round_random(problem.table, base=way.base, seed=seed)
    if isinstance(way, Adjust):
        return adjust(problem, seed=seed, progress=progress)
    assert isinstance(way, CellKey)
    return with_noise(problem.table, design_ptable(largest=way.largest, variance=way.variance, forbidden=way.forbidden))


def short_of(loaded: LoadedTablePlan, problem: Problem, found: Suppressed | Perturbed) -> np.ndarray:
    """The unsafe cells that can still be known more closely than their levels allow, by code that did not protect them."""
    if isinstance(found, Suppressed):
        return found.audit.short
    if isinstance(loaded.way, Adjust):
        return np.asarray(problem.primaries[~levels_met(problem, found.values)])
    return short_of_levels(problem, found) if len(problem.primaries) else problem.primaries


def failures_of(problem: Problem, found: Suppressed | Perturbed, short: np.ndarray) -> tuple[str, ...]:
    """Why the protected table may not be published, in sentences; none when it may."""
    return tuple(
        _suppression_failures(found) if isinstance(found, Suppressed) else _perturbation_failures(problem, short)
    )


def _suppression_failures(found: Suppressed) -> Iterator[str]:
    audit, name = found.audit, found.audit.problem.table.name
    for cells, what in (
        (audit.short, "can be computed more closely than their levels allow"),
        (audit.bare, "must be suppressed and are not"),
        (audit.withheld, "must be published and are not"),
    ):
        if len(cells):
            yield f"Cells that {what}: {len(cells)}, first {name(int(cells[0]))}."
    if audit.insiders:
        first = audit.insiders[0]
        learnt = name(int(np.r_[first.exact, first.short][0]))
        yield (
            "Sole respondents, who know their own cells and learn too much of others whatever else is left out: "
            f"{len(audit.insiders)}, first the one of {name(int(first.cells[0]))}, who learns {learnt}. "
            "Use coarser codes, or insiders = false under [intruder]."
        )


def _perturbation_failures(problem: Problem, short: np.ndarray) -> Iterator[str]:
    if len(short):
        yield (
            f"Cells that can be known more closely than their levels allow: {len(short)} of {len(problem.primaries)} unsafe ones, "
            f"first {problem.table.name(int(short[0]))}. Use a larger base or more noise, or suppress cells instead."
        )
