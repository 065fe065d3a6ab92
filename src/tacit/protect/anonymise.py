"""Anonymise: try every method that can provide the models, take the one that loses least, and say why."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import Cancelled, TacitError, check_columns, format_value
from ..loss.labels.generalisation import generalisation
from ..models.demand import Model
from ..models.household_k_anonymity import HouseholdKAnonymity
from ..models.load import models_of
from ..progress import report_progress, sub_progress
from ..registry import MethodEffects, Tags, describe
from ..release.hierarchy.nodes import nodes
from ..release.masked import Masked, release_of
from ..release.trace import Finding, Trace
from ..result import DisplayMixin, format_fact
from ..seed import child_seed, make_generator
from ._feasibility import check_feasible
from ._verification import verify_models
from .candidates import Candidate, CandidateParams, candidate_methods, known_methods
from .households import SuppressHouseholds
from .parameters import check_share, column_weights
from .recoding.keys import Labels
from .recoding.params import checked_labels

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


SLACK = 0.02
"""How much more a method may lose whose result is easier to use: methods stand in that order."""


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("nothing"),  # the method that it took has a step of its own
    family="provide",
    provides=("classes", "households"),
    example={"models": {"k_anonymity": 3}},
    use="You have models to meet and no method in mind: it tries the fitting ones and takes the least loss.",
    avoid="Analysts need a method they know, or the file is large: name the method and save the search.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymise:
    r"""Provide every model of ``models`` at the least loss that any method of the house finds.

    Each method that fits is tried on the release, and the one with the smallest loss is taken, or one that is easier to
    use and loses at most 2 % more; the loss is

    .. math:: L = \frac1m \sum_{j=1}^m \frac1n \sum_{i=1}^n \frac{|\text{values under the label of } x_{ij}| - 1}
              {|\text{values of column } j| - 1},

    a blank cell and every key of a removed record counting 1, and ``weights`` weighing the m keys. The methods are
    full-domain generalisation (one level for all, proven optimal; removes up to ``suppression`` of the records), local
    recoding and Mondrian (labels as fine as each group allows) and, for k-anonymity alone, cell suppression.
    ``uniform=True`` asks for one level per column, so that all cells can be tabulated alike; ``methods`` names those
    to be tried, and ``labels`` what local recoding may show (see :class:`LocalRecode`). A method that cannot finish on so large a file is left out, and the explanation says so:
    ``masked.evidence["choice"]`` has the loss of each, and why the others were not tried. k-anonymity of households is provided
    last, by leaving out the numbers of rare ones (:class:`SuppressHouseholds`).

    **Claim**: every model holds on the result. *Argument*: they are measured anew on it (``evidence["verdicts"]``), by
    code that knows nothing of the search. Optimal k-anonymity is NP-hard, so the least loss found is not always the
    least there is; ``evidence["proven"]`` says when it is the least of full-domain generalisation.

    Time that of the methods together; memory O(n · m).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1A", "N1B", "N2A", "N2B"], "ill": ["flu", "acne", "flu", "acne"]})
    >>> r = Release(table, quasi="zip", confidential="ill", hierarchies={"zip": {"prefix": [3, 2]}})
    >>> m = r.protect(Anonymise(models={"k_anonymity": 2, "l_diversity": 2}), seed=7)
    >>> m.to_native()["zip"].to_list()
    ['N1*', 'N1*', 'N2*', 'N2*']

    References
    ----------
    Meyerson and Williams (2004), On the complexity of optimal k-anonymity, PODS, 223–228.
    Iyengar (2002), Transforming data to satisfy privacy constraints, KDD, 279–288.
    """

    models: Sequence[Model]
    suppression: float = 0.0
    uniform: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)
    methods: Sequence[str] | None = None
    labels: Labels = "hierarchy"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", models_of(self.models, households=True))
        if not self.models:
            raise TacitError("no model is named", code="missing_parameter", fix="e.g. models={'k_anonymity': 5}")
        check_share(self.suppression)
        checked_labels(self.labels)
        if not isinstance(self.uniform, bool):
            raise TacitError(
                f"uniform={format_value(self.uniform)} is neither true nor false",
                code="not_boolean",
                parameter="uniform",
                fix="e.g. uniform=True",
            )
        object.__setattr__(self, "weights", column_weights(self.weights))
        if self.methods is not None:
            object.__setattr__(self, "methods", known_methods(self.methods))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release masked by the method that loses least; the evidence has what each of them lost."""
        of_households = [model for model in self.models if isinstance(model, HouseholdKAnonymity)]
        if len(of_households) == len(self.models):
            return verify_models(_of_households(Masked(release, (Trace.of(self),)), of_households), self.models)
        _check_hierarchies(release)
        of_classes = tuple(model for model in self.models if model not in of_households)
        if not self.suppression:
            check_feasible(release, of_classes)
        check_columns(self.weights, release.quasi)
        if release.quasi and not any(self.weights.get(column, 1.0) for column in release.quasi):
            raise TacitError("every column has the weight 0", code="invalid_parameter", fix="let one of them count")
        if seed is not None:
            make_generator(seed)
        wanted = CandidateParams(
            models=of_classes,
            suppression=self.suppression,
            uniform=self.uniform,
            weights=self.weights,
            labels=self.labels,
        )
        thought_of = list(candidate_methods(release, wanted, self.methods))
        found: dict[str, Masked] = {}
        tried: list[MethodTrial] = []
        for place, candidate in enumerate(thought_of):
            stage = sub_progress(progress, place / len(thought_of), (place + 1) / len(thought_of))
            report_progress(stage, f"trying {candidate.name}", 0.0)
            tried.append(self._try_candidate(candidate, release, found, seed=seed, progress=stage))
        if not found:
            raise TacitError(
                f"no method provides the models:{_format_reasons(tried)}",
                code="cannot_be_met",
                fix="mend what one of them asks for",
            )
        least = min(one.loss for one in tried if one.loss is not None)
        taken = next(one for one in tried if one.loss is not None and one.loss <= least * (1 + SLACK))
        masked = found[taken.name]
        choice = MethodChoice(taken=taken.name, tried=tuple(tried))
        trace = Trace.of(self, taken=Finding(taken.name, publishable=True))
        whole = Masked(masked.release, (trace, *masked.trace), masked.lineage, masked.evidence)
        return verify_models(_of_households(whole, of_households), self.models, choice=choice)

    def _try_candidate(
        self,
        candidate: Candidate,
        release: Release,
        found: dict[str, Masked],
        *,
        seed: Seed | None,
        progress: Progress | None,
    ) -> MethodTrial:
        if candidate.method is None:
            return MethodTrial(name=candidate.name, why_not=candidate.why_not)
        started = time.process_time()
        own = child_seed(seed, "anonymise", candidate.name) if isinstance(seed, int | bytes) else seed
        try:
            masked = candidate.method.apply(release, seed=own, progress=progress)
        except Cancelled:
            raise
        except TacitError as problem:
            of = f"column {problem.column!r} " if problem.column else ""
            return MethodTrial(name=candidate.name, why_not=f"{of}{problem.what} ({problem.fix})")
        found[candidate.name] = masked
        return MethodTrial(
            name=candidate.name,
            loss=mean_loss(masked, release, self.weights),
            removed=release.size - masked.release.size,
            seconds=time.process_time() - started,
        )


def _of_households(masked: Masked, models: Sequence[HouseholdKAnonymity]) -> Masked:
    """The release without the numbers of rare households, where a model about households asks for it."""
    return masked.then(SuppressHouseholds(k=max(model.k for model in models))) if models else masked


def _format_reasons(tried: Sequence[MethodTrial]) -> str:
    return "".join(f"\n  {one.name}: {one.why_not}" for one in tried)


def _check_hierarchies(release: Release) -> None:
    """A hierarchy that lacks a value is a mistake of the user's, not a reason to take another method."""
    for column in release.quasi:
        if column in release.hierarchies and column not in release.levels and release.capabilities.in_memory:
            nodes(release.hierarchies[column], column, release.codes(column).dictionary)


def mean_loss(masked: Masked, original: Release, weights: Mapping[str, float]) -> float:
    """The weighted mean over the quasi-identifiers of the loss by generalisation."""
    parts = generalisation(masked, original=original)
    weight = [float(weights.get(str(one.column), 1.0)) for one in parts]
    return sum(w * one.value for w, one in zip(weight, parts, strict=True)) / sum(weight)


def anonymise(release: Release, models: Any, *, seed: Seed | None = None, **options: Any) -> Masked:
    """The release with every model provided at the least loss found: the short form of :class:`Anonymise`.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": [31, 33, 47, 49]}), quasi="age", kinds={"age": "continuous"})
    >>> anonymise(r, models={"k_anonymity": 2}, seed=7).to_native()["age"].to_list()
    ['[31, 33]', '[31, 33]', '[47, 49]', '[47, 49]']
    """
    return release_of(release).protect(Anonymise(models=models, **options), seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodTrial:
    """One method: its loss, the records that it removed and the seconds it took, or why it was not tried."""

    name: str
    loss: float | None = None
    removed: int = 0
    seconds: float = 0.0
    why_not: str | None = None

    def as_text(self) -> str:
        """In words."""
        if self.loss is None:
            return f"not taken: {self.why_not}"
        lost = f", {format_fact(self.removed)} records removed" if self.removed else ""
        return f"loss {format_fact(self.loss)}{lost} in {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice(DisplayMixin):
    """All methods that were thought of, and the one taken."""

    taken: str
    tried: tuple[MethodTrial, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "taken", f"{self.taken}, {self._explain_choice()}"
        yield from ((one.name, one.as_text()) for one in self.tried)

    def _explain_choice(self) -> str:
        """Why it was taken."""
        losses = {one.name: one.loss for one in self.tried if one.loss is not None}
        if losses[self.taken] <= min(losses.values()):
            return "which loses least of all that were tried"
        return "which is easier to use and loses hardly more than the one that loses least"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"taken": self.taken, "tried": {one.name: one.as_text() for one in self.tried}}
