"""The ledger checked line by line, with the entries alone: nothing that was summed up before is believed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from ...errors import TacitError
from .caps import GRID
from .entry import START, Entry


@dataclass(frozen=True, slots=True)
class LedgerVerification:
    """What a walk over the chain found: how many lines, the hash of the last, and the first broken line, if any.

    Whoever notes ``head`` today can tell tomorrow that no line up to it was changed, or taken away at the end.
    """

    lines: int
    head: str
    broken: int | None = None
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether every line is as it was written."""
        return self.broken is None

    def as_json(self) -> dict[str, object]:
        """Its parts, and ``holds``."""
        found = {"holds": self.holds, "lines": self.lines, "head": self.head}
        return found if self.holds else found | {"broken": self.broken, "problem": self.problem}


@dataclass(slots=True)
class _ChainState:
    """What must be known of the lines before to judge the next."""

    number: int = 0
    head: str = START
    noted: str | None = None
    totals: dict[tuple[str, str, str], tuple[Fraction, Fraction]] = field(
        default_factory=lambda: defaultdict(lambda: (Fraction(0), Fraction(0)))
    )
    charges: dict[int, tuple[str, ...]] = field(default_factory=dict)
    answered: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def find_problem(self, entry: Entry) -> str:
        """What is wrong with the next line; nothing when it is right."""
        if entry.number != self.number + 1:
            return "a line is missing before it"
        if entry.previous != self.head:
            return "it does not continue the line before it"
        if entry.hash != entry.compute_hash():
            return "it is not what was written"
        return self._check_charge(entry) if entry.kind == "charge" else self._check_answer(entry)

    def _check_charge(self, entry: Entry) -> str:
        cost, told = json.loads(entry.cost), json.loads(entry.totals)
        names = {"dataset": "", "project": entry.project, "account": entry.account}
        for scope, name in names.items():
            before, small = self.totals[entry.dataset, scope, name]
            amount, delta = before + Fraction(cost["amount"]), small + Fraction(cost["delta"])
            now = Fraction(told[scope]["amount"]), Fraction(told[scope]["delta"])
            if now not in ((amount, delta), (_next_on_grid(before) + Fraction(cost["amount"]), delta)):
                return f"its total of the {scope} is not the sum of the charges"
            self.totals[entry.dataset, scope, name] = now
        self.charges[entry.number] = _shared_fields(entry)
        return ""

    def _check_answer(self, entry: Entry) -> str:
        if entry.kind in ("refusal", "reopening"):
            return "" if entry.charge == 0 else f"a {entry.kind} belongs to no charge"
        if entry.kind == "repeat":
            return "" if self.answered.get(entry.charge) == _shared_fields(entry)[2:] else "it repeats no answer"
        same = self.charges.pop(entry.charge, None)
        if same != _shared_fields(entry):
            return "it belongs to no open charge"
        if entry.kind == "answer":
            self.answered[entry.charge] = same[2:]
        return ""


def _next_on_grid(amount: Fraction) -> Fraction:
    """The total as the next charge took it: a ledger from before the grid may hold other fractions."""
    return Fraction(-(-amount * GRID // 1), GRID)


def _shared_fields(entry: Entry) -> tuple[str, ...]:
    """What a charge and its answer have in common."""
    return entry.account, entry.project, entry.dataset, entry.version, entry.mode, entry.digest, entry.question


def verify_chain(entries: Iterable[Entry], head: str | None = None) -> LedgerVerification:
    """Walk over the lines and stop at the first that is broken; ``head``: a hash noted earlier that must occur.

    The hash of a line covers all its fields and the hash before it, so a change anywhere is found at that line unless all
    lines after it are forged too; that is found by a noted head. Totals are summed anew, answers must belong to a
    charge that has none yet. A total of a ledger from before the grid of
    amounts was rounded up to it once. O(n) time; memory for the charges.
    """
    walk, seen = _ChainState(), head is None or head == START
    for entry in entries:
        if problem := _check_entry(walk, entry):
            return LedgerVerification(walk.number, walk.head, walk.number + 1, problem)
        walk.number, walk.head = entry.number, entry.hash
        seen = seen or entry.hash == head
    if not seen:
        return LedgerVerification(
            walk.number, walk.head, walk.number + 1, "the noted head is not in the chain: lines are missing"
        )
    return LedgerVerification(walk.number, walk.head)


def _check_entry(walk: _ChainState, entry: Entry) -> str:
    """The problem of a line; one whose parts cannot even be read is a problem too."""
    try:
        return walk.find_problem(entry)
    except (ValueError, KeyError, TypeError, AttributeError, TacitError, ZeroDivisionError):
        return "it cannot be read"
