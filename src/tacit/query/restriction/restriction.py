"""The decision about a question, from the public part and earlier questions alone: it has no way to the data.

The argument for each rule stands beside it: ``set_size.md``, ``overlap.md``, ``sum_audit.md``; that refusals tell
nothing, and what versions mean, in ``restriction.md``.

A prime that nobody can know beforehand.

The audit computes modulo a prime p and errs only when p divides a certain whole number that the questions decide (see
``sum_audit.md``). Whoever knew p could choose questions that make it do so; of a prime drawn by the operating system
among the 1.6·10¹³ between 2⁴⁹ and 2⁵⁰ nobody can.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..atoms import Labels
from ..column import Schema
from ..identities import Identity
from ..mode import PastQueries
from ..question import Aggregate, Question
from ..refusal import Refusal
from ..units import confidential_columns
from .public import Group, PublicClasses
from .rules import Rules
from .sum_audit import SumAudit

BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)

KEPT = 50_000_000
"""The most numbers that the audit of a column keeps; 400 MB."""

STEPS = 2_000_000_000
"""The most steps of one decision; a few seconds. Both limits depend on questions and the public part alone."""

Counts = npt.NDArray[np.int64]


@runtime_checkable
class AccountPast(Protocol):
    """A past that knows which account asks now; without it, all accounts are audited as one."""

    account: str


class Restriction:
    """Rules over the public part; what it remembers of the past can always be had again from the past itself."""

    def __init__(self, public: PublicClasses, rules: Rules, identities: Sequence[Identity] = ()) -> None:
        self._public, self._rules, self._prime = public, rules, drawn_prime()
        self._systems = _identity_systems(public.schema, identities)
        self._units = _unknown_units(public, rules)
        self._seen = 0
        self._answered: dict[tuple[str, tuple[str, ...]], AuditState] = {}

    @property
    def rules(self) -> Rules:
        """What the owner decided."""
        return self._rules

    def check(self, question: Question) -> None:
        """Refuse what this mode does not offer, whatever was asked before. O(atoms · pieces of the condition)."""
        for one in question.aggregates:
            self._check_aggregate(one)
        self._public.groups(question)

    def decide(self, question: Question, past: PastQueries) -> None:
        """Refuse what must not be answered. O(groups · rank · cells) for each confidential column."""
        self.check(question)
        self._replay_charges(past)
        sets = [self._unknown_members(members) for _, members in self._public.groups(question)]
        columns = self._confidential_sums(question)
        if columns or not question.by:
            check_size(
                [int(self._units[chosen].sum()) for chosen in sets], self._count_units(question), self._rules.least
            )
        for system in {self._systems[column].columns: self._systems[column] for column in columns}.values():
            asked = [system.columns.index(column) for column in columns if column in system.columns]
            self._audit_state(self._audited_account(past), system).check(sets, self._rules, asked)

    def catch_up(self, past: PastQueries) -> None:
        """Take in what was charged before, when the service starts: a long history would hold up the first question."""
        self._replay_charges(past)

    def listed_groups(self, question: Question) -> list[Group]:
        """The groups that an answer lists: those that are large enough."""
        everybody, least = self._count_units(question), self._rules.least
        return [
            (key, members)
            for key, members in self._public.groups(question)
            if large_enough(int(self._units[members].sum()), everybody, least)
        ]

    def _check_aggregate(self, one: Aggregate) -> None:
        if one.what not in ("count", "units", "sum", "mean"):
            raise Refusal(
                "mode",
                f"{one.what} is not offered: next to exact sums it would tell what no audit of sums can see",
                fix="ask for COUNT, SUM or AVG",
            )
        if one.column:
            column = self._public.schema.column(one.column)
            column.bounds()
            if not column.is_numeric:
                raise Refusal("mode", "is no number and cannot be summed", column=one.column, fix="ask COUNT(*)")

    def _confidential_sums(self, question: Question) -> tuple[str, ...]:
        columns = {one.column for one in question.aggregates if one.what in ("sum", "mean")}
        return tuple(sorted(name for name in columns if self._public.schema.column(name).confidential))

    def _count_units(self, question: Question) -> int:
        _, place = self._public.versions[question.version]
        return int(self._units[place >= 0].sum())

    def _unknown_members(self, members: Labels) -> Labels:
        return members[self._units[members] > 0]

    def _audited_account(self, past: PastQueries) -> str:
        return past.account if self._rules.per_account and isinstance(past, AccountPast) else ""

    def _audit_state(self, account: str, system: _IdentitySystem) -> AuditState:
        found = self._answered.get((account, system.columns))
        if found is None:
            return AuditState.empty(self._units, self._prime, width=len(system.columns), ties=system.ties)
        return found

    def _replay_charges(self, past: PastQueries) -> None:
        """Take in what was charged since the last look; charged counts as answered."""
        for number, account, question in past.since(self._seen):
            for name in {""} | ({account} if self._rules.per_account else set()):
                self._take_in(question, name)
            self._seen = number

    def _take_in(self, question: Question, account: str) -> None:
        schema, counted = self._public.schema, ("count", "units")
        touched = {one.column for one in question.aggregates if one.what not in counted}
        touched |= {*question.where.columns, *(key.column for key in question.by)}
        for column in sorted(touched):
            declared = schema.columns.get(column)
            if declared is not None and declared.confidential:
                system = self._systems.get(column) or _IdentitySystem((column,), ())
                self._answered[account, system.columns] = self._with_question(
                    self._audit_state(account, system), question, system, column
                )

    def _with_question(self, state: AuditState, question: Question, system: _IdentitySystem, column: str) -> AuditState:
        try:
            self.check(question)
        except Refusal:  # what this mode would not answer now was answered by another: nobody knows what follows
            return state.without_account()
        sets = [self._unknown_members(members) for _, members in self._public.groups(question)]
        return state.with_sums(sets, [system.columns.index(column)])


@dataclass(frozen=True, slots=True)
class _IdentitySystem:
    """Columns that identities tie to each other, and the coefficients of these."""

    columns: tuple[str, ...]
    ties: tuple[tuple[int, ...], ...]


def _identity_systems(schema: Schema, identities: Sequence[Identity]) -> dict[str, _IdentitySystem]:
    """Each confidential number → the system in which it is audited; one that nothing ties to others is a system of its own."""
    groups = [{name} for name in confidential_columns(schema)]
    for one in identities:
        met = [group for group in groups if group & set(one.terms)]
        groups = [group for group in groups if group not in met] + [set().union(*met)]
    found: dict[str, _IdentitySystem] = {}
    for group in groups:
        columns = tuple(sorted(group))
        ties = tuple(tuple(one.terms.get(c, 0) for c in columns) for one in identities if set(one.terms) <= group)
        found |= dict.fromkeys(columns, _IdentitySystem(columns, ties))
    return found


def _unknown_units(public: PublicClasses, rules: Rules) -> Labels:
    """The units of each class, none where their values count as known: such a class is in no equation."""
    units = public.units.copy()
    for atoms, place in public.versions.values():
        if rules.known is not None:
            units[(place >= 0) & atoms.select(rules.known)[place]] = 0
    return units


def large_enough(units: int, everybody: int, least: int) -> bool:
    """Whether a set of so many units may be asked about: at least ``least`` of them, and none or ``least`` left out.

    >>> [large_enough(units, 20, 5) for units in (0, 4, 5, 15, 16, 19, 20)]
    [False, False, True, True, False, False, True]
    """
    return units >= least and (units == everybody or units <= everybody - least)


def check_size(sizes: list[int], everybody: int, least: int) -> None:
    """Refuse when one of the sets is too small or too large; how many of them are is all that it says."""
    short = sum(not large_enough(units, everybody, least) for units in sizes)
    if not short:
        return
    if len(sizes) == 1:
        raise Refusal(
            "small_set",
            f"the question is about fewer than {least} units, or about all but fewer than {least}",
            fix="ask about more units, or about everybody",
        )
    raise Refusal(
        "small_set",
        f"{short} of {len(sizes)} groups have fewer than {least} units, or all but fewer than {least}",
        fix="take wider groups, or leave those out that COUNT with the same keys does not list",
    )


def is_prime(number: int) -> bool:
    """Whether it is a prime: Miller and Rabin's test, which with these twelve bases is a proof below 3.1·10²³.

    References
    ----------
    Sorenson and Webster (2017), Strong pseudoprimes to twelve prime bases, Mathematics of Computation 86, 985–1003.

    >>> [n for n in range(30) if is_prime(n)], is_prime(2**61 - 1), is_prime(3215031751)
    ([2, 3, 5, 7, 11, 13, 17, 19, 23, 29], True, False)
    """
    if number < 2 or any(number % base == 0 for base in BASES):
        return number in BASES
    twos = ((number - 1) & -(number - 1)).bit_length() - 1
    return all(_passes_miller_rabin(number, base, twos) for base in BASES)


def _passes_miller_rabin(number: int, base: int, twos: int) -> bool:
    power = pow(base, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def drawn_prime() -> int:
    """A prime between 2⁴⁹ and 2⁵⁰, each as likely as any other, from the operating system's source."""
    while not is_prime(found := 2**49 + secrets.randbelow(2**49)):
        pass
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditState:
    """The audit, the sets (a row each), their units and column; ``lost``: something was answered that cannot be audited. A value."""

    audit: SumAudit
    sets: npt.NDArray[np.bool_]
    sizes: Labels
    about: Labels
    lost: bool = False

    @classmethod
    def empty(cls, units: Labels, prime: int, *, width: int = 1, ties: tuple[tuple[int, ...], ...] = ()) -> AuditState:
        """No answer yet about ``width`` columns that identities tie to each other."""
        audit = SumAudit.empty(units, prime, width=width, ties=ties)
        none = np.zeros(0, np.int64)
        return cls(audit=audit, sets=np.zeros((0, len(units)), bool), sizes=none, about=none)

    def with_sums(self, sets: Sequence[Labels], columns: Sequence[int] = (0,)) -> AuditState:
        """After sums of some columns over some more sets."""
        found = self
        for column in columns:
            found = found._with_column_sums(sets, column)
        return found

    def _with_column_sums(self, sets: Sequence[Labels], column: int) -> AuditState:
        rows = np.zeros((len(sets), self.sets.shape[1]), bool)
        for row, chosen in zip(rows, sets, strict=True):
            row[chosen] = True
        sizes = np.array([self._count_units(chosen) for chosen in sets], np.int64)
        return replace(
            self,
            audit=self.audit.with_sums(sets, column),
            sets=np.vstack([self.sets, rows]),
            sizes=np.concatenate([self.sizes, sizes]),
            about=np.concatenate([self.about, np.full(len(sets), column)]),
        )

    def without_account(self) -> AuditState:
        """After an answer of which nobody knows what it was about."""
        return replace(self, lost=True)

    def check(self, sets: Sequence[Labels], rules: Rules, columns: Sequence[int] = (0,)) -> None:
        """Refuse sums of some columns over these sets if, with what was answered, they would tell too much."""
        if self.lost:
            raise _unknown_past()
        self._check_work(len(sets) * len(columns))
        for column in columns:
            same = self.about == column
            for chosen in sets:
                size, common = self._count_units(chosen), in_common(chosen, self.sets[same], self.audit.units)
                check_difference(size, self.sizes[same], common, rules.least)
                if rules.overlap is not None:
                    check_overlap(size, self.sizes[same], common, rules.overlap)
        after = self.audit
        for column in columns:
            after = after.with_sums(sets, column)
        exposed = after.exposed_sets(rules.least)
        if exposed and exposed - self.audit.exposed_sets(rules.least):
            raise Refusal(
                "would_disclose",
                f"together with earlier answers it would determine the sum of fewer than {rules.least} units",
                fix="ask about other or wider groups; earlier answers can be read again",
            )

    def _count_units(self, chosen: Labels) -> int:
        return int(self.audit.units[chosen].sum())

    def _check_work(self, count: int) -> None:
        """Refuse what cannot be audited in reasonable time and memory."""
        (rank, cells), (earlier, atoms) = self.audit.space.rows.shape, self.sets.shape
        kept = (rank + count) * min(atoms, cells * (count + 1)) + (earlier + count) * atoms // 8
        if kept > KEPT or count * kept > STEPS:
            raise Refusal(
                "too_complex",
                f"the audit of {count} more sums after {earlier} earlier ones would take too long",
                fix="ask for fewer groups; the owner of the data may declare fewer or coarser columns",
            )


def _unknown_past() -> Refusal:
    return Refusal(
        "would_disclose",
        "earlier answers about this column cannot be audited: another version, mode or declaration was in force",
        fix="the owner of the data gives the earlier version too, or offers the column under a new name of the data set",
    )


def in_common(chosen: Labels, earlier: npt.NDArray[np.bool_], units: Labels) -> Counts:
    """Units that a set of atoms shares with each earlier one (a row each). O(earlier · atoms)."""
    from ...kernels.overlaps import overlap_weights

    weights = np.zeros(len(units), np.int64)
    weights[chosen] = units[chosen]
    found: Counts = overlap_weights(earlier, weights)
    return found


def check_overlap(size: int, sizes: Counts, common: Counts, most: int) -> None:
    """Refuse a set that has more than ``most`` units in common with an earlier one; the same set again is nothing new."""
    same = (common == size) & (sizes == size)
    if bool(((common > most) & ~same).any()):
        raise Refusal(
            "overlap",
            f"more than {most} units are also in a set that was asked about before",
            fix="ask about other units, or read the earlier answer again",
        )


def check_difference(size: int, sizes: Counts, common: Counts, least: int) -> None:
    """Refuse a set that lies within an earlier one, or around it, and differs from it by fewer than ``least`` units."""
    nested = (common == size) | (common == sizes)
    apart = size + sizes - 2 * common
    if bool((nested & (apart > 0) & (apart < least)).any()):
        raise Refusal(
            "small_set",
            f"fewer than {least} units make the difference to a set that was asked about before",
            fix="ask about a set that differs by more units",
        )
