"""Cell suppression: single quasi-identifiers blanked in the records that are too rare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TacitError, names, whole
from ..progress import report
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import generator
from .blanks import Blanks
from .parameters import column_names

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["SuppressCells"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressCells:
    """Blank quasi-identifiers, in as few records as it finds, until the release is k-anonymous (E-13).

    ``columns`` are quasi-identifiers in the order in which they are given up, least important first; those not named
    come after them, most values first, as all do by default. For each record that fails, the first column is sought
    whose blanking alone is enough; where none is, the record's next column is given up and the search begins again.

    **Claim**: every record of the result matches at least k records, under the release's own policy for missing
    values. *Precondition*: the policy is chosen, and k ≤ n. *Argument*: the loop ends only when no record fails, and
    every turn of it blanks a cell. Under ``missing="any"`` blanks only add matches, and a record of blanks matches all
    n. Under ``missing="own"`` blanks form classes of their own: when those who lost everything are still fewer than k,
    records of larger classes, or else the class for which least is lost, join them; if nobody else is left, they are
    all n. Blanks that turn out not to be needed are then taken back one by one (under ``"any"``; not on files so large
    that it would take minutes), each only if every record keeps its k. *Checked* by an independent count in the tests.

    Who of several equals is blanked is drawn when a seed is given, else it follows the order of the rows. A column that
    is equal within every household is blanked for all members. Not a minimum: that is NP-hard.
    Time O(n · q²) per turn for q quasi-identifiers (under ``"any"`` times the square of the number of patterns of
    blanks), memory O(n · q).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N3"], "sex": ["f", "f", "f", "f"]})
    >>> r = Release(table, quasi=["zip", "sex"], missing="own")
    >>> r.protect(SuppressCells(k=2)).native()["zip"].to_list()
    ['N1', 'N1', None, None]

    References
    ----------
    Templ, Kowarik, Meindl (2015), Statistical disclosure control for micro-data using sdcMicro, JSS 67(4).
    Meyerson and Williams (2004), On the complexity of optimal k-anonymity, PODS, 223–228.
    """

    k: int
    columns: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        whole("k", self.k, least=2)
        if self.columns is not None:
            object.__setattr__(self, "columns", column_names(self.columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with blanks; the outcome has their number in each column."""
        order = self._order(release)
        if self.k > release.size:
            raise TacitError(f"k={self.k} is above the {release.size} records of the release", fix="use a smaller k")
        if release.missing is None:
            raise TacitError(
                "suppressed cells are missing, and nobody said what a missing key means",
                fix="missing='own' if missing is a category of its own, missing='any' if it may match any value",
            )
        report(progress, "suppress_cells", 0.0)
        rng = None if seed is None else generator(seed)
        cells = Blanks(release, order, self.k, rng=rng).until_enough()
        report(progress, "suppress_cells", 1.0)
        counts = {column: int(rows.sum()) for column, rows in cells.items()}
        masked = release.blanked(cells) if cells else release
        return Masked(masked, (Trace.of(self, suppressed=Finding(counts, publishable=True, counts=True)),))

    def _order(self, release: Release) -> tuple[str, ...]:
        if not release.quasi:
            raise TacitError(
                "the release has no quasi-identifier",
                fix="say which columns an intruder may know, e.g. quasi=['zip', 'birth']",
            )
        chosen = names(self.columns, release.columns)
        for column in chosen:
            if column not in release.quasi:
                raise TacitError(
                    "is not a quasi-identifier", column=column, fix=f"name some of {', '.join(release.quasi)}"
                )
        others = [column for column in release.quasi if column not in chosen]
        return (*chosen, *sorted(others, key=lambda column: -release.distinct(column)))
