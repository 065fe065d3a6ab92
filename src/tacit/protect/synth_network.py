"""Synthetic records from a Bayesian network: each column drawn from its table, given a few of the columns before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TacitError, check_int, format_value
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ._bounds import Bounds
from ._synthetic.assembly import synthesise_release
from ._synthetic.discrete.discretise import discretise_part
from ._synthetic.discrete.structure import conditional_links, greedy_network, parents_by_name
from ._synthetic.params import settle_params
from ._synthetic.part import Part, SyntheticValues
from ._synthetic.row_selection import Where
from .parameters import is_number

if TYPE_CHECKING:
    import numpy as np

    from ..progress import Progress
    from ..release.masked import Masked
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), synthetic=True),
    family="synthetic",
    example={"degree": 2, "columns": ["visits", "diagnosis", "birth"]},
    use="Mostly categories, and it should be plain which columns depend on which: the trace has the whole model.",
    avoid="Amounts must be exact to more than a bin (synth_trees), or a guarantee is needed (dp_network).",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SynthNetwork:
    r"""Make records anew from a Bayesian network, column by column, each from a table given its parents.

    .. math:: P(x) = \prod_i P(x_i \mid x_{\pi_i}), \qquad
              P(x \mid \pi) = \frac{n_{x\pi} + s\, n_x/n}{n_\pi + s}, \qquad |\pi_i| \le \text{degree}

    Columns come into the network one after the other, each time the one about which at most ``degree`` of those before
    it tell most: mutual information less its bias in small tables (Miller and Madow). Categories are taken as they are, and
    missing is one of them; numbers and dates of more than ``bins`` values are cut at quantiles and drawn evenly within
    their bin, but for values that many share, which are bins of their own. s = ``smoothing`` lets in what nobody had
    beside these parents.

    **degree** decides protection and has no default: with many parents a table has a cell for every record, and new
    records are copies. The lowest and the highest number of a column are those of the data: code them first.

    **What is captured**: every column with its parents, which the trace lists. No other relation is promised, and no
    guarantee is made of any person: measure copies and membership on the result, or use
    :class:`~tacit.protect.dp_network.DpNetwork`. ``columns``, ``rows``, ``where``, ``totals``, ``bounds`` and ``fewest`` say what is made
    anew and what must hold (:mod:`tacit.protect._synthetic.params`); columns that stay can be parents.

    Time O(n · columns · sets of parents), memory O(n · columns + cells).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"sex": list("fm") * 50, "pay": [2000 + 10 * i + 900 * (i % 2) for i in range(100)]})
    >>> m = Release(table, confidential="pay").protect(SynthNetwork(degree=1, bins=4, rows=1000), seed=7)
    >>> m.release.size, m.trace[0].outcome["captured"].value["parents"]
    (1000, {'sex': [], 'pay': ['sex']})

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM
    Transactions on Database Systems 42 (4), 25 (the structure, here without noise). Chow and Liu (1968), Approximating
    discrete probability distributions with dependence trees, IEEE Transactions on Information Theory 14, 462–467.
    """

    degree: int
    columns: str | Sequence[str] | None = None
    rows: int | None = None
    where: Where = field(default_factory=FrozenDict)
    bins: int = 16
    smoothing: float = 1.0
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)
    fewest: int = 5

    def __post_init__(self) -> None:
        check_int("degree", self.degree, least=1)
        check_int("bins", self.bins, least=2)
        if not is_number(self.smoothing) or self.smoothing < 0:
            raise TacitError(
                f"smoothing={format_value(self.smoothing)} is no number of records",
                code="wrong_kind",
                parameter="smoothing",
                fix="a number from 0 on: smoothing=1",
            )
        settle_params(self)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The synthetic release; the outcome has the parents of every column."""
        return synthesise_release(self, release, self._draw_part, fewest=self.fewest, seed=seed, progress=progress)

    def _draw_part(self, part: Part, rng: np.random.Generator, progress: Progress | None) -> SyntheticValues:
        report_progress(progress, "synth_network", 0.0)
        on = discretise_part(part, bins=self.bins)
        found = greedy_network(on.counted, degree=self.degree, given=on.given_axes)
        report_progress(progress, "synth_network", 0.8)
        made = on.draw_targets(
            conditional_links(on.counted, found, smoothing=self.smoothing),
            {"parents": parents_by_name(found, on.names)},
            rng,
        )
        report_progress(progress, "synth_network", 1.0)
        return made
