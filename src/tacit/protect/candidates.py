"""Which methods can provide given models on a given release, and why the others cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import TacitError, format_value, suggest_alternative
from ..models.demand import Model
from ..models.k_anonymity import KAnonymity
from ..release.masked import Method
from ..risk.k_anonymity import subsets_of
from .full_domain import FullDomain
from .local_recode import LocalRecode
from .mondrian import Mondrian
from .recoding.keys import Labels
from .suppress_cells import SuppressCells

if TYPE_CHECKING:
    from ..release.release import Release


MOST_COMBINATIONS = 3_000_000
"""Different combinations of keys up to which local recoding, whose search is more than linear, is tried."""
SECONDS = 20.0
"""How long full-domain generalisation may search a lattice that is too large to finish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A method with its parameters, or why it does not fit."""

    name: str
    method: Method | None = None
    why_not: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateParams:
    """What the methods are made from."""

    models: Sequence[Model]
    suppression: float
    uniform: bool
    weights: Mapping[str, float]
    labels: Labels


def _full_domain(release: Release, wanted: CandidateParams) -> Candidate:  # noqa: ARG001 - it fits every release
    method = FullDomain(models=wanted.models, suppression=wanted.suppression, weights=wanted.weights, seconds=SECONDS)
    return Candidate(name="full_domain", method=method)


def _mondrian_candidate(release: Release, wanted: CandidateParams) -> Candidate:  # noqa: ARG001 - it fits every release
    return Candidate(name="mondrian", method=Mondrian(models=wanted.models, labels=wanted.labels))


def _local_recode(release: Release, wanted: CandidateParams) -> Candidate:
    combinations = release.classes().count
    if combinations > MOST_COMBINATIONS:
        why = f"{combinations:,} combinations of keys are too many for its search"
        return Candidate(name="local_recode", why_not=why)
    return Candidate(name="local_recode", method=LocalRecode(models=wanted.models, labels=wanted.labels))


def _suppress_cells(release: Release, wanted: CandidateParams) -> Candidate:
    ks = [model for model in wanted.models if isinstance(model, KAnonymity)]
    if len(ks) != len(wanted.models):
        return Candidate(name="suppress_cells", why_not="blanks provide k-anonymity, not the other models")
    if release.missing is None:
        return Candidate(name="suppress_cells", why_not="nobody said what a missing key means (missing='any' or 'own')")
    subsets = [
        {"columns": columns, "k": model.k}
        for model in ks
        for columns in subsets_of(release, model.subsets, model.combinations) or (release.quasi,)
        if model.k > 1
    ]
    if not subsets:
        return Candidate(name="suppress_cells", why_not="k = 1 needs no blank")
    return Candidate(name="suppress_cells", method=SuppressCells(subsets=subsets, importance=wanted.weights))


MAKERS: Mapping[str, Callable[[Release, CandidateParams], Candidate]] = {
    "full_domain": _full_domain,
    "suppress_cells": _suppress_cells,
    "mondrian": _mondrian_candidate,
    "local_recode": _local_recode,
}
"""Plan name → how the method is made; the easier a result is to use, the earlier: one level for all, then blanks among
values as they were, then labels that differ from group to group."""


IN_MEMORY = ("full_domain", "mondrian", "local_recode")
"""Those whose search needs its columns in memory: where the rows stay with the engine they are not available."""


def candidate_methods(release: Release, wanted: CandidateParams, methods: Sequence[str] | None) -> Iterator[Candidate]:
    """The methods named, or all, each ready to be applied or with the reason why not."""
    for name in methods or MAKERS:
        if name in IN_MEMORY and not release.capabilities.in_memory:
            limit = release.capabilities.unsupported("in_memory", f"{name} cannot be searched for")
            yield Candidate(name=name, why_not=f"{limit.message} ({limit.fix})")
        elif wanted.uniform and name != "full_domain":
            yield Candidate(name=name, why_not="its cells differ from record to record, and uniform ones are wanted")
        else:
            yield MAKERS[name](release, wanted)


def known_methods(given: Any) -> tuple[str, ...]:
    """Names of methods that can provide models."""
    chosen = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list | tuple) else ()
    if not chosen:
        raise TacitError(
            f"methods={format_value(given)} names no method",
            code="missing_parameter",
            parameter="methods",
            fix=f"some of {', '.join(MAKERS)}",
        )
    for name in chosen:
        if not isinstance(name, str) or name not in MAKERS:
            raise TacitError(
                f"{format_value(name)} provides no models",
                code="invalid_parameter",
                fix=suggest_alternative(str(name), MAKERS),
            )
    return chosen
