"""Values that point at people in the file as it is released: direct identifiers, and what only a few people hold.

Direct identifiers are looked for in the file as it is released: columns of whole numbers or texts that are nearly unique and of which nobody decided
anything, and names of people in the values of any column. Pseudonyms are neither. A column that somebody decided to release
(``unrestricted``) may be nearly unique: the plan says so by name. Names of people are reported all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..release.masked import Masked
from ..release.release import Release
from ..release.suggest.column_evidence import read_column
from ..release.suggest.nearly_unique import is_nearly_unique
from ..release.suggest.person_names import names_of_people
from ..result import Result
from ..risk.rare_values import rare_values
from .coverage import Gap
from .load import LoadedPlan
from .privacy import PrivacyGuarantee

CATEGORIES, EXTREMES = "categories by column", "extremes by column"

ALONE = 2
"""Fewer than so many people is one: whose category is named in a release that keeps people's records."""


def find_released_identifiers(release: Release, *, invented: bool = False) -> tuple[Gap, ...]:
    """A gap ``identifier_released`` for each released column that looks like a direct identifier.

    Numbers that a generator ``invented`` are nobody's, names that it copied are somebody's. One group-by for each column
    that is undecided or holds text, O(n) time, on any engine.

    >>> import polars as pl
    >>> numbers = pl.DataFrame({"sex": ["f", "m"] * 20, "pidnum": [10_000 + 37 * place for place in range(40)]})
    >>> [gap.columns for gap in find_released_identifiers(Release(numbers, quasi="sex"))]
    [('pidnum',)]
    """
    found = []
    for column, role in release.roles.items():
        if role == "identifier" or (role != "other" and release.types[column] != "text"):
            continue
        profile = read_column(release, column).profile
        why = "names of people stand in its values" if names_of_people(profile) else ""
        if not why and role == "other" and not invented and is_nearly_unique(profile):
            why = "nearly all its values are different"
        if why:
            gap = Gap(code="identifier_released", columns=(column,), share=profile.distinct_share, facts={"why": why})
            found.append(gap)
    return tuple(found)


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
    return (Gap(code="rare_values_released", columns=_fact_columns(found), facts=facts),)


def describe_rare_values(plan: LoadedPlan, files: Sequence[Masked], original: Release) -> tuple[str, ...]:
    """Notes for internal eyes: how much of it there was before a synthesis; where records are kept, the columns that show it."""
    if PrivacyGuarantee.of(files[0]) is not None:
        return ()
    if plan.plan.synth is not None:
        before, after = rare_values(original, original=original), rare_values(files[0], original=original)
        said = f"categories and extremes held by fewer than {before.facts['fewest']} people: {before.value:g} in the training data"
        return (f"{said}, {after.value:g} of them in the synthetic file",)
    found = rare_values(files[0], original=original, fewest=ALONE)
    alone, far = _fact_counts(found, CATEGORIES), _fact_counts(found, EXTREMES)
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


def _fact_counts(found: Result, fact: str) -> Mapping[str, int]:
    counts = found.facts[fact]
    assert isinstance(counts, Mapping)
    return counts


def _fact_columns(found: Result) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*_fact_counts(found, CATEGORIES), *_fact_counts(found, EXTREMES)]))
