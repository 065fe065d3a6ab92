"""What a job on a network found: the verdict, the protected network, the attacks on it and what was lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..coverage import Gap, IntruderConsidered, State, state_of

if TYPE_CHECKING:
    from ...attack.runner import AttackResult
    from ...graphs.graph import Graph
    from ...graphs.masked import MaskedGraph
    from ...models.verdict import Verdict
    from ...result import Result
    from ..register import EarlierAttempts, Fingerprint
    from .stronger_intruders import MeasuredIntruder


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphOutcome:
    """The whole of a job on a network.

    ``masked`` is the protected network with its trace and lineage; ``files`` what would be published, by name, byte for
    byte as it was judged. ``verdicts`` are on the network as it was read again; ``bare`` and ``attacks`` what attacks find in the
    original under new numbers and in the release, ``stronger`` what intruders find there who know more than the declared
    one; ``before`` and ``after`` measures of both. Everything but ``files`` and the public trace is for internal eyes.
    ``gaps`` say what the requirements do not cover, ``intruders`` whom the verdict is about; a ``strict`` job releases
    nothing while there is a gap. ``attempts`` says how often the same was tried before in the same folder, which the
    register knows by ``fingerprint``.
    """

    title: str
    original: Graph
    masked: MaskedGraph
    verdicts: tuple[Verdict, ...]
    attacks: tuple[AttackResult, ...]
    bare: tuple[AttackResult, ...] = ()
    stronger: tuple[MeasuredIntruder, ...] = ()
    intruders: tuple[IntruderConsidered, ...] = ()
    before: tuple[Result, ...] = ()
    after: tuple[Result, ...] = ()
    losses: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()
    plan: Mapping[str, Any] = field(default_factory=dict)
    plan_text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    seed: int | bytes | None = None
    repeatable: bool = False
    seconds: float = 0.0
    gaps: tuple[Gap, ...] = ()
    strict: bool = False
    fingerprint: Fingerprint | None = None
    attempts: EarlierAttempts | None = None

    @property
    def holds(self) -> bool:
        """Whether every requirement is met; what no requirement covers stands in ``gaps``."""
        return bool(self.verdicts) and all(verdict.holds for verdict in self.verdicts)

    @property
    def state(self) -> State:
        """``met``, ``not_covered`` (met, with gaps) or ``not_met``."""
        return state_of(self.verdicts, self.gaps)

    @property
    def passes(self) -> bool:
        """Whether the gate lets it through: every requirement is met and, in a strict job, nothing is left uncovered."""
        return self.holds and (self.state == "met" or not self.strict)

    @property
    def worst(self) -> AttackResult | None:
        """The attack with the highest upper end of its interval."""
        made = [one for one in self.attacks if one.result is not None]
        return max(made, key=lambda one: one.result.worst_case, default=None)  # type: ignore[union-attr]

    @property
    def trace(self) -> list[dict[str, Any]]:
        """What may be told of the protection, step by step."""
        return [step.as_json(public=True) for step in self.masked.trace]

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``; nothing about single nodes."""
        return {
            "title": self.title,
            "holds": self.holds,
            "state": self.state,
            "gaps": [gap.as_json() for gap in self.gaps],
            "attempts": None if self.attempts is None else self.attempts.as_json(),
            "strict": self.strict,
            "intruders": [one.as_json() for one in self.intruders],
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
            "nodes": {"before": self.original.size, "after": self.masked.graph.size},
            "edges": {"before": self.original.links, "after": self.masked.graph.links},
            "steps": [step.as_json(public=False) for step in self.masked.trace],
            "attacks": [one.as_json() for one in self.attacks],
            "attacks on the original": [one.as_json() for one in self.bare],
            "stronger intruders": [one.as_json() for one in self.stronger],
            "before": [one.as_json() for one in self.before],
            "after": [one.as_json() for one in self.after],
            "losses": [one.as_json() for one in self.losses],
            "notes": list(self.notes),
            "repeatable": self.repeatable,
            "seconds": self.seconds,
        }
