"""Microaggregation: records replaced by the mean of a small group of like records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TacitError, check_int, format_value
from ..registry import MethodEffects, Tags, describe
from ._microaggregation.embedding import standardise_columns
from ._microaggregation.mean_groups import mask_by_means
from .parameters import column_names

if TYPE_CHECKING:
    import numpy as np

    from ..progress import Progress
    from ..release.masked import Masked
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",), model="mdav"),
    family="average",
    example={"columns": ["income", "visits"], "k": 3},
    use="Published results with MDAV are to be compared or repeated.",
    avoid="You want the least loss: microaggregate is faster and better.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Mdav:
    r"""Group records that are alike, at least ``k`` in each group, and replace their values by the group's means.

    MDAV, maximum distance to the average vector: while at least 3k records are left, take r, farthest from their
    centre, and s, farthest from r; the k records nearest to each become a group. Distances are Euclidean on columns
    divided by their standard deviation (a constant column does not count), means are in the units of the data. With
    ``standardise=False`` the columns are taken as they are, so that the one with the largest numbers decides: some
    published experiments did so (:func:`~tacit.protect.published_setup`). The loss is :math:`SSE = \sum_g \sum_{i \in g} (x_i - \bar x_g)'(x_i - \bar x_g)`; means of columns are kept, variances
    shrink. On quasi-identifiers, all of them at once, it gives k-anonymity, provided that none of them is missing
    anywhere and that they are all of the household or all of the person: every record then has the means of its group,
    which all k or more of it share (checked by an independent count in the tests); else measure what it gave.

    Records with a missing value in one of the columns are left as they are; the outcome counts them. Columns that are
    equal within every household are grouped by household, apart from the others. Records are put in the order of their
    values first, so that ties do not follow the order of the file; records equal in all columns change places at random
    when a seed is given. Means are not rounded: a column of whole numbers becomes one of numbers. This is the published
    reference; :class:`~tacit.protect.Microaggregate` is faster, loses less, and takes columns of any kind.

    Time O(n²/k · columns), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 10.0, 12.0]}), quasi="pay")
    >>> r.protect(Mdav(columns="pay", k=2)).to_native()["pay"].to_list()
    [1.5, 1.5, 11.0, 11.0]

    References
    ----------
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data
    Mining and Knowledge Discovery 11, 195–212.
    """

    columns: str | Sequence[str]
    k: int
    standardise: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", column_names(self.columns))
        check_int("k", self.k, least=2)
        if not isinstance(self.standardise, bool):
            raise TacitError(
                f"standardise={format_value(self.standardise)} is neither true nor false",
                code="not_boolean",
                parameter="standardise",
                fix="e.g. standardise=True",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with means; the outcome has the groups, their sizes, and the records left out."""
        from ..kernels.microaggregation import mdav

        def divide(values: np.ndarray) -> np.ndarray:
            groups: np.ndarray = mdav(standardise_columns(values) if self.standardise else values, self.k)
            return groups

        return mask_by_means(self, release, divide, k=self.k, seed=seed, progress=progress)
