"""Rare categories and extremes, before and after a job: a gap of the verdict on a synthetic file, named of any other release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..release.masked import Masked
from ..release.release import Release
from ..result import Result
from ..risk.rare_values import rare_values
from .coverage import Gap
from .privacy import PrivacyGuarantee

if TYPE_CHECKING:
    from .load import LoadedPlan

__all__ = ["describe_rare_values", "gaps_of_rare_values"]

CATEGORIES, EXTREMES = "categories by column", "extremes by column"
ALONE = 2
"""Fewer than so many people is one: whose category is named in a release that keeps people's records."""


def gaps_of_rare_values(plan: LoadedPlan, files: Sequence[Masked], original: Release) -> tuple[Gap, ...]:
    """What fewer than five people of the training data hold and a synthetic file shows; nothing where it is required or guaranteed.

    A plan that requires ``rare_values`` is judged by it; a guarantee of differential privacy covers it, its categories are declared.
    """
    required = any(bound.measure == "rare_values" for bound in plan.requirements.bounds)
    if plan.plan.synth is None or required or PrivacyGuarantee.of(files[0]) is not None:
        return ()
    found = max((rare_values(one, original=original) for one in files), key=lambda one: one.value)
    if not found.value:
        return ()
    facts = {"count": int(found.value), "fewest": found.facts["fewest"]}
    return (Gap(code="rare_values_released", columns=_columns(found), facts=facts),)


def describe_rare_values(plan: LoadedPlan, files: Sequence[Masked], original: Release) -> tuple[str, ...]:
    """Notes for internal eyes: how much of it there was before a synthesis; where records are kept, the columns that show it."""
    if PrivacyGuarantee.of(files[0]) is not None:
        return ()
    if plan.plan.synth is not None:
        before, after = rare_values(original, original=original), rare_values(files[0], original=original)
        said = f"categories and extremes held by fewer than {before.facts['fewest']} people: {before.value:g} in the training data"
        return (f"{said}, {after.value:g} of them in the synthetic file",)
    found = rare_values(files[0], original=original, fewest=ALONE)
    alone, far = _by(found, CATEGORIES), _by(found, EXTREMES)
    notes = []
    if alone:
        notes.append(
            f"a category that one person has is released in {', '.join(alone)}: whoever knows of it finds the record"
        )
    if far:
        notes.append(
            f"an extreme that one person has, at least twice as far from the median as the next, is released in {', '.join(far)}: "
            "cut it off with top_bottom_code"
        )
    return tuple(notes)


def _by(found: Result, fact: str) -> Mapping[str, int]:
    counts = found.facts[fact]
    assert isinstance(counts, Mapping)
    return counts


def _columns(found: Result) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*_by(found, CATEGORIES), *_by(found, EXTREMES)]))
