r"""An empirical audit: a lower bound on ε from samples of a mechanism on two neighbouring data sets.

If a mechanism is (ε, δ)-differentially private, every event S has :math:`P(S) \le e^\varepsilon P'(S) + \delta`. A quarter of the
runs puts the outcomes into order by how much likelier they are on one data set than on the other, the next quarter chooses how
many of them make the event; on the other half, which the choice has not seen, exact binomial bounds (Clopper and Pearson) give :math:`\varepsilon \ge \ln\frac{\underline P(S) - \delta}{\overline{P'}(S)}` with the stated confidence. A mechanism that keeps its
promise fails with a chance of at most 1 − confidence. One that passes is not proven private: nobody looked at other data.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeVar

import numpy as np

from ..errors import TacitError, check_int, format_value
from ..result import DisplayMixin, format_fact
from .accounting.zcdp import zcdp_delta
from .cost import Cost

Data = TypeVar("Data")

PROFILE_POINTS = (0.0, *np.geomspace(0.05, 10, 15).tolist())
"""The ε at which a whole privacy profile is tested."""

CHOOSING = 1 - 1e-5
"""The confidence by which events are chosen: the luckiest of hundreds must not look worse than a large one."""

BODY, TAIL = 100, 30
"""Quantiles at even distances, and ever closer ones towards both ends, where losses are largest."""


class Profile(Protocol):
    """A promise at every ε: δ(ε), as Gaussian noise has it."""

    def delta_at(self, epsilon: float) -> float:
        """δ at an ε."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult(DisplayMixin):
    """The verdict: true iff the promise was not refuted.

    ``lower`` is the bound on ε at ``delta``; it is compared with the promised ``epsilon``. ``chances`` are the shares of the
    event's runs on the two data sets among those that were not used to choose it.
    """

    holds: bool
    lower: float
    epsilon: float
    delta: float
    chances: tuple[float, float]
    runs: int
    confidence: float

    def __bool__(self) -> bool:
        return self.holds

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "audit", "not refuted" if self.holds else "refuted"
        yield "promised ε", format_fact(self.epsilon) + (f" at δ = {format_fact(self.delta)}" if self.delta else "")
        yield "lower bound on ε", f"{format_fact(self.lower)} ({100 * self.confidence:g} % confidence)"
        yield "chances of the event", format_fact(self.chances)
        yield "runs on each data set", format_fact(self.runs)


def audit(
    run: Callable[[Data, int], Sequence[Any]],
    first: Data,
    second: Data,
    *,
    declared: Cost | Profile,
    runs: int,
    confidence: float = 0.95,
) -> AuditResult:
    """Whether the outcomes of a mechanism on two neighbouring data sets refute what it promises.

    ``run(data, count)`` gives so many independent outcomes: numbers, or anything that can be told apart. ``declared`` is the
    promised cost, or a mechanism with a whole profile such as :class:`~tacit.dp.Gaussian`, which is tested at the ε where the
    first half of the runs speak most against it; ρ is taken by its conversion. Time O(runs log runs) beside the runs.

    References
    ----------
    Clopper, Pearson (1934), Biometrika 26. Jagielski, Ullman, Oprea (2020), Auditing differentially private machine learning,
    NeurIPS. Lokna, Paradis, Dimitrov, Vechev (2023), Group and attack: auditing differential privacy, CCS.
    """
    check_int("runs", runs, least=100)
    if not 0.5 <= confidence < 1:
        raise TacitError(
            f"confidence={format_value(confidence)} is not from 0.5 to below 1",
            code="out_of_range",
            parameter="confidence",
            fix="e.g. confidence=0.95",
        )
    outcomes = [run(data, runs) for data in (first, second)]
    if any(len(found) != runs for found in outcomes):
        raise TacitError(
            "the mechanism did not give as many outcomes as it was asked for",
            code="invalid_parameter",
            fix="return one for each run",
        )
    quarter, half = runs // 4, runs // 2
    cells = Cells.of([found[:quarter] for found in outcomes])
    ordering = [cells.counts(found[:quarter]) for found in outcomes]
    choosing = [cells.counts(found[quarter:half]) for found in outcomes]
    chosen = _AuditEvent.choose_event(cells, ordering, choosing, _declared_pairs(declared))
    return chosen.judge([cells.counts(found[half:]) for found in outcomes], runs, confidence)


def _declared_pairs(declared: Cost | Profile) -> list[tuple[float, float]]:
    """The pairs of ε and δ that were promised."""
    if isinstance(declared, Cost) and declared.unit == "epsilon":
        return [(float(declared.amount), float(declared.delta))]
    if isinstance(declared, Cost):
        return [(epsilon, zcdp_delta(declared.amount, epsilon=epsilon)) for epsilon in PROFILE_POINTS]
    return [(epsilon, declared.delta_at(epsilon)) for epsilon in PROFILE_POINTS]


@dataclass(frozen=True, slots=True)
class _AuditEvent:
    """An event (a set of cells), on which data set it is likelier, and the promise that it speaks against."""

    event: np.ndarray
    likelier: int
    epsilon: float
    delta: float

    @classmethod
    def choose_event(
        cls,
        cells: Cells,
        ordering: list[np.ndarray],
        choosing: list[np.ndarray],
        promises: list[tuple[float, float]],
    ) -> _AuditEvent:
        """The event and promise for which the bound exceeds the promise most."""
        best, excess, size = None, -np.inf, int(choosing[0].sum())
        for likelier in (0, 1):
            for order in cells.orders(ordering[likelier], ordering[1 - likelier]):
                inside, other = (np.cumsum(choosing[side][order]) for side in (likelier, 1 - likelier))
                for epsilon, delta in promises:
                    lowers = _epsilon_lower_bound(inside, other, [size, size], delta, CHOOSING) - epsilon
                    place = int(np.argmax(lowers))
                    if best is None or lowers[place] > excess:
                        best, excess = cls(order[: place + 1], likelier, epsilon, delta), lowers[place]
        assert best is not None
        return best

    def judge(self, counts: list[np.ndarray], runs: int, confidence: float) -> AuditResult:
        """The verdict on runs that the choice has not seen."""
        sizes = [int(count.sum()) for count in (counts[self.likelier], counts[1 - self.likelier])]
        inside, other = (counts[side][self.event].sum() for side in (self.likelier, 1 - self.likelier))
        lower = max(0.0, float(_epsilon_lower_bound(np.array(inside), np.array(other), sizes, self.delta, confidence)))
        return AuditResult(
            holds=lower <= self.epsilon,
            lower=lower,
            epsilon=self.epsilon,
            delta=self.delta,
            chances=(float(inside / sizes[0]), float(other / sizes[1])),
            runs=runs,
            confidence=confidence,
        )


def _epsilon_lower_bound(
    inside: np.ndarray, other: np.ndarray, sizes: list[int], delta: float, confidence: float
) -> np.ndarray:
    """The bound ln((P̲ − δ)/P̄′) with an error of (1 − confidence)/2 in each binomial bound; −∞ where it says nothing."""
    from scipy.stats import beta

    error = (1 - confidence) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.where(inside > 0, beta.ppf(error, inside, sizes[0] - inside + 1), 0.0)
        most = np.where(other < sizes[1], beta.ppf(1 - error, other + 1, sizes[1] - other), 1.0)
        return np.where(least > delta, np.log(np.maximum(least - delta, 1e-300) / most), -np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Intervals between edges for numbers; one cell for each outcome that was seen, and one for others, for anything else."""

    edges: np.ndarray | None
    kinds: dict[Hashable, int]

    @classmethod
    def of(cls, samples: list[Sequence[Any]]) -> Cells:
        """Cells from outcomes on both data sets."""
        if all(isinstance(outcome, Real) for sample in samples for outcome in sample):
            pooled = np.concatenate([np.asarray(sample, float) for sample in samples])
            tails = np.geomspace(1 / len(pooled), 1 / BODY, TAIL)
            shares = np.concatenate([[0], tails, np.linspace(0, 1, BODY), 1 - tails, [1]])
            return cls(np.unique(np.quantile(pooled[~np.isnan(pooled)], shares, method="inverted_cdf")), {})
        seen = dict.fromkeys(_hashable_outcome(outcome) for sample in samples for outcome in sample)
        return cls(None, {kind: number for number, kind in enumerate(seen)})

    @property
    def size(self) -> int:
        """How many cells."""
        return (len(self.kinds) if self.edges is None else len(self.edges)) + 1

    def counts(self, sample: Sequence[Any]) -> np.ndarray:
        """How many outcomes are in each cell."""
        if self.edges is not None:
            found = np.searchsorted(self.edges, np.asarray(sample, float), "left")
        else:
            found = np.array([self.kinds.get(_hashable_outcome(outcome), len(self.kinds)) for outcome in sample])
        return np.bincount(found, minlength=self.size)

    def orders(self, likelier: np.ndarray, other: np.ndarray) -> Iterator[np.ndarray]:
        """Orders of the cells whose beginnings are events: by the ratio of counts, and of numbers the two tails."""
        yield np.argsort(-np.log((likelier + 0.5) / (other + 0.5)), kind="stable")
        if self.edges is not None:
            yield np.arange(self.size)
            yield np.arange(self.size)[::-1]


def _hashable_outcome(outcome: Any) -> Hashable:
    return outcome if isinstance(outcome, Hashable) else repr(outcome)
