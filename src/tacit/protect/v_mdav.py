"""Microaggregation by V-MDAV: groups that grow where the next record lies near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TacitError, check_int, format_value
from ..registry import MethodEffects, Tags, describe
from ._microaggregation.embedding import standardise_columns
from ._microaggregation.mean_groups import mask_by_means
from .parameters import column_names, is_number

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.masked import Masked
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",), model="v_mdav"),
    family="average",
    example={"columns": ["income", "visits"], "k": 3, "gamma": 0.2},
    use="Published results with V-MDAV are to be compared or repeated.",
    avoid="You want the least loss: microaggregate is faster and better.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class VMdav:
    r"""Group records that are alike, ``k`` to 2k−1 in each group, and replace their values by the group's means.

    V-MDAV: the record farthest from the centre of all records and the k−1 nearest to it make a group; as long as it has
    fewer than 2k−1 members, the record outside that is nearest to a member joins if

    .. math:: d_{in} < \gamma \, d_{out},

    where :math:`d_{in}` is its distance to that member and :math:`d_{out}` its distance to the nearest other record
    outside (none: infinite). With ``gamma=0`` groups have a fixed size; the authors advise 0.2 for scattered and 1.1 for
    clustered data.
    Fewer than k records at the end join the group of the record nearest to them, among groups of fewer than 2k−1.

    All else is as in :class:`~tacit.protect.Mdav`: standardised columns, means that are not rounded, records with
    missing values left as they are, households grouped as one, k-anonymity on complete quasi-identifiers masked at
    once. It is here for comparison with published results; :class:`~tacit.protect.Microaggregate` also varies the sizes
    of groups, is faster and loses less.

    Time O(n² · columns), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 3.0, 10.0, 12.0]}), quasi="pay")
    >>> r.protect(VMdav(columns="pay", k=2, gamma=1.1)).to_native()["pay"].to_list()
    [2.0, 2.0, 2.0, 11.0, 11.0]

    References
    ----------
    Solanas and Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size, COMPSTAT
    2006.
    """

    columns: str | Sequence[str]
    k: int
    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", column_names(self.columns))
        check_int("k", self.k, least=2)
        if not is_number(self.gamma) or self.gamma < 0:
            raise TacitError(
                f"gamma={format_value(self.gamma)} is no number from 0 on",
                code="wrong_kind",
                parameter="gamma",
                fix="e.g. gamma=0.2 for scattered data, gamma=1.1 for clustered data",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with means; the outcome has the groups, their sizes, and the records left out."""
        from ..kernels.v_mdav import v_mdav

        return mask_by_means(
            self,
            release,
            lambda values: v_mdav(standardise_columns(values), self.k, float(self.gamma)),
            k=self.k,
            seed=seed,
            progress=progress,
        )
