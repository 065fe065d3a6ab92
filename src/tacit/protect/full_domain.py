"""Full-domain generalisation: one level for every column, the best of all, found with a proof."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from ..errors import TacitError, check_columns, check_int, format_value
from ..frozen import FrozenDict
from ..models.delta_presence import DeltaPresence
from ..models.k_map import KMap
from ..models.load import models_of
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.hierarchy.base import TOP
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..result import format_fact
from ._feasibility import asks_something, nearest_met
from ._verification import verify_models
from .generalise import Generalise
from .lattice.answer import Answer, Candidate, search_lattice
from .lattice.best_effort import RATE, best_effort
from .lattice.columns import has_ladder, level_limits
from .lattice.exact import failing_classes
from .lattice.objectives import objective_of
from .lattice.problem import Problem, problem_of
from .parameters import check_share, column_weights, drop_metadata, is_number

if TYPE_CHECKING:
    from ..models.demand import Model
    from ..models.verdict import Verdict
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


LONGEST = 200.0
"""Seconds of CPU beyond which a search to the end is not begun unasked."""

FREE, BOUND, FIXED = "cannot_be_met", "levels_bounded", "levels_fixed"
"""Why no node will do: not even the coarsest, not within the highest levels that are allowed, not at the only levels."""

PLACES = {
    FREE: "with every column at its highest level",
    BOUND: "with every column at the highest level that is allowed",
    FIXED: "at the fixed levels",
}

RAISE = "raise highest="


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("coarsens", ("levels",), drops=True, model="full_domain"),
    family="provide",
    provides=("classes",),
    example={"models": {"k_anonymity": 3}, "suppression": 0.1},
    use="The same categories for all records are needed, with a proof that no coarser release was necessary.",
    avoid="One rare record drives all others up: local recoding or cell suppression loses less.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class FullDomain:
    r"""Give every quasi-identifier the level of its hierarchy at which the models hold and the least is lost.

    All records of a column get the same level, so that its labels can be tabulated; a column without a hierarchy stays
    as it is or becomes ``*``. At most the share ``suppression`` of the records, those of the classes that miss a model,
    is left out. ``objective`` says what is lost: ``loss`` (:math:`\frac1m\sum_j \frac1N\sum_i (|leaves| - 1)/(|domain| - 1)`,
    a removed record costing 1), ``loss_geometric``, ``precision`` (level over height), ``entropy`` (bits), ``discernibility``
    (:math:`\sum_c n_c^2 + N |S|`), ``class_size``, or ``accuracy`` in predicting the column ``target``. ``weights`` say how much a
    column counts, ``lowest`` and ``highest`` bound its levels.

    The search goes to the end and proves its answer; ``exhaustive`` evaluates every node, for the whole solution space.
    With ``seconds`` (of CPU) a lattice too large for that is searched as far as they go, and the evidence states the gap
    to a bound where one is known. The evidence: ``proven``, ``score``, ``bound``, ``gap``, ``checked``, ``passed_over``, ``space``.

    The models are measured anew on what comes out: after a removal of records the distribution of the whole file is
    another, so a node that met t-closeness before may miss it then; such nodes are passed over for the next best. Nothing
    is ``proven`` where the search does not see what the verdicts see: under ``missing="any"`` with missing keys it works on
    the records without any (what whole classes of these meet, a record that lacks keys meets by their union), and what
    is asked of a population is measured node by node on the released table, at most for ``seconds`` (200 without), and no
    record is removed for it.
    O(nodes · classes) at most, bounds and projections cut most of it; memory O(classes · total height).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1A", "N1B", "N2A"]}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2]}})
    >>> m = r.protect(FullDomain(models={"k_anonymity": 2}, suppression=0.4))
    >>> m.to_native()["zip"].to_list(), m.evidence["proven"]
    (['N1*', 'N1*'], True)

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    Kohlmayer, Prasser, Eckert, Kemper, Kuhn (2012), Flash: efficient, stable and optimal k-anonymity, PASSAT, 708–717.
    """

    models: Any
    suppression: float = 0.0
    objective: str = "loss"
    weights: Mapping[str, float] = field(default_factory=dict)
    lowest: Mapping[str, int] = field(default_factory=dict)
    highest: Mapping[str, int] = field(default_factory=dict)
    target: str | None = None
    exhaustive: bool = False
    seconds: float | None = None

    def __post_init__(self) -> None:
        models = models_of(self.models)
        if not models:
            raise TacitError("no model is asked for", code="missing_parameter", fix="e.g. models={'k_anonymity': 5}")
        object.__setattr__(self, "models", models)
        object.__setattr__(self, "weights", column_weights(self.weights))
        check_share(self.suppression)
        objective_of(self.objective, weights=self.weights, target=self.target)
        for name in ("lowest", "highest"):
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise TacitError(
                    f"{name}={format_value(given)} gives no levels by column",
                    code="invalid_parameter",
                    parameter=name,
                    fix=f"e.g. {name}={{'zip': 1}}",
                )
            for column, level in given.items():
                check_int(f"the {name} level of {column!r}", level, least=0)
            object.__setattr__(self, name, FrozenDict(given))
        if not isinstance(self.exhaustive, bool) or (self.exhaustive and self.seconds is not None):
            raise TacitError(
                f"exhaustive={format_value(self.exhaustive)} does not go with seconds={format_value(self.seconds)}",
                code="conflicting_parameters",
                parameter="exhaustive",
                fix="exhaustive=True evaluates every node, whatever it takes; seconds= what can be seen in that time",
            )
        if self.seconds is not None and (not is_number(self.seconds) or self.seconds <= 0):
            raise TacitError(
                f"seconds={format_value(self.seconds)} is no time",
                code="out_of_range",
                parameter="seconds",
                fix="e.g. seconds=60",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release at the best levels, without the records that fail there."""
        report_progress(progress, "full_domain", 0.0)
        rows = _complete_rows(release)
        if rows is not None:
            already = self._try_lowest_levels(release)
            if already is not None:
                return already
        problem = self._build_problem(release if rows is None else release.take(rows), release.size)
        low, high = level_limits(problem.columns, self.lowest, self.highest)
        answer = self._search_lattice(problem, low, high, seed=seed, progress=progress)
        passed, any_found = 0, False
        late = time.process_time() + (self.seconds or LONGEST)
        for candidate in answer.candidates:
            any_found = True
            if passed and time.process_time() > late:
                break
            masked = self._mask_at_levels(release, problem, candidate, rows)
            if all(model.holds(masked.release) for model in self.models):
                report_progress(progress, "full_domain", 1.0)
                return verify_models(
                    masked,
                    self.models,
                    **_search_evidence(answer, candidate, passed, certain=rows is None and not self._needs_population),
                )
            passed += 1
        if any_found:
            raise unverified_error(passed, removed=problem.limit > 0)
        coarsest = dict(zip(problem.names, map(int, high), strict=True))
        missing = int(problem.cells.size[failing_classes(problem, high)].sum())
        top = all(level == column.height for level, column in zip(high, problem.columns, strict=True))
        place = FREE if top else FIXED if (low == high).all() else BOUND
        raise infeasible_error(
            release, self.models, highest=coarsest, limit=problem.limit, failing=missing, place=place
        )

    @property
    def _needs_population(self) -> bool:
        """Whether a model asks something of a population, which the search does not see."""
        return any(isinstance(model, KMap | DeltaPresence) for model in self.models)

    def _try_lowest_levels(self, release: Release) -> Masked | None:
        """The release at its lowest levels, when the models hold there already: nothing can lose less."""
        lowest = {column: self.lowest.get(column, 0) for column in release.quasi}
        at_lowest = generalise_to_levels(release, lowest)
        if not all(model.holds(at_lowest) for model in self.models):
            return None
        levels, removed = Finding(lowest, publishable=True), Finding(0, publishable=True, counts=True)
        masked = Masked(at_lowest, (Trace.of(self, levels=levels, removed=removed),))
        return verify_models(masked, self.models, proven=True, gap=0.0, checked=1, passed_over=0)

    def _build_problem(self, release: Release, size: int) -> Problem:
        check_columns(list(self.weights), release.quasi)
        if self.target is not None:
            check_columns(self.target, release.columns)
        weights = np.array([float(self.weights.get(column, 1.0)) for column in release.quasi])
        if len(weights) and not weights.any():
            raise TacitError("every column has the weight 0", code="invalid_parameter", fix="let one of them count")
        return problem_of(
            release,
            self.models,
            objective=objective_of(self.objective, weights=self.weights, target=self.target),
            weights=weights,
            limit=math.floor(self.suppression * size + 1e-9),
            target=self.target,
        )

    def _search_lattice(
        self, problem: Problem, low: np.ndarray, high: np.ndarray, *, seed: Seed | None, progress: Progress | None
    ) -> Answer:
        nodes = math.prod(int(count) for count in high - low + 1)
        needed = nodes * len(problem.codes) / RATE
        if self.seconds is not None and needed > self.seconds / 2:
            return best_effort(problem, low, high, seconds=self.seconds, seed=seed, progress=progress)
        if needed > LONGEST:
            raise too_large(nodes, len(problem.codes), rate=RATE)
        return search_lattice(problem, low, high, exhaustive=self.exhaustive, progress=progress)

    def _mask_at_levels(
        self, release: Release, problem: Problem, candidate: Candidate, rows: np.ndarray | None
    ) -> Masked:
        levels = dict(zip(problem.names, map(int, candidate.levels), strict=True))
        kept = None
        if candidate.removed:
            searched = release if rows is None else release.take(rows)
            classes: Any = searched.classes()
            gone = np.flatnonzero(failing_classes(problem, candidate.levels)[classes.of_record])
            kept = np.delete(np.arange(release.size), gone if rows is None else rows[gone])
        trace = Trace.of(
            self,
            levels=Finding(levels, publishable=True),
            removed=Finding(candidate.removed, publishable=True, counts=True),
        )
        return Masked(generalise_to_levels(release, levels, kept), (trace,), lineage=kept)


def _complete_rows(release: Release) -> np.ndarray | None:
    """Under ``missing="any"`` the records without a missing key, if some have one: None when all are searched.

    A record that lacks keys matches whole classes of the others, so what these meet it meets by their union.
    """
    if release.missing != "any" or not release.capabilities.in_memory:
        return None
    known = np.logical_and.reduce([release.valid(column) for column in release.quasi]) if release.quasi else None
    return None if known is None or known.all() or not known.any() else np.flatnonzero(known)


def _search_evidence(answer: Answer, candidate: Candidate, passed: int, *, certain: bool) -> dict[str, Any]:
    """What is known of the answer; nothing is proven where the search did not see all that the verdicts see."""
    proven = candidate.proven and certain
    bound = candidate.score if proven else (answer.bound if certain else None)
    gap = None if bound is None else max(0.0, candidate.score - bound) / max(candidate.score, 1e-300)
    return {
        "proven": proven,
        "score": candidate.score,
        "bound": bound,
        "gap": gap,
        "checked": answer.checked,
        "passed_over": passed,
        "space": answer.space,
    }


def infeasible_error(
    release: Release,
    models: Sequence[Model],
    *,
    highest: Mapping[str, int],
    limit: int,
    failing: int,
    place: str = FREE,
) -> TacitError:
    """The error for models that not even the coarsest node meets, ``failing`` of whose records miss one of them.

    ``place`` says which node that is: FREE, BOUND where some column may not climb to its top, FIXED where no level is open.
    """
    coarsest = generalise_to_levels(release, highest)
    verdicts = [model.holds(coarsest) for model in models]
    for verdict in verdicts:
        if verdict.failing_records > limit or (not verdict.holds and verdict.failing_records == release.size):
            return _failed_model_error(release, verdict, place)
    several = len(models) > 1
    together = "each model can be met alone, but not all together: " if several else "not enough records meet it: "
    remedies = [RAISE] if place != FREE else []
    remedies += ["leave out or weaken a model", f"allow {_required_limit(release, failing)}"]
    return TacitError(
        f"{together}{PLACES[place]} {failing} records miss {'one of them' if several else 'the model'}, and {limit} may be removed",
        code=place,
        fix=", or ".join(remedies),
    )


def _failed_model_error(release: Release, verdict: Verdict, place: str) -> TacitError:
    of = f" of {verdict.column}" if verdict.column else ""
    remedies = [RAISE] if place != FREE else []
    if asks_something(verdict):
        remedies.append(f"ask for {nearest_met(verdict)}")
    if 0 < verdict.failing_records < release.size:
        remedies.append(f"allow {_required_limit(release, verdict.failing_records)}")
    return TacitError(
        f"{verdict.model}{of} cannot be met: {format_fact(verdict.required)} is asked, and {PLACES[place]} it is {format_fact(verdict.found)}",
        code=place,
        fix=", or ".join(remedies or ["leave it out"]),
    )


def _required_limit(release: Release, records: int) -> str:
    """The suppression limit under which so many records may go."""
    return f"suppression={math.ceil(records / release.size * 1e4) / 1e4:g} ({records} records)"


def unverified_error(passed: int, *, removed: bool) -> TacitError:
    """The error when every node that the search admits misses a model on the released table."""
    why = "the whole file's distribution changes with the records removed, and " if removed else ""
    fix = "take suppression=0, where nothing is removed, or a weaker bound" if removed else "take a weaker bound"
    return TacitError(
        f"the {passed} generalisations that would do all miss a model on the released table: {why}what is asked of a "
        "population is measured there alone",
        code="cannot_be_met",
        fix=f"{fix}; where keys are missing, missing='any' lets them match people of the population",
    )


def too_large(nodes: int, groups: int, *, rate: float) -> TacitError:
    """The error for a lattice that cannot be searched in reasonable time, before it is tried."""
    return TacitError(
        f"{nodes:,} combinations of levels over {groups:,} classes may take {nodes * groups / rate / 60:,.0f} minutes "
        "to search to the end",
        code="invalid_parameter",
        fix="give seconds=60 for the best that is found in that time, or narrow the levels with lowest= and highest=",
    )


def generalise_to_levels(release: Release, levels: Mapping[str, int], kept: np.ndarray | None = None) -> Release:
    """The release at the levels, of the rows ``kept``; a column that cannot climb its hierarchy becomes ``*`` above 0.

    Missing values stay missing at every level.
    """
    climbing = {column: level for column, level in levels.items() if level and has_ladder(release, column)}
    hidden = [column for column, level in levels.items() if level and column not in climbing]
    out = Generalise(levels=climbing).apply(release).release if climbing else release
    if hidden:
        stars = {
            column: nw.when(~nw.col(column).is_null()).then(nw.lit(TOP)).otherwise(nw.lit(None, nw.String))
            for column in hidden
        }
        top = {column: release.hierarchies[column].height for column in hidden if column in release.hierarchies}
        out = drop_metadata(out.with_columns(stars, levels=top), hidden, hierarchies=False)
        out = out.with_metadata(mixed=tuple(column for column in out.mixed if column not in hidden))
    return out if kept is None else out.take(kept)
