"""Synthetic records from the distribution of largest entropy that has given marginals, on a junction tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TacitError, check_columns, check_int
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ._bounds import Bounds
from ._synthetic.assembly import synthesise_release
from ._synthetic.column_sets import checked_sets, sets_of
from ._synthetic.discrete.beliefs import chain_of
from ._synthetic.discrete.discretise import DiscretePart, discretise_part
from ._synthetic.discrete.max_entropy import Target, fit_max_entropy, joined_tree
from ._synthetic.discrete.structure import strongest_pairs
from ._synthetic.params import settle_params
from ._synthetic.part import Part, SyntheticValues
from ._synthetic.row_selection import Where

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
    example={"columns": ["visits", "education", "birth"], "sets": [["visits", "education"], ["birth", "sex"]]},
    use="You can name the tables that analysts will make: their counts hold, and nothing else is learnt from people.",
    avoid="Analysts look for relations that nobody named (synth_trees), or a guarantee is needed (dp_marginals).",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SynthMarginals:
    r"""Make records anew with the counts of chosen sets of columns, and as random as can be beside them.

    Of all distributions that have the marginals of the ``sets``, ``[["age", "sex", "pay"], ["pay", "region"]]``, and of
    every single column, the one of largest entropy,

    .. math:: P(x) = \arg\max_P H(P) \quad\text{where}\quad P(x_t) = n_t/n \text{ for every set } t,

    assumes nothing else. The sets are joined to a junction tree; where they are decomposable (no ring), the distribution
    is written down exactly, else found by iterative proportional fitting. Records are drawn from it column by column.
    Without ``sets`` the tree of those pairs is taken that tell most about each other (Chow and Liu).

    Categories are taken as they are, and missing is one of them; numbers and dates of more than ``bins`` values are cut at
    quantiles and drawn evenly within their bin, but for values that many share. A tree whose largest table has more
    than 10⁷ cells is refused. In a partial synthesis the columns are drawn from the same distribution, given those that
    stay.

    **What is captured**: the counts of the sets and columns, which the trace lists, and nothing else. A set of many
    columns has a cell for every record, and records drawn from it are copies: name few columns together. No guarantee is
    made of any person: measure copies and membership on the result, or use
    :class:`~tacit.protect.dp_marginals.DpMarginals`. ``columns``, ``rows``, ``where``, ``totals``, ``bounds`` and ``fewest`` say what is
    made anew and what must hold (:mod:`tacit.protect._synthetic.params`).

    Time O(n · columns² + cells), with rings O(sets · cells) for each round of fitting.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"sex": list("fm") * 50, "pay": [2000 + 10 * i + 900 * (i % 2) for i in range(100)]})
    >>> m = Release(table, confidential="pay").protect(SynthMarginals(bins=4, rows=1000), seed=7)
    >>> m.release.size, m.trace[0].outcome["captured"].value["sets"]
    (1000, [['sex', 'pay']])

    References
    ----------
    Lauritzen (1996), Graphical models, Oxford University Press, ch. 4. Deming and Stephan (1940), Annals of Mathematical
    Statistics 11, 427–444. Chow and Liu (1968), IEEE Transactions on Information Theory 14, 462–467.
    """

    sets: Sequence[Sequence[str]] | None = None
    columns: str | Sequence[str] | None = None
    rows: int | None = None
    where: Where = field(default_factory=FrozenDict)
    bins: int = 16
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)
    fewest: int = 5

    def __post_init__(self) -> None:
        check_int("bins", self.bins, least=2)
        settle_params(self)
        object.__setattr__(self, "sets", checked_sets(self.sets))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The synthetic release; the outcome has the sets of columns whose counts it was fitted to."""
        for column in (column for one in self.sets or () for column in one):
            check_columns(column, release.columns)
            if column in (*release.identifiers, release.household, *self.totals):
                raise TacitError(
                    "is in a set and is not drawn",
                    code="column_not_chosen",
                    column=column,
                    fix="leave it out of the sets",
                )
        return synthesise_release(self, release, self._draw_part, fewest=self.fewest, seed=seed, progress=progress)

    def _draw_part(self, part: Part, rng: np.random.Generator, progress: Progress | None) -> SyntheticValues:
        report_progress(progress, "synth_marginals", 0.0)
        on = discretise_part(part, bins=self.bins)
        sets, sizes = self._column_sets(on), on.counted.sizes
        tree = joined_tree(sets, sizes, on.names, last=on.given_axes)
        report_progress(progress, "synth_marginals", 0.3)
        alone = [(axis,) for axis in range(len(sizes))]
        model = fit_max_entropy(tree, sizes, [Target(axes, on.counted.table(axes)) for axes in (*sets, *alone)])
        report_progress(progress, "synth_marginals", 0.8)
        chain = [link for link in chain_of(tree, model.logs, sizes) if link.axis not in on.given_axes]
        captured = {"columns": [*on.names], "sets": [[on.names[axis] for axis in one] for one in sets]}
        made = on.draw_targets(chain, captured, rng)
        report_progress(progress, "synth_marginals", 1.0)
        return made

    def _column_sets(self, on: DiscretePart) -> tuple[tuple[int, ...], ...]:
        """The declared sets as far as the part has their columns (households are drawn apart from people); or the strongest pairs."""
        if self.sets is None:
            return strongest_pairs(on.counted, given=on.given_axes)
        known = [axis.column for axis in on.axes]
        cut = (tuple(column for column in one if column in known) for one in self.sets)
        return sets_of([one for one in dict.fromkeys(cut) if len(one) > 1], known)
