"""The independent check after every search: the models measured anew on what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..models.demand import Model
from ..release.masked import Masked


def verify_models(masked: Masked, models: Sequence[Model], **evidence: Any) -> Masked:
    """The masked release with the verdict of every model, measured on its own classes, among its evidence.

    The searches work on merged groups and rules of their own; the verdicts come from the released table. A model that
    does not hold there is a defect of the search, never of the data: it stops here.
    """
    verdicts = tuple(model.holds(masked.release) for model in models)
    for verdict in verdicts:
        if not verdict.holds:
            raise AssertionError(f"{masked.trace[-1].method} did not provide {verdict.model}: found {verdict.found}")
    return Masked(masked.release, masked.trace, masked.lineage, {**masked.evidence, **evidence, "verdicts": verdicts})
