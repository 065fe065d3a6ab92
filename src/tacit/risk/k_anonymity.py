"""k-anonymity and sample uniques: how many records share the quasi-identifiers of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations as chosen
from math import comb

from ..errors import TacitError, check_columns, check_int
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.classes.statistic import FailureCounts
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result

MOST = 10_000
"""Subsets of the quasi-identifiers that are looked at one by one."""


@describe(
    tags=Tags(about="identity", kind="measure", shown="proven"),
)
def k_anonymity(
    release: Release | Masked, *, subsets: Iterable[Iterable[str]] = (), combinations: int | None = None
) -> Result:
    r"""The size of the smallest class of records with equal quasi-identifiers.

    .. math:: k = \min_i |\{j : q_j = q_i\}|

    A record in a class of size f is singled out with chance 1/f by an intruder who knows its quasi-identifiers and
    that it is in the file. With ``missing="any"`` the records that *match* are counted. ``per_record`` is the class size.
    ``facts`` have the discernibility :math:`\sum_C |C|^2` and the mean class size, by which releases are compared.

    With ``subsets`` (of the quasi-identifiers), or ``combinations=m`` for all subsets of m of them, the smallest k of
    any of them: what an intruder finds who knows only so much. ``facts`` name the subset with the smallest k (the first
    of several), and ``per_record`` is the record's smallest class over the subsets.

    Identity disclosure, a Boolean model. Time O(n·m), memory O(n) for n records and m quasi-identifiers, and
    O(classes) for each subset; one group-by on lazy engines.

    >>> import polars as pl
    >>> people = pl.DataFrame({"zip": ["N1", "N1", "N2"], "sex": ["f", "f", "m"]})
    >>> k_anonymity(Release(people, quasi=["zip", "sex"])).value
    1

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    """
    release = release_of(release)
    asked = subsets_of(release, subsets, combinations)
    if asked:
        return _on_subsets(release, asked)
    classes = release.matches()
    sizes = classes.size()
    facts = {
        "classes": classes.count,
        "records": release.size,
        "mean class size": release.size / classes.count,
        "discernibility": sizes.total,
    }
    return Result(
        name="k-anonymity",
        id="k_anonymity",
        value=sizes.smallest,
        worse="low",
        about="identity",
        kind="model",
        facts=facts,
        per_record=sizes.per_record(),
    )


def _on_subsets(release: Release, subsets: tuple[tuple[str, ...], ...]) -> Result:
    classes = release.matches()
    sizes = classes.sizes_on(subsets)
    worst = next(subset for subset in subsets if classes.sizes_on([subset]).smallest == sizes.smallest)
    return Result(
        name="k-anonymity on subsets",
        value=sizes.smallest,
        worse="low",
        about="identity",
        kind="model",
        facts={"subsets": len(subsets), "worst subset": ", ".join(worst), "records": release.size},
        per_record=sizes.per_record(),
    )


def subsets_of(
    release: Release, subsets: Iterable[Iterable[str]], combinations: int | None
) -> tuple[tuple[str, ...], ...]:
    """The subsets of the quasi-identifiers that are meant; none for all of them together.

    >>> import polars as pl
    >>> people = pl.DataFrame({"zip": ["N1"], "sex": ["f"], "age": [30]})
    >>> subsets_of(Release(people, quasi=["zip", "sex", "age"]), [["zip"]], 2)
    (('zip',), ('zip', 'sex'), ('zip', 'age'), ('sex', 'age'))
    """
    found = [check_columns(subset) for subset in subsets]
    for subset in found:
        if not subset:
            raise TacitError(
                "a subset of the quasi-identifiers is empty",
                code="not_applicable",
                fix="name at least one column in each",
            )
        for column in check_columns(subset, release.columns):
            if column not in release.quasi:
                raise TacitError(
                    "is not a quasi-identifier",
                    code="column_not_chosen",
                    column=column,
                    fix="subsets are of the columns that an intruder may know",
                )
    if combinations is not None:
        check_int("combinations", combinations, least=1)
        count = comb(len(release.quasi), combinations)
        if not count:
            raise TacitError(
                f"combinations={combinations} is above the {len(release.quasi)} quasi-identifiers",
                code="out_of_range",
                parameter="combinations",
                fix=f"use at most {len(release.quasi)}",
            )
        if count > MOST:
            raise TacitError(
                f"combinations={combinations} of {len(release.quasi)} quasi-identifiers are {count:,} subsets",
                code="invalid_parameter",
                parameter="combinations",
                fix=f"name at most {MOST:,} with subsets=, or use smaller combinations=",
            )
        found += chosen(release.quasi, combinations)
    return tuple(dict.fromkeys(found))


@describe(
    tags=Tags(about="identity", kind="measure"),
)
def sample_uniques(release: Release | Masked) -> Result:
    r"""How many records are alone with their quasi-identifiers.

    .. math:: U = |\{i : f_i = 1\}|

    Identity disclosure, measured. ``facts`` has the share of records, how many lie in classes below 3 and 5 and,
    with sampling weights and exact classes in memory, how many people the uniques stand for.
    Time O(n·m), memory O(n).

    >>> import polars as pl
    >>> sample_uniques(Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")).value
    1

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    release = release_of(release)
    sizes = release.matches().size()
    tally = sizes.tally()
    alone = _records_below(tally, 2)
    classes = release.matches()
    facts = {
        "share of records": alone / release.size,
        "records in classes below 3": _records_below(tally, 3),
        "records in classes below 5": _records_below(tally, 5),
    }
    if release.weight is not None and isinstance(classes, ArrayClasses):
        facts["people behind them, by weight"] = float(classes.totals(release.weights())[classes.sizes == 1].sum())
    return Result(
        name="sample uniques",
        id="sample_uniques",
        value=alone,
        worse="high",
        about="identity",
        facts=facts,
        per_record=sizes.per_record(),
    )


def _records_below(tally: Mapping[float, FailureCounts], size: int) -> int:
    """The records in classes smaller than that."""
    return sum(found.records for found_size, found in tally.items() if found_size < size)
