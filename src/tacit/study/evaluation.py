"""What came of one candidate, as plain values that a database keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from ..loss.score import WeightedMeasure
from .front import Place, dominates

DECIDED = "stopped: another candidate that will do has less risk and less loss"
INSIDE = "an error inside: "
"""How the reason begins when the error was not ours to explain: the memory may have been used up, say."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that was found: a loss, a measure of risk, or what an attack found towards a kind of risk."""

    axis: Literal["loss", "risk"]
    kind: str
    value: float
    attack: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The figures of a candidate in the order in which they were found, and the verdict on every requirement.

    ``state`` is done; stopped, when the figures so far told that another candidate is better in everything; or failed, with
    the reason in ``why``.
    """

    state: Literal["done", "stopped", "failed"]
    figures: tuple[Figure, ...] = ()
    verdicts: tuple[Mapping[str, Any], ...] = ()
    why: str | None = None
    seconds: float = 0.0

    @property
    def risks(self) -> dict[str, float]:
        """Kind of risk → share; of several attacks the worst counts."""
        return _largest_by_kind(self.figures, "risk")

    @property
    def losses(self) -> dict[str, float]:
        """Measure of loss → its number."""
        return _largest_by_kind(self.figures, "loss")

    @property
    def attacks(self) -> dict[str, float]:
        """Attack → the share that it found."""
        return {figure.attack: figure.value for figure in self.figures if figure.attack is not None}

    @property
    def holds(self) -> bool | None:
        """Whether every requirement holds; None when nobody knows."""
        return all(verdict["holds"] for verdict in self.verdicts) if self.state == "done" else None

    @property
    def is_reproducible(self) -> bool:
        """Whether the same would be found again; an error that nobody foresaw may have been the machine's."""
        return not (self.why or "").startswith(INSIDE)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @staticmethod
    def of_json(given: Mapping[str, Any]) -> Evaluation:
        """What :meth:`as_json` gave."""
        figures = tuple(Figure(**figure) for figure in given["figures"])
        return Evaluation(**{**given, "figures": figures, "verdicts": tuple(given["verdicts"])})


def risk_share(kind: str, found: float) -> float:
    r"""What attacks found towards a kind of risk, as a share in which 0 is nothing and 1 is everything.

    Membership is found as an area under the ROC curve, of which guessing has one half. It counts by what is above that,
    :math:`\\max(0, 2\\,\\mathrm{AUC} - 1)`, so that a release that tells nothing has no risk. All others count as they are.

    >>> risk_share("membership", 0.75), risk_share("membership", 0.4), risk_share("reidentification", 0.4)
    (0.5, 0.0, 0.4)
    """
    return min(1.0, max(0.0, 2 * found - 1 if kind == "membership" else found))


def place_of(figures: Iterable[Figure], risk: Iterable[WeightedMeasure], loss: Iterable[WeightedMeasure]) -> Place:
    """Risk and loss as one number each, the weighted means of their parts; what is not known yet counts as none."""
    known = tuple(figures)
    return _weighted_mean(_largest_by_kind(known, "risk"), risk), _weighted_mean(_largest_by_kind(known, "loss"), loss)


def stop_when_dominated(
    found: Evaluation, rivals: Sequence[Place], *, risk: Sequence[WeightedMeasure], loss: Sequence[WeightedMeasure]
) -> Evaluation:
    """The evaluation as it is when it stops at the first figure that decides it: a rival is better in everything.

    Risk and loss only grow with every further figure, so that the rest could not change the decision. An evaluation that
    was made to the end is cut at the same figure as one that stopped there, so that both give the same study.
    """
    if found.state == "failed" or not rivals:
        return found
    for count in range(1, len(found.figures) + 1):
        place = place_of(found.figures[:count], risk, loss)
        if any(dominates(rival, place) for rival in rivals):
            return replace(found, state="stopped", figures=found.figures[:count], verdicts=(), why=DECIDED)
    return found


def _largest_by_kind(figures: Iterable[Figure], axis: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for figure in figures:
        if figure.axis == axis:
            found[figure.kind] = max(found.get(figure.kind, 0.0), figure.value)
    return found


def _weighted_mean(parts: Mapping[str, float], weighed: Iterable[WeightedMeasure]) -> float:
    weights = list(weighed)
    return sum(one.weight * parts.get(one.name, 0.0) for one in weights) / sum(one.weight for one in weights)
