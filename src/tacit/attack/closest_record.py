"""Distance to the closest record: whether released records lie nearer to the training data than to people held back."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import numpy as np

from ..claims.claims import segment_sums
from ..claims.scenario import Scenario
from ..interval import Z
from ..release.households import one_per_household
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from ._distance_encoding import encode_for_distance
from ._scenarios import whole_records, with_outsiders


def closest_record(
    masked: Masked | Release, *, original: Release, control: Release, columns: str | Iterable[str] | None = None
) -> Result:
    r"""The share of released records whose closest person is of the original, not of people held back.

    Were the released records made without the original, the people of the original (n) and of ``control`` (m) would be
    exchangeable: which of the N = n + m is closest to a record has nothing to do with the side it stands on. So of S
    records n/N are closest to the original (fact ``baseline``), with a variance that is known exactly: with :math:`c_i`
    records closest to person i,

    .. math:: \operatorname{E} \sum_{i \in original} c_i = \tfrac{n}{N} S, \qquad
              \operatorname{Var} = \frac{n\,m}{N(N-1)} \sum_i (c_i - \bar c)^2,

    also when many records are closest to the same person, which a binomial test would take for evidence. ``p`` is
    the one-sided test by a normal with these moments; the interval is ±1.96 of its standard deviations.
    ``nearer than by chance``, (share − n/N)/(1 − n/N), is 0 by chance and 1 when every record is closest to somebody of
    the original. Where households are known (a role of both files), they are exchangeable as a whole, and the sums are over
    them. People alike, and people as near, share a record. The distance is that of :class:`.Distance`, over all ``columns`` that the files have
    when absent.

    **A large p proves nothing.** Mean distances do not see the few who are given away, an intruder need not go by distance,
    and a generator can be made to pass: records that keep a distance from the training data tell where these are. A small p
    is a fault; for the rest see :class:`.ShadowGenerators`.

    Time O((n + m) log n) in few columns, up to O(n·m) in many; memory O(n + m).

    >>> import polars as pl
    >>> held, trained, made = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.5, 9.5], [1.0, 9.0], [1.1, 9.1]))
    >>> found = closest_record(made, original=trained, control=held)
    >>> found.value, found.facts["baseline"]
    (1.0, 0.5)

    References
    ----------
    Platzer and Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data, Frontiers in Big Data 4.
    Ganev and De Cristofaro (2023), On the inadequacy of similarity-based privacy metrics, arXiv:2312.05114.
    """
    release, original, control = release_of(masked), release_of(original), release_of(control)
    knows = whole_records(release, original, control, columns)
    listed = with_outsiders(Scenario(file=original, knows=knows), control)
    inside = np.arange(listed.file.size) < original.size
    counts = _closest_counts(release, listed.file)
    unit, own = _household_units(original, control, inside)
    counts = np.bincount(unit, weights=counts)
    size, units = int(own.sum()), len(own)
    share, usual = float(counts[own].sum()) / release.size, size / units
    spread = sqrt(size * (units - size) / (units * max(1, units - 1)) * float(np.square(counts - counts.mean()).sum()))
    reach = Z * spread / release.size
    facts: dict[str, object] = {
        "baseline": usual,
        "p": _excess_p_value(share - usual, spread / release.size),
        "nearer than by chance": (share - usual) / (1 - usual),
        "nearer than by chance, 95 % interval": (
            (share - usual - reach) / (1 - usual),
            (share - usual + reach) / (1 - usual),
        ),
        "people of the original": int(inside.sum()),
        "people held back": int((~inside).sum()),
        **({"households": units} if units < len(inside) else {}),
    }
    return Result(
        name="closest record",
        value=share,
        interval=(max(0.0, share - reach), min(1.0, share + reach)),
        worse="high",
        about="identity",
        facts=facts,
    )


def _closest_counts(release: Release, people: Release) -> np.ndarray:
    """How many released records are closest to each person; equal and equally near people share them."""
    from ..kernels.nearest import distinct_rows, nearest_points

    sides = encode_for_distance(release, people)
    if not sides.points.shape[1]:
        return np.full(people.size, release.size / people.size)
    group, first = distinct_rows(sides.queries)
    like, asked = distinct_rows(sides.points)
    start, found = nearest_points(sides.queries[first], sides.points[asked], sides.costs)
    size, records = np.bincount(group), np.bincount(like)
    tied = segment_sums(size[found], start)
    share = np.repeat(records / tied, np.diff(start))
    counts: np.ndarray = np.bincount(found, weights=share, minlength=len(size))[group]
    return counts


def _household_units(original: Release, control: Release, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The unit of each person, who is one by itself where no households are known, and which units are of the original."""
    if original.household is None or control.household is None:
        return np.arange(len(inside)), inside
    (ours, mine), (theirs, other) = one_per_household(original), one_per_household(control)
    return np.append(mine, other + len(ours)), np.arange(len(ours) + len(theirs)) < len(ours)


def _excess_p_value(excess: float, spread: float) -> float:
    """The chance of so large an excess."""
    from scipy.stats import norm

    return float(norm.sf(excess / spread)) if spread > 0 else 0.5
