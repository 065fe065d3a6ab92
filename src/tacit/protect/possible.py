"""Whether the models can be met at all: they are measured on the coarsest release there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError
from ..models.demand import Model
from ..release.hierarchy.ladder import TOP
from ..result import shown

if TYPE_CHECKING:
    from ..models.verdict import Verdict
    from ..release.release import Release

__all__ = ["coarsest", "possible"]


def coarsest(release: Release) -> Release:
    """The release with every quasi-identifier made ``*``; missing ones stay missing."""
    top = {
        column: nw.when(~nw.col(column).is_null()).then(nw.lit(TOP)).otherwise(nw.lit(None, nw.String))
        for column in release.quasi
    }
    return release.replaced(top)


def possible(release: Release, models: Sequence[Model]) -> None:
    """Raise when a model fails even on the coarsest release, with the nearest value that holds there.

    Every demand survives a union of classes, so what the whole file as one class does not meet, no release of all
    records does: more than the file's records in a class, more values than a column has, a share below that of the
    commonest value. One grouping.
    """
    whole = coarsest(release)
    for model in models:
        verdict = model.holds(whole)
        if not verdict.holds:
            raise _refusal(release, whole, verdict)


def _refusal(release: Release, whole: Release, verdict: Verdict) -> TacitError:
    classes = whole.matches().count
    if classes > 1:
        return TacitError(
            f"{verdict.model} = {shown(verdict.required)} cannot be met: missing quasi-identifiers keep "
            f"{classes} classes apart whatever is generalised, and one of them reaches {shown(verdict.found)} only",
            column=verdict.column,
            fix="say missing='any', remove or fill the records with missing keys, or allow suppression",
        )
    return TacitError(
        f"{verdict.model} = {shown(verdict.required)} cannot be met: all {release.size} records in one class reach "
        f"{shown(verdict.found)}",
        column=verdict.column,
        fix=f"ask for {shown(verdict.found)}, the nearest that can be met, or leave the requirement out",
    )
