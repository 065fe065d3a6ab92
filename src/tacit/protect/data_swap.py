"""Data swapping: values exchanged between pairs of records of a stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value, suggest_alternative
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._swapping.pairs import match_partners
from ._swapping.ranks import round_up
from ._units import Units, masking_units
from .parameters import column_names, is_number, make_rng, strata_names

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


ROUNDING = 1e-9
TARGETS = ("risk",)


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",), exchanges=True, model="data_swap"),
    family="exchange",
    suits={"nominal": 2},
    example={"columns": ["diagnosis"], "share": 0.2, "within": ["sex"]},
    use="Categories whose counts, also within strata, must stay exact, with doubt about every single record.",
    avoid="Records that are not swapped must be protected, too: most of the file stays as it was.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DataSwap:
    r"""Exchange the values of some columns between pairs of records of the same stratum.

    A pair exchanges all the ``columns`` together, so that their joint counts are kept, and with them, in every stratum,
    all counts of the columns and of the ``within`` columns that make the strata; joint counts with other columns are
    not. ``share`` is the share of the records that change places, :math:`2 \cdot pairs / n`, each at most once. Pairs
    are drawn at random: a seeker in random order, its partner uniformly among the records of its stratum that are
    still in place and have other values. (``different=False`` lets equal values meet, which protects nobody but makes
    the pairs independent of the data.)

    With ``target="risk"`` the seekers are first the records that fewer than ``k`` records match on the
    quasi-identifiers, and then any others up to the share. Only the share and the counts in the trace may be published,
    never who changed places. A record that was not drawn is as it was, and an intruder knows that this is likely: the
    protection is doubt, and it is as large as the share.

    Records that miss one of the values take no part. Columns that are equal within every household are exchanged
    between households, apart from the others; ``share`` is then a share of the households, and a household is as
    risky as its riskiest member.

    Expected time O(n log n), memory O(n).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"town": ["A", "A", "B", "B"], "ill": ["flu", "acne", "flu", "acne"]}))
    >>> r.protect(DataSwap(columns="ill", share=1, within="town"), seed=7).to_native()["ill"].to_list()
    ['acne', 'flu', 'acne', 'flu']

    References
    ----------
    Dalenius and Reiss (1982), Data-swapping: a technique for disclosure control, Journal of Statistical Planning and
    Inference 6, 73–85.
    """

    columns: str | Sequence[str]
    share: float
    within: str | Sequence[str] | None = None
    target: Literal["risk"] | None = None
    k: int | None = None
    different: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", column_names(self.columns))
        object.__setattr__(self, "within", strata_names(self.within or None, self.columns) or None)
        if not is_number(self.share) or not 0 < self.share <= 1:
            raise TacitError(
                f"share={format_value(self.share)} is no share of the records in (0, 1]",
                code="out_of_range",
                parameter="share",
                fix="e.g. share=0.05 for 5 %",
            )
        if self.target is not None and self.target not in TARGETS:
            raise TacitError(
                f"target={format_value(self.target)} is unknown",
                code="unknown_name",
                parameter="target",
                fix=suggest_alternative(str(self.target), TARGETS),
            )
        if (self.k is None) != (self.target is None):
            raise TacitError(
                "target and k belong together",
                code="conflicting_parameters",
                fix="e.g. target='risk', k=3; or leave out both",
            )
        if self.k is not None:
            check_int("k", self.k, least=2)
        if not isinstance(self.different, bool):
            raise TacitError(
                f"different={format_value(self.different)} is neither true nor false",
                code="not_boolean",
                parameter="different",
                fix="different=True",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with exchanged values; the outcome has the shares that were, never who."""
        rng = make_rng(self, seed)
        columns = check_columns(self.columns, release.columns)
        parts = masking_units(release, columns, self.within or ())
        few = self._records_at_risk(release)
        changes: dict[str, np.ndarray | pl.Series] = {}
        swapped: dict[str, float] = {}
        risky: dict[str, int] = {}
        left: dict[str, int] = {}
        for place, part in enumerate(parts):
            report_progress(progress, "data_swap", place / len(parts))
            name = "households" if part.by_household else "records"
            at_risk = np.bincount(part.of_row, weights=few, minlength=len(part.first)) > 0
            partner = self._match_partners(release, part, at_risk, rng)
            moved = partner >= 0
            swapped[name] = round(float(moved.mean()), 6)
            risky[name], left[name] = int(at_risk.sum()), int((at_risk & ~moved).sum())
            source = part.first[np.where(moved, partner, np.arange(len(partner)))][part.of_row]
            changes |= {column: release.series(column).gather(source) for column in part.columns}
        report_progress(progress, "data_swap", 1.0)
        outcome = {"swapped": Finding(swapped, publishable=True)}
        if self.target is not None:
            outcome["risky"] = Finding(risky, publishable=True, counts=True)
            outcome["risky_in_place"] = Finding(left, publishable=True, counts=True)
        return Masked(release.with_columns(changes), (Trace.of(self, **outcome),))

    def _records_at_risk(self, release: Release) -> np.ndarray:
        """Which records fewer than k match; none without a target."""
        if self.k is None:
            return np.zeros(release.size, dtype=bool)
        few: np.ndarray = release.matches().size().per_record().values() < self.k
        return few

    def _match_partners(
        self, release: Release, part: Units, at_risk: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        from ..kernels.groups import group_rows

        known = np.logical_and.reduce([release.valid(column)[part.first] for column in part.columns])
        count = int(known.sum())
        most = floor(self.share * count / 2 + ROUNDING)
        if not most:
            raise TacitError(
                f"has {count} values to exchange, of which share={self.share:g} makes no pair",
                code="wrong_type",
                column=part.columns[0],
                fix=f"use share={round_up(2 / count)} or more" if count > 1 else "swapping needs two values or more",
            )
        codes = [release.codes(column) for column in part.columns]
        label = group_rows([one.codes[part.first] for one in codes], [one.count for one in codes])[0]
        group = np.where(known, part.stratum, -1)
        order = rng.permutation(len(known))
        seekers = np.concatenate([order[at_risk[order]], order[~at_risk[order]]])
        different = label if self.different else np.arange(len(known), dtype=np.int32)
        partner = match_partners(seekers, group, different, most=most, rng=rng)
        if not (partner >= 0).any():
            raise TacitError(
                "has nowhere two different values to exchange",
                code="no_variation",
                column=part.columns[0],
                fix="use coarser strata" if self.within else "leave it out: it is constant",
            )
        return partner
