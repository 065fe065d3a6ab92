"""k-member clustering: small groups of records that are alike, from the bottom up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from .recoding.clustering import cluster_cells
from .recoding.keys import Labels
from .recoding.outcome import masked_by
from .recoding.params import checked_labels, checked_models
from .recoding.problem import build_problem

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
    use="Up to some ten thousand records in which every unit of loss counts.",
    avoid="The file is large (its time grows with the square), or tables need the same categories for all.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class KMember:
    r"""Small groups of records that are alike, each under common labels, built from the bottom up.

    Every combination of keys starts as a group. The group that fails the models and is nearest to its end joins the
    partner with which the total loss grows least,

    .. math:: (|A| + |B|)\,\ell(A \cup B) - |A|\,\ell(A) - |B|\,\ell(B),

    where :math:`\ell` is the loss per record under the common labels, summed over the keys: the share of the other
    values that each label leaves open. When all groups hold, single combinations move to where they cost less.
    ``labels`` says what a group may show: nodes of the ``"hierarchy"`` wherever there is one, ``"intervals"`` for numbers
    and dates and else nodes, ``"sets"`` for intervals and free sets of values. Numbers and dates without a hierarchy
    become intervals. **The ends of an interval are values of people in the group**, exact dates of birth among them:
    give a hierarchy where that must not be. A column without hierarchy or order shows a value or ``*``. Missing keys stay missing; where only a known value could
    complete their group, that cell is blanked.

    **Claim**: the release meets the models. *Precondition*: all records in one group meet them (checked first), and no
    model is about a population. *Argument*: merging ends only when every group meets them, at the latest with one
    group, and a move is made only when both sides do. *Checked* by the verdicts, measured on the released table.

    Not a minimum, which is NP-hard; records with the same keys stay together. Deterministic and blind to the order of the rows. Searches in a tree of boxes:
    between O(c log c) and O(c²) for c combinations, seconds for 20 000 of them; for many more use LocalRecode, which
    works in blocks. Memory O(n + c · q).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"age": [21, 22, 40, 45], "sex": ["f", "f", "m", "m"]})
    >>> r = Release(table, quasi=["age", "sex"], kinds={"age": "continuous"})
    >>> r.protect(KMember(models={"k_anonymity": 2})).to_native()["age"].to_list()
    ['[21, 22]', '[21, 22]', '[40, 45]', '[40, 45]']

    References
    ----------
    Byun, Kamra, Bertino and Li (2007), Efficient k-anonymization using clustering techniques, DASFAA, LNCS 4443.
    Gionis, Mazza and Tassa (2008), k-anonymization revisited, ICDE.
    """

    models: Any
    labels: Labels = "hierarchy"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", checked_models(self.models))
        checked_labels(self.labels)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with the labels of the groups in place of the values."""
        found = build_problem(release, self.models, self.labels)
        return masked_by(self, found, cluster_cells(found, progress=progress))
