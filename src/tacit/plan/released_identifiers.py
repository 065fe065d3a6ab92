"""Direct identifiers that a release job would publish, whatever roles its plan gives the columns.

Looked for in the file as it is released: columns of whole numbers or texts that are nearly unique and of which nobody decided
anything, and names of people in the values of any column. Pseudonyms are neither. A column that somebody decided to release
(``unrestricted``) may be nearly unique: the decision is in the plan, and the joint uniqueness of the verdict counts it. Names of
people are reported all the same.
"""

from __future__ import annotations

from ..release.release import Release
from ..release.suggest.nearly_unique import is_nearly_unique
from ..release.suggest.person_names import names_of_people
from ..release.suggest.reading import read_column
from .coverage import Gap

__all__ = ["find_released_identifiers"]


def find_released_identifiers(release: Release) -> tuple[Gap, ...]:
    """A gap ``identifier_released`` for each released column that looks like a direct identifier.

    One group-by for each column that is undecided or holds text, O(n) time, on any engine.

    >>> import polars as pl
    >>> numbers = pl.DataFrame({"sex": ["f", "m"] * 20, "pidnum": [10_000 + 37 * place for place in range(40)]})
    >>> [gap.columns for gap in find_released_identifiers(Release(numbers, quasi="sex"))]
    [('pidnum',)]
    """
    found = []
    for column, role in release.roles.items():
        if role != "other" and release.types[column] != "text":
            continue
        profile = read_column(release, column).profile
        why = names_of_people(profile)
        if why is None and role == "other" and is_nearly_unique(profile):
            why = f"{profile.distinct:,} different values in {profile.known:,} records"
        if why is not None:
            found.append(
                Gap(code="identifier_released", columns=(column,), share=profile.distinct_share, facts={"why": why})
            )
    return tuple(found)
