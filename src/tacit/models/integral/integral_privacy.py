"""Integral privacy: a published model that many different databases give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import Note, TacitError, check_int, format_value
from ..compact_repr import CompactRepr
from ..verdict import Verdict

if TYPE_CHECKING:
    from .recurring_model import RecurringModel


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class IntegralPrivacy(CompactRepr):
    r"""At least k databases give the model, and neither a record nor a rare value is in all of them.

    .. math:: |Gen(G)| \ge k, \quad \bigcap_{X \in Gen(G)} X = \emptyset

    The definition counts records. Two people with the same pay of 402 are two records, of which each database may have the other:
    nobody is in all of them, and every one has a 402. It therefore does not hold either when every generator has a record with
    the same value of a feature or of the target, one that fewer than k records of the population have and that chance alone would not
    put into all of them.

    It is asked of a model that is to be published, not of a file. ``disjoint`` asks besides for so many generators of which
    no two share a record: whoever knows all members of some of them knows nothing yet of the others. ``share`` asks that no
    record be in more than this share of the generators.

    Generators that were found exist, so that the number, the empty intersection and the disjoint ones are proven when the
    verdict holds; when it does not, other databases might show it still. ``share`` is of the databases looked at. The
    promise is about this population, these sizes and this algorithm, and about an intruder who knows no member; what is
    left to one who does is :meth:`ModelSpace.given`. It is no differential privacy: a record may still be more likely a
    member than another one, and several such models together may have fewer generators in common.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.models.integral import Moments, enumerate_models
    >>> pay = Release(pl.DataFrame({"pay": [10.0, 10.0, 10.0, 10.0, 90.0]}))
    >>> space = enumerate_models(pay, Moments(grid={"pay": 10}), sizes=2)
    >>> for one in space.candidates:
    ...     print(IntegralPrivacy(k=4).holds(one))
    integral privacy  holds
    required          4
    found             6
    integral privacy  does not hold
    required          4
    found             4
    failing           1 records
    note              1 record is in every generator: an intruder who sees the model is sure of it

    References
    ----------
    Torra and Navarro-Arribas (2016), Integral privacy, CANS, LNCS 10052, 661–669. Senavirathne and Torra (2019),
    Integrally private model selection for decision trees, Computers & Security 83, 167–181.
    """

    k: int
    disjoint: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        check_int("k", self.k, least=2)
        check_int("disjoint", self.disjoint, least=1)
        if isinstance(self.share, bool) or not isinstance(self.share, int | float) or not 0 < self.share <= 1:
            raise TacitError(
                f"share={format_value(self.share)} is no share of the generators",
                code="out_of_range",
                parameter="share",
                fix="e.g. share=0.5",
            )

    def holds(self, model: RecurringModel) -> Verdict:
        """Whether it does, for a candidate of :func:`find_recurrent_models` or :func:`enumerate_models`."""
        if not hasattr(model, "generators"):
            raise TacitError(
                f"a {type(model).__name__} has no generators to count",
                code="invalid_parameter",
                fix="find models first: tacit.models.integral.model_space(release, learner, draws=1000, seed=7)",
            )
        common = model.common
        notes: list[Note] = []
        if common:
            said = "1 record is" if common == 1 else f"{common:,} records are"
            sure = f"an intruder who sees the model is sure of {'it' if common == 1 else 'them'}"
            notes.append(Note(f"{said} in every generator: {sure}", code="records_in_every_generator", records=common))
        alike = model.common_values(self.k)
        if alike:
            note = Note(
                f"every generator has a record with the same value, which fewer than {self.k} records have, in "
                f"{'1 column' if alike == 1 else f'{alike} columns'}: an intruder is sure that somebody in the database has it",
                code="values_in_every_generator",
                columns=alike,
            )
            notes.append(note)
        if self.share < 1 and model.share > self.share:
            said = f"a record is in {model.share:.4g} of the generators, more than {self.share:.4g}"
            notes.append(Note(said, code="record_in_many_generators", share=model.share))
        if self.disjoint > 1:
            family = model.family()
            if family.size < self.disjoint:
                most = "" if family.is_proven else f", at most {family.bound}"
                said = f"{family.size} generators share no record{most}, of {self.disjoint} asked for"
                notes.append(Note(said, code="few_disjoint_generators", generators=family.size))
        return Verdict(
            holds=model.count >= self.k and not notes,
            model="integral privacy",
            required=self.k,
            found=model.count,
            margin=model.count - self.k,
            failing_records=common,
            notes=tuple(notes),
        )
