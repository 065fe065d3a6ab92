"""Answers with noise: differentially private for every unit, whoever asks and whatever they know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...dp.cost import Cost, Unit, to_fraction
from ...dp.mechanisms.noise_distribution import NoiseDistribution
from ...dp.neighbours import Neighbours
from ...errors import TacitError
from ..answer import Answer, Quote
from ..column import Schema
from ..condition import Condition
from ..ledger.caps import on_grid
from ..mode import PastQueries
from ..noisy.aggregate import Drawn, Laws, NoisyAggregate, make_noisy
from ..noisy.keys import declared_groups
from ..noisy.part import Part, unit_count
from ..noisy.quantile_choice import QuantileChoice
from ..noisy.sensitivity import PrivacyDefinition
from ..question import Question
from ..refusal import Refusal
from ..tally import Code, Measure, Source

LEAST: dict[Unit, Fraction] = {"epsilon": Fraction(1, 10**4), "rho": Fraction(1, 10**6)}
"""Less buys nothing but noise, and would let a budget pay for very many questions."""

MOST = Fraction(100)
"""More protects nobody."""

Group = tuple[Code, ...]

MOST_FIGURES = 100_000
"""Noise is drawn for at most so many numbers (bins of a quantile included) of declared groups."""


class DpMode:
    """Noise on every figure, as much as one unit can change it divided by what is spent; the argument is in ``dp.md``.

    ``unit`` is that of the data set's budget: ``epsilon`` buys discrete Laplace noise, ``rho`` discrete Gaussian noise.
    ``size`` is the number of units where the owner has promised it publicly (``replace`` alone); it is checked once.
    ``threshold_delta`` is the δ that a question by keys without a list costs; without it they are refused.
    """

    name = "dp"

    def __init__(
        self,
        schema: Schema,
        source: Source,
        *,
        unit: Unit,
        neighbours: Neighbours,
        size: int | None = None,
        threshold_delta: Fraction | str | float | None = None,
    ) -> None:
        self.schema, self.source = schema, source
        rows = 1 if schema.unit is None else schema.rows
        self.promise = PrivacyDefinition(unit=unit, neighbours=neighbours, rows=rows, size=size)
        self.threshold_delta = None if threshold_delta is None else _check_delta(threshold_delta)
        if size is not None:
            self._check_size(size)

    def quote(self, question: Question, spend: Fraction | None) -> Quote:
        """The spend, rounded up to the ledger's grid, with the noise that it buys; nothing of the data is read."""
        design = self._make_design(question, _check_spend(spend, self.promise.unit))
        return Quote(
            question=question,
            cost=design.cost,
            accuracy=tuple(one.width(design.laws) for one in design.aggregates),
            notes=(self.guarantee, *design.notes),
            plan={"design": design},
        )

    def decide(self, question: Question, past: PastQueries) -> None:
        """Nothing is refused for what was asked before: the budget alone counts."""

    def answer(self, quote: Quote) -> Answer:
        """The noisy figures of every group."""
        design: Design = quote.plan["design"]
        found = draw_groups(self.source, design)
        columns = [self.schema.column(key.column) for key in quote.question.by]
        return Answer(
            keys=tuple(tuple(c.decode(code) for c, code in zip(columns, group, strict=True)) for group in found),
            figures=tuple(tuple(one.figure(parts) for one in design.aggregates) for parts in found.values()),
            accuracy=tuple(
                tuple(one.width_after(parts, design.laws) for one in design.aggregates) for parts in found.values()
            ),
            notes=quote.notes,
        )

    @property
    def guarantee(self) -> str:
        """The promise in a sentence."""
        whose = f"one {self.schema.unit!r}" if self.schema.unit is not None else "one row"
        change = "coming or going" if self.promise.neighbours == "add_remove" else "being another"
        counted = f", of which at most {self.promise.rows} rows count" if self.promise.rows > 1 else ""
        return f"noise hides {whose} {change}{counted}"

    def _make_design(self, question: Question, spend: Fraction) -> Design:
        cost = Cost(spend, Fraction(0), self.promise.unit)
        return design_noise(
            question, self.schema, cost=cost, promise=self.promise, threshold_delta=self.threshold_delta
        )

    def _check_size(self, size: int) -> None:
        """Whether the public size is that of the data; under ``replace`` it is the same for all neighbours."""
        counted = Measure("rows" if self.schema.unit is None else "units")
        found = self.source.tally(Condition.everything(), (), (counted,), bounded=False)
        if found.measures[counted] != (size,):
            raise TacitError(
                f"size = {size} is not the size of {self.schema.name!r}",
                code="wrong_type",
                parameter="size",
                fix="declare the right one, or leave it out",
            )


def _check_spend(spend: Fraction | None, unit: Unit) -> Fraction:
    if spend is None:
        raise Refusal(
            "bad_request",
            f"it is not said how much {unit} to spend",
            fix="say how much to spend, e.g. 0.1 (on the command line: --spend 0.1)",
        )
    if not LEAST[unit] <= spend <= MOST:
        raise Refusal(
            "bad_request",
            f"the {unit} to spend is not a number from {float(LEAST[unit]):g} to {MOST}",
            fix="say how much to spend, e.g. 0.1 (on the command line: --spend 0.1)",
        )
    return on_grid(Cost(spend, Fraction(0), unit)).amount


def _check_delta(delta: Fraction | str | float) -> Fraction:
    found = to_fraction(delta, "threshold_delta")
    if not 0 < found < 1:
        raise TacitError(
            "threshold_delta is not between 0 and 1", code="out_of_range", fix="e.g. threshold_delta = 1e-8"
        )
    return found


def draw_groups(source: Source, design: Design) -> Mapping[Group, Drawn]:
    """The noisy parts of every group that is shown, in the order of the keys.

    Two parts of the plan: groups by declared keys are all there, empty ones with the noise alone; of other groups those
    whose noisy number of units is above the threshold. Every part is one draw over all groups. O(groups · parts).
    """
    tallied = _tally_groups(source, design)
    noise: dict[Part | QuantileChoice, list[int]] = {}
    groups: Sequence[Group] = design.groups if design.groups is not None else list(tallied)
    if design.groups is None:
        counts = design.laws[design.gate].add_noise(_exact_values(design.gate, tallied, groups))
        kept = [place for place, count in enumerate(counts) if count > design.threshold]
        groups, noise[design.gate] = [groups[place] for place in kept], [counts[place] for place in kept]
    for part in design.sums:
        if part not in noise:
            noise[part] = design.laws[part].add_noise(_exact_values(part, tallied, groups))
    for choice in design.choices:
        noise[choice] = _draw_quantiles(source, design, choice, groups)
    return {group: {part: noise[part][place] for part in noise} for place, group in enumerate(groups)}


def _tally_groups(source: Source, design: Design) -> dict[Group, dict[Measure, int]]:
    """The exact measures of the groups that occur; nothing is asked where no part is a sum."""
    measures = tuple(dict.fromkeys(measure for part in design.sums for measure in part.measures))
    if not measures:
        return {}
    question = design.question
    found = source.tally(question.where, question.by, measures, joined=question.joined)
    return {
        group: {measure: found.measures[measure][place] for measure in measures}
        for place, group in enumerate(found.groups)
    }


def _exact_values(part: Part, tallied: Mapping[Group, Mapping[Measure, int]], groups: Sequence[Group]) -> list[int]:
    nothing = dict.fromkeys(part.measures, 0)
    return [part.exact_value(tallied.get(group, nothing)) for group in groups]


def _draw_quantiles(source: Source, design: Design, choice: QuantileChoice, groups: Sequence[Group]) -> list[int]:
    """The quantile of each group from the numbers of rows in the bins of its column."""
    question, rows = design.question, Measure("rows")
    found = source.tally(question.where, (*question.by, choice.key), (rows,), joined=question.joined)
    counts: dict[Group, dict[int, int]] = {group: {} for group in groups}
    for (*group, start), number in zip(found.groups, found.measures[rows], strict=True):
        if start is not None and tuple(group) in counts:
            counts[tuple(group)][choice.bin_index(int(start))] = number
    return [choice.draw_quantile(counts[group], design.laws[choice]) for group in groups]


def group_threshold(law: NoiseDistribution, delta: Fraction, promise: PrivacyDefinition) -> int:
    """The τ such that the groups of one unit alone show up with a chance of at most δ.

    A unit alone makes at most k groups of one unit each (2k where one takes another's place), and shows one if
    1 + Z > τ, that is Z ≥ τ: so k·P(Z ≥ τ) ≤ δ.

    >>> group_threshold(
    ...     NoiseDistribution("epsilon", 1.0),
    ...     Fraction(1, 10**6),
    ...     PrivacyDefinition(unit="epsilon", neighbours="add_remove", rows=1),
    ... )
    14
    """
    alone = promise.rows if promise.neighbours == "add_remove" else 2 * promise.rows
    return law.tail_threshold(float(delta / alone))


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Aggregates in the question's order, the law of each part, and either all groups or the part and τ that show them."""

    question: Question
    cost: Cost
    aggregates: tuple[NoisyAggregate, ...]
    laws: Laws
    groups: tuple[tuple[Code, ...], ...] | None
    gate: Part
    threshold: int

    @property
    def sums(self) -> list[Part]:
        """The parts that are sums."""
        return [part for part in self.laws if isinstance(part, Part)]

    @property
    def choices(self) -> list[QuantileChoice]:
        """The parts that are choices."""
        return [part for part in self.laws if isinstance(part, QuantileChoice)]

    @property
    def notes(self) -> tuple[str, ...]:
        """What an analyst should know, each once."""
        said = dict.fromkeys(one.note(self.laws) for one in self.aggregates)
        if self.groups is None:
            said[f"groups with a noisy number of {self.threshold} or fewer are left out"] = None
        return tuple(said)


def design_noise(
    question: Question, schema: Schema, *, cost: Cost, promise: PrivacyDefinition, threshold_delta: Fraction | None
) -> Design:
    """The design for a spend: it is split evenly over the parts, each drawn once, however many aggregates need it.

    Basic composition: the parts' shares add up to the spend exactly, and all groups share the noise of a part because
    its reach is that of all groups together.
    """
    groups = declared_groups(question, schema)
    whole = not question.by and not question.joined and question.where == Condition.everything()
    size = promise.size if whole and promise.rows == 1 else None
    aggregates = tuple(make_noisy(one, schema, promise=promise, size=size) for one in question.aggregates)
    gate = unit_count(promise)
    parts: dict[Part | QuantileChoice, None] = dict.fromkeys(part for one in aggregates for part in one.parts)
    delta = Fraction(0)
    if groups is None:
        parts[gate] = None
        delta = _check_threshold_delta(question, schema, threshold_delta)
    else:
        _refuse_many(len(groups), list(parts))
    number = None if groups is None else len(groups)
    share = cost.amount / len(parts)
    laws = {part: _part_noise(part, share, number, promise) for part in parts}
    return Design(
        question=question,
        cost=Cost(cost.amount, delta, cost.unit),
        aggregates=aggregates,
        laws=laws,
        groups=groups,
        gate=gate,
        threshold=group_threshold(laws[gate], delta, promise) if groups is None else 0,
    )


def _part_noise(
    part: Part | QuantileChoice, share: Fraction, groups: int | None, promise: PrivacyDefinition
) -> NoiseDistribution:
    reach = part.sensitivity(groups=groups, promise=promise)
    return (
        part.noise_distribution(reach, share, promise.unit)
        if isinstance(part, QuantileChoice)
        else NoiseDistribution.of(reach, share, promise.unit)
    )


def _check_threshold_delta(question: Question, schema: Schema, delta: Fraction | None) -> Fraction:
    if delta is not None:
        return delta
    open_key = next(key.column for key in question.by if not schema.column(key.column).has_public_domain)
    raise Refusal(
        "undeclared_bounds",
        "has no public list of values, and no δ is set aside to find those that many share",
        column=open_key,
        fix="the owner of the data declares its values or a threshold_delta; group by another column",
    )


def _refuse_many(groups: int, parts: Sequence[Part | QuantileChoice]) -> None:
    figures = groups * sum(part.bins if isinstance(part, QuantileChoice) else 1 for part in parts)
    if figures > MOST_FIGURES:
        raise Refusal(
            "too_complex",
            f"the answer needs {figures} noisy numbers, more than {MOST_FIGURES}",
            fix="group by fewer keys or wider bins, or ask for fewer quantiles at once",
        )
