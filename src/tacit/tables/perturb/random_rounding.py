"""Random rounding: every cell by itself, up or down by chance, so that it is right on average; sums no longer hold."""

from __future__ import annotations

from ...seed import child_seed, make_generator
from ..table import Table
from .checks import is_multiple_of_base, perturbation_facts
from .grid import Grid
from .perturbed import Perturbed


def round_random(table: Table, *, base: float, seed: int | bytes) -> Perturbed:
    r"""Round each cell, totals included, to a multiple of ``base`` next to it, up in proportion to how far up it is.

    .. math:: P(r = base \lceil a/base \rceil) = \frac{a - base \lfloor a/base \rfloor}{base},
              \qquad E(r) = a,\quad \operatorname{Var}(r) = base^2\, p\,(1 - p)

    Multiples stay. The table is not additive, and that is also its weakness: an outsider who knows the base knows that each true
    figure lies less than a base away, and that the true figures add up, which narrows them down in small tables
    (:func:`recovery_risk`). Time O(cells).

    >>> import numpy as np
    >>> from tacit.tables.build.cross import cross_dimensions
    >>> from tacit.tables.dimension import Dimension
    >>> labels, equations = cross_dimensions([Dimension.flat("sex", "fm")])
    >>> table = Table(labels=labels, values=np.array([9.0, 2, 7]), equations=equations)
    >>> round_random(table, base=5, seed=1).values % 5
    array([0., 0., 0.])

    References
    ----------
    Fellegi (1975), Controlled random rounding, Survey Methodology 1, 123–133.
    """
    grid = Grid.of(table, base)
    drawn = make_generator(child_seed(seed, "random rounding")).random(table.size)
    values = grid.figures(drawn < grid.part)
    facts = perturbation_facts(table, values) | {"multiples of the base": is_multiple_of_base(values, grid.base)}
    notes = () if facts["additive"] else ("sums do not hold: each cell was rounded by itself",)
    return Perturbed(
        original=table,
        values=values,
        method="random rounding",
        parameters={"base": grid.base},
        facts=facts,
        notes=notes,
    )
