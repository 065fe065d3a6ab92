"""Mutual information: how much one column still tells about another, and how much each has to tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...registry import Tags, describe
from ...result import Result, Results
from ..numbers.standardised import drop_rounding
from .cells import cell_counts, checked_limit, tables_of
from .codings import Coding, common_codings

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def mutual_information(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,  # noqa: ARG001
    bins: int = 5,
    limit: int = 300,
) -> Results:
    r"""The change of the mutual information of each pair of columns, and of the entropy of each column.

    .. math:: \frac{|I'(X;Y) - I(X;Y)|}{\max(H(X,Y), H'(X,Y))}, \qquad \frac{|H'(X) - H(X)|}{\max(H(X), H'(X))},
              \qquad I(X;Y) = H(X) + H(Y) - H(X,Y)

    with entropies in bits. Both lie between 0, as much is told as before, and 1, everything that there was to tell is
    gone, or all that is told is new. ``mutual information`` without a column is the mean over the pairs, with a column
    that over its pairs; ``column entropy`` the mean over the columns, and each. Both directions count: noise loosens
    relations, microaggregation tightens them. Columns are coded as in :func:`contingency`; when there are more than
    ``limit`` pairs, so many are drawn, the same for every release with these columns. Entropies are those of the shares
    found (plug-in), which are too low, and mutual information too high, by about :math:`(k-1)/(2n \ln 2)` bits for k
    cells and n records; in files of equal size most of it cancels. Whole files: no records are paired. Unweighted.

    Utility, measured. O(n) time per pair, memory for n cells at most.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"sex": list("ffmm"), "ill": list(ill)})) for ill in ("yynn", "ynyn"))
    >>> [(part.name, part.column, part.value) for part in mutual_information(m, original=r)][:2]
    [('mutual information', None, 0.5), ('mutual information', 'sex', 0.5)]

    References
    ----------
    Cover and Thomas (2006), Elements of Information Theory, 2nd ed., Wiley.
    Miller (1955), Note on the bias of information estimates, in Quastler, Information Theory in Psychology, 95–100.
    """
    checked_limit(limit)
    found = common_codings(release, original, bins=bins)
    if len(found) < 2:
        raise TacitError(
            "only one column is in both files, and a relation needs two",
            code="no_usable_column",
            fix="measure hellinger or contingency instead",
        )
    alone = [_table_entropies([one]) for one in found]
    pairs = [_compare_pair(found, alone, table) for table in tables_of(len(found), 2, limit)]
    return Results((*_relation_results(pairs, comb(len(found), 2)), *_entropy_results(found, alone)))


@dataclass(frozen=True, slots=True)
class _ColumnPair:
    columns: tuple[str, str]
    before: float
    after: float
    change: float


def _table_entropies(table: Sequence[Coding]) -> tuple[float, float]:
    """The entropy of a table in original and masked file."""
    before, after = (_entropy_bits(counts[counts > 0].astype(float)) for counts in cell_counts(table))
    return before, after


def _entropy_bits(counts: np.ndarray) -> float:
    size = counts.sum()
    return drop_rounding(float(np.log2(size) - (counts * np.log2(counts)).sum() / size))


def _compare_pair(found: tuple[Coding, ...], alone: list[tuple[float, float]], table: tuple[int, ...]) -> _ColumnPair:
    one, other = table
    together = _table_entropies([found[one], found[other]])
    before, after = (max(0.0, alone[one][side] + alone[other][side] - together[side]) for side in (0, 1))
    return _ColumnPair(
        (found[one].column, found[other].column), before, after, _relative_change(before, after, max(together))
    )


def _relative_change(before: float, after: float, most: float) -> float:
    moved = drop_rounding(abs(after - before))
    return min(1.0, moved / most) if moved else 0.0


def _relation_results(pairs: list[_ColumnPair], every: int) -> list[Result]:
    worst = max(pairs, key=lambda pair: pair.change)
    facts = {"pairs of columns": len(pairs), "of all pairs": every, **_mean_bits(pairs)}
    facts |= {"largest": worst.change, "largest in": " × ".join(worst.columns)} if worst.change else {}
    parts = [_loss_result("mutual information", None, [pair.change for pair in pairs], facts)]
    for column in dict.fromkeys(name for pair in pairs for name in pair.columns):
        own = [pair for pair in pairs if column in pair.columns]
        facts = {"pairs of columns": len(own), **_mean_bits(own)}
        parts.append(_loss_result("mutual information", column, [pair.change for pair in own], facts))
    return parts


def _mean_bits(pairs: list[_ColumnPair]) -> dict[str, object]:
    before, after = (float(np.mean([getattr(pair, side) for pair in pairs])) for side in ("before", "after"))
    return {"mean bits": after, "mean bits in the original": before}


def _entropy_results(found: tuple[Coding, ...], alone: list[tuple[float, float]]) -> list[Result]:
    changes = [_relative_change(before, after, max(before, after)) for before, after in alone]
    parts = [_loss_result("column entropy", None, changes, {"columns": len(found)})]
    for coding, change, (before, after) in zip(found, changes, alone, strict=True):
        facts: dict[str, object] = {"bits": after, "bits in the original": before, "coded by": coding.how}
        parts.append(_loss_result("column entropy", coding.column, [change], facts))
    return parts


def _loss_result(name: str, column: str | None, changes: list[float], facts: dict[str, object]) -> Result:
    return Result(name=name, column=column, value=float(np.mean(changes)), worse="high", about="utility", facts=facts)
