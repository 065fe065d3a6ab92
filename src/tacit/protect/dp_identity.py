"""The naive differentially private release of microdata: noise on every value, as wide as the column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..dp.noise import laplace_scale, with_laplace
from ..errors import check_columns
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._bounds import Bounds, at_bounds
from ._checks import refuse_empty
from ._numbers import from_numbers
from .parameters import column_names, drop_metadata
from .private.grid import LEVELS, off_grid, on_grid
from .private.params import both_ends, bounded_values, checked_epsilon, guarantee_findings, loss_of
from .private.values import declared_types

if TYPE_CHECKING:
    import polars as pl

    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method", form="semantic", shown="proven"),
    effects=MethodEffects("changes", ("columns",), model="dp_noise"),
    family="private",
    example={"columns": ["visits", "rent"], "epsilon": 1, "bounds": {"visits": [0, 100], "rent": [0, 5000]}},
    use="You want to see what ε-differential privacy of every single value costs, or nobody may see the true ones.",
    avoid="Anybody is to use the values: the noise is as wide as the column; take dp_microaggregate.",
    repeatable=False,
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DpIdentity:
    r"""Answer the query "show me every record" with differential privacy: noise as wide as the range on each value.

    Whoever is replaced can change every value of a record from one end of its range to the other: the L1 sensitivity of
    the file is the sum of the declared ranges, and with ε shared evenly among m columns every value gets discrete Laplace
    noise of scale

    .. math:: b_j = \frac{m\,(high_j - low_j)}{\varepsilon}.

    With one column and ε = 1 its standard deviation is 1.4 times the whole range: the noise drowns the values, and
    values cut off at the ``bounds`` pile up there. It is here to be compared with; use
    :class:`~tacit.protect.dp_microaggregate.DpMicroaggregate`. Records stay where they stood, so that the noise also
    serves people who trust nobody (each value is ε/m-differentially private by itself).

    δ = 0, neighbours are files of the same size of which one record is replaced, and the promise is of the named columns.
    The type of a column follows from its bounds (whole ones make whole numbers). A value that is missing, or is none of that type,
    counts as the middle of the bounds: no value makes the step fail. Noise comes from OpenDP's secure source: no seed repeats it.
    Time O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": [30, 40, 50, 60]}), quasi="age", kinds={"age": "continuous"})
    >>> m = r.protect(DpIdentity(columns="age", epsilon=1, bounds={"age": [0, 110]}))
    >>> m.trace[0].outcome["scale"].value
    {'age': 110.0}

    References
    ----------
    Soria-Comas, Domingo-Ferrer, Sánchez and Martínez (2014), Enhancing data utility in differential privacy via
    microaggregation-based k-anonymity, VLDB Journal 23, 771–794.
    """

    columns: str | Sequence[str]
    epsilon: float
    bounds: Bounds

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        checked_epsilon(self.epsilon)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "bounds", both_ends(self.bounds, columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002 - the noise has no seed
        """The release with noise on every value; the outcome has the guarantee and the scale of the noise."""
        columns = check_columns(self.columns, release.columns)
        refuse_empty(release)
        types, loss = self.declared_types(), loss_of(self.epsilon, len(columns))
        made: dict[str, pl.Series] = {}
        scale: dict[str, float] = {}
        absent: dict[str, int] = {}
        for place, column in enumerate(columns):
            report_progress(progress, "dp_identity", place / len(columns))
            one = bounded_values(release, column, self.bounds[column], types[column])
            noisy = with_laplace(on_grid(one.values, one.low, one.high).tolist(), laplace_scale(LEVELS, loss))
            made[column] = from_numbers(
                off_grid(np.array(noisy), one.low, one.high), column, types[column], self.bounds[column]
            )
            scale[column] = float(f"{(one.high - one.low) / loss:.4g}")
            absent[column] = one.absent
        report_progress(progress, "dp_identity", 1.0)
        masked = drop_metadata(release.with_columns(made), columns, hierarchies=False)
        found = guarantee_findings(release, columns, self.epsilon) | {
            "scale": Finding(scale, publishable=True),
            "sensitivity": Finding(PROOF, publishable=True),
            "no_value": Finding(absent, publishable=False),
        }
        return Masked(masked, (Trace.of(self, **found, **at_bounds(masked, self.bounds)),))

    def declared_types(self) -> dict[str, pl.DataType]:
        """The type of every column, from its bounds alone."""
        return declared_types(bounds=self.bounds)


PROOF = "replacing one record changes its value in every column by at most the declared range, and no other value"
