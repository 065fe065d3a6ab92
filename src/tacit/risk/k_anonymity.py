"""k-anonymity and sample uniques: how many records share the quasi-identifiers of each."""

from __future__ import annotations

from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result

__all__ = ["k_anonymity", "sample_uniques"]


def k_anonymity(release: Release | Masked) -> Result:
    r"""The size of the smallest class of records with equal quasi-identifiers.

    .. math:: k = \min_i |\{j : q_j = q_i\}|

    A record in a class of size f is singled out with chance 1/f by an intruder who knows its quasi-identifiers and
    that it is in the file. With ``missing="any"`` the records that *match* are counted. ``per_record`` is the class size.

    Identity disclosure, a Boolean model (D-01). Time O(n·m), memory O(n) for n records and m quasi-identifiers; one
    group-by on lazy engines.

    >>> import polars as pl
    >>> people = pl.DataFrame({"zip": ["N1", "N1", "N2"], "sex": ["f", "f", "m"]})
    >>> k_anonymity(Release(people, quasi=["zip", "sex"])).value
    1

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    """
    release = release_of(release)
    classes = release.matches()
    sizes = classes.size()
    facts = {"classes": classes.count, "records": release.size, "mean class size": release.size / classes.count}
    return Result(
        name="k-anonymity",
        value=sizes.smallest,
        worse="low",
        about="identity",
        kind="model",
        facts=facts,
        per_record=sizes.per_record(),
    )


def sample_uniques(release: Release | Masked) -> Result:
    r"""How many records are alone with their quasi-identifiers.

    .. math:: U = |\{i : f_i = 1\}|

    Identity disclosure, measured (C-02). ``facts`` has the share of records, how many lie in classes below 3 and 5 and,
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
    alone = sizes.below(2).records
    classes = release.matches()
    facts = {
        "share of records": alone / release.size,
        "records in classes below 3": sizes.below(3).records,
        "records in classes below 5": sizes.below(5).records,
    }
    if release.weight is not None and isinstance(classes, ArrayClasses):
        facts["people behind them, by weight"] = float(classes.totals(release.weights())[classes.sizes == 1].sum())
    return Result(
        name="sample uniques",
        value=alone,
        worse="high",
        about="identity",
        facts=facts,
        per_record=sizes.per_record(),
    )
