"""Direct identifiers that a release job would publish, whatever roles its plan gives the columns.

Looked for in the file as it is released: columns of whole numbers or texts that are nearly unique and of which nobody decided
anything, and names of people in the values of any column. Pseudonyms are neither. A column that somebody decided to release
(``unrestricted``) may be nearly unique: the plan says so by name. Names of people are reported all the same.
"""

from __future__ import annotations

from ..release.release import Release
from ..release.suggest.column_evidence import read_column
from ..release.suggest.nearly_unique import is_nearly_unique
from ..release.suggest.person_names import names_of_people
from .coverage import Gap


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
