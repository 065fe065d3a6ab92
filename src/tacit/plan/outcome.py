"""What a run found: the verdict first, and everything that a reader needs to check it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..release.scratch import remove_private_folder
from .privacy import PrivacyGuarantee

if TYPE_CHECKING:
    from ..attack.runner import AttackResult
    from ..models.verdict import Verdict
    from ..release.masked import Masked
    from ..release.release import Release
    from ..result import Result
    from ..risk.disclosure_curve import DisclosureCurve
    from ..risk.joint_uniqueness import JointUniqueness
    from .coverage import Gap, IntruderConsidered, State
    from .engine import EngineUse
    from .register import EarlierAttempts, Fingerprint
    from .synthesis import Synthesis


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Staged:
    """The masked file, or several synthetic ones, as they will be published, in a folder that the publisher moves; it goes with this object at last."""

    folder: Path
    files: tuple[Path, ...]

    def __post_init__(self) -> None:
        weakref.finalize(self, remove_private_folder, self.folder)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """The whole of a release job, or of an audit (then there is no ``masked``, attack, loss or staged file).

    ``attacks`` are those on identities, ``learnt`` those on values, one for each confidential column, ``presence`` those that
    tell who is in the data or single somebody out; ``curve`` says how near the released confidential numbers are to the true
    ones. ``gaps`` are what discloses and no requirement covers, ``intruders`` whom the verdict is about; ``unprotected``
    is how far the columns that no role protects single records out together; a ``strict`` job
    releases nothing while there is a gap. ``synthesis`` is what is special about a synthetic release, which may be of several files
    (``masked`` is the first). ``before`` and ``after`` hold the same risk measures on the original and on the re-read masked file. ``seed``,
    ``masked.lineage`` and everything per record are for the internal report only. ``engine`` says where the
    data were held, and what could not be done there; ``attempts`` how often
    the same was tried before in the same folder, which the register knows by ``fingerprint``.
    """

    title: str
    original: Release
    masked: Masked | None
    verdicts: tuple[Verdict, ...]
    before: tuple[Result, ...]
    after: tuple[Result, ...] = ()
    attacks: tuple[AttackResult, ...] = ()
    learnt: tuple[AttackResult, ...] = ()
    presence: tuple[AttackResult, ...] = ()
    curve: DisclosureCurve | None = None
    losses: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    unprotected: JointUniqueness | None = None
    intruders: tuple[IntruderConsidered, ...] = ()
    strict: bool = False
    synthesis: Synthesis | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)
    plan_text: str = ""
    staged: Staged | None = None
    seed: int | bytes | None = None
    repeatable: bool = False
    missing_codes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    seconds: float = 0.0
    engine: EngineUse | None = None
    fingerprint: Fingerprint | None = None
    attempts: EarlierAttempts | None = None

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return all(verdict.holds for verdict in self.verdicts)

    @property
    def state(self) -> State:
        """``met``, ``not_covered`` (all requirements hold, and there are gaps) or ``not_met``; see :mod:`tacit.plan.coverage`."""
        from .coverage import state_of

        return state_of(self.verdicts, self.gaps)

    @property
    def passes(self) -> bool:
        """Whether the gate lets it through: every requirement holds and, in a strict job, nothing is left uncovered."""
        return self.holds and (self.state == "met" or not self.strict)

    @property
    def guarantee(self) -> PrivacyGuarantee | None:
        """The guarantee of differential privacy of all that is released, if there is one."""
        return PrivacyGuarantee.of(self.masked)

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``; no per-record vectors, no seed."""
        return {
            "title": self.title,
            "state": self.state,
            "holds": self.holds,
            "strict": self.strict,
            "gaps": [gap.as_json() for gap in self.gaps],
            "unprotected": None if self.unprotected is None else self.unprotected.as_json(),
            "intruders": [intruder.as_json() for intruder in self.intruders],
            "engine": None if self.engine is None else self.engine.as_json(),
            "attempts": None if self.attempts is None else self.attempts.as_json(),
            "records": {"original": self.original.size, "masked": self.masked.release.size if self.masked else None},
            "roles": dict(self.original.roles),
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
            "before": [result.as_json() for result in self.before],
            "after": [result.as_json() for result in self.after],
            "attacks": [attacked.as_json() for attacked in (*self.attacks, *self.learnt, *self.presence)],
            "interval disclosure": [] if self.curve is None else self.curve.as_json(),
            "losses": [result.as_json() for result in self.losses],
            "notes": list(self.notes),
            **({} if self.synthesis is None else {"synthesis": self.synthesis.as_json()}),
            "trace": [step.as_json(public=False) for step in self.masked.trace] if self.masked else [],
            "repeatable": self.repeatable,
            "seconds": self.seconds,
        }
