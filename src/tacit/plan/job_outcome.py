"""What every job leaves: a verdict, what it rests on, the files to write, and one shape of ``result.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..json_text import spell_infinity, to_plain_values
from .coverage import Gap, IntruderConsidered, State, state_of
from .result_schema import VERSION, JobKind, JobResult

if TYPE_CHECKING:
    from ..attack.runner import AttackResult
    from ..models.verdict import Verdict
    from ..release.trace import Trace
    from ..result import Result
    from .register import EarlierAttempts, Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFile:
    """A file of a job: its name inside ``public/`` or ``internal/``, and what writes it to a path."""

    name: str
    write: Callable[[Path], object]


def text_file(name: str, text: str) -> JobFile:
    """A file with a text."""
    return JobFile(name=name, write=lambda path: path.write_text(text, encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobOutcome:
    """The whole of a job, whatever it is about; each kind adds what it alone has.

    ``verdicts`` are one for each requirement. ``gaps`` are what discloses and no requirement covers, ``intruders`` whom the
    verdict is about; a ``strict`` job publishes nothing while there is a gap. ``before`` and ``after`` are measures of the
    original and of the release, ``losses`` what its users lose. ``attempts`` says how often the same was tried before in the
    same folder, which the register knows by ``fingerprint``. ``seed`` and everything about single records are internal.
    """

    title: str
    verdicts: tuple[Verdict, ...] = ()
    gaps: tuple[Gap, ...] = ()
    intruders: tuple[IntruderConsidered, ...] = ()
    before: tuple[Result, ...] = ()
    after: tuple[Result, ...] = ()
    losses: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()
    strict: bool = False
    plan: Mapping[str, Any] = field(default_factory=dict)
    plan_text: str = ""
    seed: int | bytes | None = None
    repeatable: bool = False
    seconds: float = 0.0
    fingerprint: Fingerprint | None = None
    attempts: EarlierAttempts | None = None

    @property
    def kind(self) -> JobKind:
        """What the job is about."""
        raise NotImplementedError

    @property
    def holds(self) -> bool:
        """Whether every requirement is met."""
        return all(verdict.holds for verdict in self.verdicts)

    @property
    def state(self) -> State:
        """``met``, ``not_covered`` (all requirements are met, and there are gaps) or ``not_met``; see :mod:`tacit.plan.coverage`."""
        return state_of(self.verdicts, self.gaps)

    @property
    def passes(self) -> bool:
        """Whether the gate lets it through: every requirement is met and, in a strict job, nothing is left uncovered."""
        return self.holds and (self.state == "met" or not self.strict)

    @property
    def is_release(self) -> bool:
        """Whether there is something to publish; an audit releases nothing."""
        return True

    @property
    def trace(self) -> tuple[Trace, ...]:
        """What was done, step by step; each step knows what of it may be published."""
        return ()

    @property
    def attacks_on_release(self) -> tuple[AttackResult, ...]:
        """Every attack of the declared intruder on the release."""
        return ()

    def check_publishable(self) -> None:
        """Raise an error when the outcome cannot be published, because its staged files are gone."""

    def public_files(self) -> Iterator[JobFile]:
        """The data that are published, without the page and the trace beside them."""
        yield from ()

    def internal_files(self) -> Iterator[JobFile]:
        """What this kind of job keeps for internal eyes beside page, result, plan and seed."""
        yield from ()

    def discard_staged(self) -> None:
        """Remove what was staged for publication."""

    def attack_entries(self) -> Iterator[dict[str, Any]]:
        """Every attack for ``result.json``: on which file, in whose name, and what it found."""
        yield from ()

    def details(self) -> dict[str, Any]:
        """What only this kind of job has in ``result.json``."""
        return {}

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``, as ``docs/result.schema.json`` says; nothing per record, no seed."""
        result = {
            "version": VERSION,
            "kind": self.kind,
            "title": self.title,
            "state": self.state,
            "holds": self.holds,
            "strict": self.strict,
            "repeatable": self.repeatable,
            "seconds": self.seconds,
            "requirements": [verdict.as_json() for verdict in self.verdicts],
            "gaps": [gap.as_json() for gap in self.gaps],
            "intruders": [intruder.as_json() for intruder in self.intruders],
            "attempts": None if self.attempts is None else self.attempts.as_json(),
            "attacks": list(self.attack_entries()),
            "measures": [
                {"of": of, **result.as_json()}
                for of, results in (("original", self.before), ("release", self.after))
                for result in results
            ],
            "losses": [result.as_json() for result in self.losses],
            "notes": self.notes,
            "trace": [step.as_json(public=False) for step in self.trace],
            "details": self.details(),
        }
        plain: dict[str, Any] = to_plain_values(spell_infinity(result))
        JobResult.model_validate(plain)
        return plain
