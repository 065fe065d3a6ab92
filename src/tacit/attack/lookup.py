"""Looking a person up: whoever finds the records that may be somebody's reads what stands in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ..claims.claims import LinkClaims, ValueClaims
from ..errors import TacitError, format_value, suggest_alternative
from . import ATTACKS
from ._target import Target, no_target, target_of

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from .attack import Attack


TIED = 1e-9
"""Chances that differ by less than this share are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    r"""Say of each person what stands in the released records that may be its own.

    The records are found by an attack on identities, ``by`` its plan name. When that claims record a to be person b's with
    the chance :math:`r_b(a)`, the value v is claimed with

    .. math:: \Pr[V(b) = v] = \sum_{a:\, V'(a) = v} r_b(a).

    Of a class of equal quasi-identifiers this is the distribution in the class: when all share a value, everybody in it is
    known to have it (homogeneity), though nobody's record is found. An intruder who must name one value says the
    ``"likeliest"`` (equally likely ones share the claim; of numbers their mean); with ``says="all"`` each value counts with
    its chance, which under exact agreement is the correct attribution probability, CAP. Time and memory are those of the
    attack, and O(values named) on top.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"], "ill": ["flu", "flu", "gout"]}), quasi="zip", confidential="ill")
    >>> Lookup().claims(r, Scenario.worst_case(r)).shares.tolist()
    [1.0, 1.0]

    References
    ----------
    Elliot (2014), Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team,
    University of Manchester.
    """

    makes: ClassVar = ValueClaims
    linkage: ClassVar = "generic"
    column: str | None = None
    by: str = "distance"
    says: Literal["likeliest", "all"] = "likeliest"

    def __post_init__(self) -> None:
        if self.says not in ("likeliest", "all"):
            raise TacitError(
                f"says={format_value(self.says)} is unknown",
                code="unknown_name",
                parameter="says",
                fix="'likeliest': one value for each person; 'all': with their chances",
            )
        if self.by not in ATTACKS or ATTACKS[self.by].tags.about != LinkClaims.about:
            raise TacitError(
                f"by={self.by!r} is no attack that finds people",
                code="wrong_type",
                parameter="by",
                fix=suggest_alternative(
                    str(self.by), [name for name, entry in ATTACKS.items() if entry.tags.about == LinkClaims.about]
                ),
            )

    @property
    def _linkage(self) -> Attack:
        made: Attack = ATTACKS[self.by].call()
        return made

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        return no_target(release, scenario, self.column) or self._linkage.applies(release, scenario)

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> ValueClaims:
        """For each person the values of the records that may be its own, with their chances."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"nobody can be looked up: {why_not}", code="not_applicable", fix="see which columns both files have"
            )
        links = self._linkage.claims(release, scenario, seed=seed, progress=progress)
        assert isinstance(links, LinkClaims)
        found = read_off(links, target_of(release, self.column))
        return likeliest_value(found) if self.says == "likeliest" else found


def read_off(links: LinkClaims, target: Target) -> ValueClaims:
    """What stands in the records that the links name, each with its chance; records without a value say nothing."""
    value, known = _value_positions(target)
    group_size = links.groups
    groups, per_group = np.unique(links.group_of[known] * (value.max(initial=0) + 1) + value, return_counts=True)
    width = int(value.max(initial=0)) + 1
    start_of = np.searchsorted(groups, np.arange(group_size + 1) * width)
    named = np.diff(start_of)[links.candidates]
    claim = np.repeat(np.repeat(np.arange(len(links.start) - 1), np.diff(links.start)), named)
    place = np.arange(len(claim)) - np.repeat(np.cumsum(named) - named - start_of[links.candidates], named)
    share = np.repeat(links.chances(), named) * per_group[place]
    keys, where = np.unique(claim * width + groups[place] % width, return_inverse=True)
    total = np.bincount(where, weights=share, minlength=len(keys))
    start = np.searchsorted(keys, np.arange(len(links.start)) * width)
    said = {"codes": keys % width} if target.codes is not None else {"numbers": _distinct_values(target)[keys % width]}
    return ValueClaims(
        column=target.column,
        start=start,
        shares=np.minimum(total, 1.0),
        claim_of=links.claim_of,
        notes=links.notes,
        **said,
    )


def likeliest_value(claims: ValueClaims) -> ValueClaims:
    """One value of each claim: the code with the largest share (ties share it), or the mean of the numbers. O(values named)."""
    assert claims.start is not None and claims.shares is not None
    sizes = np.diff(claims.start)
    claim = np.repeat(np.arange(len(sizes)), sizes)
    if claims.codes is None:
        assert claims.numbers is not None
        weight = np.bincount(claim, weights=claims.shares, minlength=len(sizes))
        total = np.bincount(claim, weights=claims.shares * claims.numbers, minlength=len(sizes))
        made = weight > 0
        start = np.append(0, np.cumsum(made))
        return replace(claims, start=start, numbers=total[made] / weight[made], shares=np.ones(int(made.sum())))
    most = np.zeros(len(sizes))
    np.maximum.at(most, claim, claims.shares)
    kept = claims.shares >= most[claim] * (1 - TIED)
    count = np.bincount(claim[kept], minlength=len(sizes))
    return replace(
        claims, start=np.append(0, np.cumsum(count)), codes=claims.codes[kept], shares=1.0 / count[claim[kept]]
    )


def _value_positions(target: Target) -> tuple[np.ndarray, np.ndarray]:
    """The place of each known value among the different ones, and which records have one."""
    known = np.flatnonzero(target.known_rows())
    if target.codes is not None:
        return target.codes[known], known
    assert target.numbers is not None
    return np.searchsorted(_distinct_values(target), target.numbers[known]), known


def _distinct_values(target: Target) -> np.ndarray:
    assert target.numbers is not None
    return np.unique(target.numbers[target.known_rows()])
