"""Local recoding at the least loss that we know how to find, for files of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import check_int
from ..progress import report_progress, sub_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from .recoding.clustering import cluster_cells
from .recoding.keys import Labels
from .recoding.outcome import masked_by
from .recoding.params import checked_labels, checked_models
from .recoding.problem import Problem, build_problem, subproblem
from .recoding.top_down import cut_top_down

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("coarsens", role="keys"),
    family="provide",
    provides=("classes",),
    example={"models": {"k_anonymity": 3}},
    use="The least loss among recodings is wanted and labels may differ from record to record.",
    avoid="Tables need the same categories for all records: full_domain.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRecode:
    """Labels that differ from group to group, at the least loss that we know how to find.

    The different combinations of keys are cut into blocks of at most ``block``, along Mondrian's cuts, and in each block
    groups are built from the bottom up and then improved turn by turn, as :class:`KMember` does. Larger blocks lose a
    little less and take longer. ``labels`` says what a group may show: nodes of the ``"hierarchy"`` wherever
    there is one, ``"intervals"`` for numbers and dates and else nodes, ``"sets"`` for intervals and free sets of values.
    Numbers and dates without a hierarchy become intervals. **The ends of an interval are values of people in the group**,
    exact dates of birth among them: give a hierarchy where that must not be. A column without hierarchy or order shows a
    value or ``*``. Missing keys stay missing; where only a known
    value could complete their group, that cell is blanked. A column in which no group needs a label stays as it is;
    the others become text and are remembered as ``mixed``.

    Far better than one level for all records, but harder to tabulate: labels of one column overlap. Choose FullDomain
    when the table must have the same categories everywhere.

    **Claim**: the release meets the models. *Precondition*: all records in one group meet them (checked first), and no
    model is about a population. *Argument*: a block is cut off only if every part meets them; within a block merging
    ends only when every group does, at the latest with the block itself, and a move is made only when both sides do;
    groups that carry the same labels are one group to a reader, whose demands survive the union or are checked again.
    *Checked* by the verdicts, measured on the released table.

    Not a minimum, which is NP-hard; records with the same keys stay together. Deterministic and blind to the order of the rows. Time about linear in the number
    of combinations at a fixed block, O(n log n) besides; memory O(n · q) for q keys.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"age": [21, 22, 40, 45], "town": ["Lund", "Malmö", "Umeå", "Umeå"]})
    >>> towns = {"groups": {"south": ["Lund", "Malmö"], "north": ["Umeå", "Luleå"]}}
    >>> r = Release(table, quasi=["age", "town"], kinds={"age": "continuous"}, hierarchies={"town": towns})
    >>> r.protect(LocalRecode(models={"k_anonymity": 2})).to_native().rows()
    [('[21, 22]', 'south'), ('[21, 22]', 'south'), ('[40, 45]', 'Umeå'), ('[40, 45]', 'Umeå')]

    References
    ----------
    Gionis, Mazza and Tassa (2008), k-anonymization revisited, ICDE.
    LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE.
    """

    models: Any
    labels: Labels = "hierarchy"
    block: int = 5_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", checked_models(self.models))
        checked_labels(self.labels)
        check_int("block", self.block, least=2)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with the labels of the groups in place of the values."""
        found = build_problem(release, self.models, self.labels)
        return masked_by(self, found, in_blocks(found, self.block, progress=progress))


def in_blocks(problem: Problem, block: int, *, progress: Progress | None = None) -> np.ndarray:
    """The group of each cell: clusters within blocks of at most ``block`` cells, where the cuts of Mondrian allow it.

    Every block meets the rules, as Mondrian's parts do, so that each can be clustered by itself.
    """
    if len(problem.values) <= block:
        return cluster_cells(problem, progress=progress)
    of_block = cut_top_down(problem, largest=block)
    count = int(of_block.max()) + 1
    group = np.empty(len(problem.values), dtype=np.int64)
    for number in range(count):
        report_progress(progress, "clustering", number / count)
        cells = np.flatnonzero(of_block == number)
        inside = sub_progress(progress, number / count, (number + 1) / count)
        # a cluster is called after one of its cells
        group[cells] = cells[cluster_cells(subproblem(problem, cells), progress=inside)]
    return group
