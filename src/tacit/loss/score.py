"""One figure for the whole loss, by declared weights, with the parts behind it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import Cancelled, TacitError, format_value, suggest_alternative
from ..registry import Entry
from ..release.masked import release_of
from ..result import Result, Results
from . import LOSSES
from .headline import headline

if TYPE_CHECKING:
    import numpy as np

    from ..release.masked import Masked
    from ..release.release import Release


OF_LABELS = ("generalisation", "entropy", "suppressed", "discernibility", "class_size")
"""Losses that are about coarser labels and blanks themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedMeasure:
    """A measure by its name, how much it counts, and the options that it is called with."""

    name: str
    weight: float
    options: Mapping[str, Any] = field(default_factory=dict)


def score(
    release: Release | Masked,
    *,
    original: Release,
    weights: Mapping[str, Any],
    lineage: np.ndarray | None = None,
) -> Results:
    r"""The weighted mean of several losses, each between 0 and 1, and these losses themselves.

    .. math:: IL = \frac{\sum_m w_m\, L_m}{\sum_m w_m}

    ``weights`` has the names of :data:`tacit.loss.LOSSES`, each with a number or with a table: its weight and options of the
    measure. Each :math:`L_m` is the measure's headline (see :func:`tacit.loss.headline`); one that has no meaning for these
    files is an error, so that two strategies are never compared by different sums. A column that a measure speaks of
    without masking, but no longer here, because it was dropped, emptied or turned into labels, counts as lost; but where
    ``generalisation`` is weighed, a quasi-identifier with coarser labels is measured by that alone (:func:`coarsened_columns`).

    Utility, measured. The cost is that of the measures named, twice where a column is gone.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 10.0, 12.0], [1.5, 1.5, 11.0, 11.0]))
    >>> found = score(m, original=r, weights={"squared_error": 1, "moments": {"weight": 1}})
    >>> [(part.name, round(part.value, 3)) for part in found]
    [('information loss', 0.02), ('squared_error', 0.027), ('moments', 0.013)]

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata, in Doyle et
    al., Confidentiality, Disclosure and Data Access, 111–133.
    """
    original = release_of(original)
    chosen = parse_weights(weights, LOSSES, "loss")
    apart = coarsened_columns(release_of(release), original, chosen)
    parts = {one.name: _measure_loss(one, LOSSES[one.name], (release, original, lineage), apart) for one in chosen}
    whole = sum(one.weight * parts[one.name] for one in chosen) / sum(one.weight for one in chosen)
    facts = {"weights": {one.name: one.weight for one in chosen}}
    first = Result(name="information loss", value=whole, worse="high", about="utility", facts=facts)
    each = (Result(name=name, value=value, worse="high", about="utility") for name, value in parts.items())
    return Results((first, *each))


def coarsened_columns(masked: Release, original: Release, chosen: Sequence[WeightedMeasure]) -> frozenset[str]:
    """The quasi-identifiers whose labels were made coarser, if their loss is weighed: other measures then leave them out.

    Numbers that became ranges have no squared error, and labels that differ from record to record no distribution: to count
    that as lost beside what the labels leave open would make blanks look better than ranges.
    """
    if not any(one.name == "generalisation" and one.weight for one in chosen):
        return frozenset()
    return frozenset({*masked.levels, *masked.mixed} & {*original.quasi})


def excluded_columns(name: str, apart: Collection[str]) -> Collection[str]:
    """The columns that a measure leaves out: none, when it is about labels and blanks itself."""
    return () if name in OF_LABELS else apart


def _measure_loss(
    one: WeightedMeasure,
    entry: Entry,
    files: tuple[Release | Masked, Release, np.ndarray | None],
    apart: Collection[str],
) -> float:
    release, original, lineage = files
    apart = excluded_columns(one.name, apart)
    try:
        found = entry.call(release, original=original, lineage=lineage, **one.options)
    except Cancelled:
        raise
    except TacitError:
        if apart and _result_columns(entry.call(original, original=original, **one.options)) <= {*apart}:
            return 0.0
        raise
    told = _result_columns(found)
    masked = release_of(release)
    gone = [column for column in original.columns if column not in told and _is_lost(masked, original, column)]
    if not told or not gone:
        return headline(found, apart=apart)
    unmasked = _result_columns(entry.call(original, original=original, **one.options))
    expected = [column for column in original.columns if column in unmasked]
    return headline(found, columns=expected, apart=apart)


def _result_columns(found: Result | Results) -> set[str | None]:
    return {part.column for part in (found if isinstance(found, Results) else (found,))} - {None}


def _is_lost(masked: Release, original: Release, column: str) -> bool:
    """Dropped, turned into something else, or without any value."""
    return masked.types.get(column) != original.types[column] or not masked.distinct(column)


def parse_weights(
    given: Mapping[str, Any], known: Mapping[str, Entry | None], what: str
) -> tuple[WeightedMeasure, ...]:
    """What is declared as name → weight, or name → table of ``weight`` and options; at least one counts.

    >>> from tacit.loss import LOSSES
    >>> parse_weights({"moments": 2}, LOSSES, "loss")
    (WeightedMeasure(name='moments', weight=2.0, options={}),)
    """
    if not isinstance(given, Mapping) or not given:
        raise TacitError(
            f"no {what} has a weight",
            code="not_applicable",
            fix=f"e.g. {next(iter(known))} = 1; known: {', '.join(known)}",
        )
    found = tuple(_parse_measure(name, content, known, what) for name, content in given.items())
    if not any(one.weight for one in found):
        raise TacitError(
            f"every {what} has the weight 0", code="not_applicable", fix="give one of them a weight above 0"
        )
    return found


def _parse_measure(name: str, content: Any, known: Mapping[str, Entry | None], what: str) -> WeightedMeasure:
    if name not in known:
        raise TacitError(
            f"the {what} {name!r} is unknown", code="unknown_name", fix=suggest_alternative(str(name), known)
        )
    options = dict(content) if isinstance(content, Mapping) else {"weight": content}
    weight = options.pop("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
        raise TacitError(
            f"{name} has the weight {format_value(weight)}",
            code="not_applicable",
            fix="give a number from 0 on, e.g. 1",
        )
    entry = known[name]
    takes = ("weight", *(entry.parameters if entry else ()))
    wrong = next((key for key in options if key not in takes), None)
    if wrong is not None:
        raise TacitError(f"{name} takes no {wrong!r}", code="unknown_name", fix=suggest_alternative(wrong, takes))
    lacks = next((key for key in (entry.required if entry else ()) if key not in options), None)
    if lacks is not None:
        assert entry is not None
        raise TacitError(
            f"{name} lacks {lacks!r}",
            code="missing_parameter",
            fix=f"e.g. {name} = {{ weight = 1, {lacks} = {entry.example.get(lacks, '…')} }}",
        )
    return WeightedMeasure(name=name, weight=float(weight), options=options)
