"""The ledger: an append-only chain of what was asked, charged, answered and refused.

Failures of an engine, counted: a data set that fails again and again answers nothing new until its owner reopens it.

No engine error depends on the data (``engines/overflow.md``). If that is ever wrong, each failure tells a little, and what
it tells is bounded by the number of failures rather than by what is left of a budget.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

from ...dp.cost import Cost
from ...errors import TacitError
from ..answer import Answer
from ..mode import PastQueries
from ..question import Question
from ..refusal import Refusal
from .caps import GRID, Cap, Scope, add_costs, check_caps, on_grid, total_spent
from .entry import START, Entry, Kind, LedgerSubject, canonical_json
from .lines import SELECT, append_entry, read_line
from .store import SECRET, TABLE, Rows, Store, busy_error, create_statements, replaced_error


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


PAGE = 1000


"""Lines that are read at once."""


_LAST = f"SELECT number, hash FROM {TABLE} ORDER BY number DESC LIMIT 1"


PATIENCE = 30.0


"""Seconds that a writer waits for another process."""


LAST = f"(SELECT coalesce(max(number), 0) + 1 FROM {TABLE})"


GUARDS = (
    f"CREATE TRIGGER IF NOT EXISTS {TABLE}_no_update BEFORE UPDATE ON {TABLE} "
    "BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END",
    f"CREATE TRIGGER IF NOT EXISTS {TABLE}_no_delete BEFORE DELETE ON {TABLE} "
    "BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END",
    f"CREATE TRIGGER IF NOT EXISTS {TABLE}_in_order BEFORE INSERT ON {TABLE} WHEN NEW.number <> {LAST} "
    "BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END",
)


MOST_FAILURES = 3


"""A data set is closed after so many failures of its engine since it was last reopened; a time limit is none."""


_SINCE = f"SELECT coalesce(max(number), 0) FROM {TABLE} WHERE dataset = ? AND kind = 'reopening'"


_FAILED = f"SELECT COUNT(*) FROM {TABLE} WHERE dataset = ? AND kind = 'failure' AND number > ? AND answer LIKE ?"


class Ledger:
    """Charge first, answer second, never a refund once data were touched.

    Between the two the process may die: the charge then stands without an answer, and asking again is charged again. A
    question can therefore cost more than it gave, and never less.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Ledger.open(Path(folder) / "ledger.db") as ledger:
    ...     ledger.verify().holds, ledger.spent("patients").amount
    (True, Fraction(0, 1))
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted = 0, START

    @classmethod
    def open(cls, place: str | Path) -> Ledger:
        """The ledger in a file (SQLite) or behind a ``postgresql://`` address; made when it is not there."""
        if str(place).startswith(("postgresql://", "postgres://")):
            from .postgres import Postgres

            return cls(Postgres(str(place)))
        return cls(SQLite(place))

    @contextmanager
    def transaction(self) -> Iterator[LedgerTransaction]:
        """Nobody else decides or charges until this ends; an error inside undoes what was written."""
        with self._store.write_transaction() as rows:
            self._check_noted(rows)
            yield LedgerTransaction(rows)
            last = next(rows.all(_LAST), self._noted)
        self._noted = last  # only now is it committed

    def _check_noted(self, rows: Rows) -> None:
        """Refuse to go on with a ledger that lacks a line which was there before: it was set back."""
        number, noted = self._noted
        if number and next(rows.all(f"SELECT hash FROM {TABLE} WHERE number = ?", number), None) != (noted,):
            raise replaced_error()

    def settle(self, charge: int, outcome: Answer | Refusal) -> Entry:
        """Write the answer, or the failure of the engine, beside its charge; once."""
        with self.transaction() as turn:
            rows = turn.rows
            found = [Entry.of(row) for row in rows.all(f"{SELECT} WHERE number = ? OR charge = ?", charge, charge)]
            if [entry.kind for entry in found] != ["charge"]:
                raise TacitError(
                    f"line {charge} is no open charge", code="malformed_file", fix="settle every charge once"
                )
            asked = LedgerSubject(**{name: getattr(found[0], name) for name in LedgerSubject.__slots__})
            kind: Kind = "answer" if isinstance(outcome, Answer) else "failure"
            return append_entry(rows, asked, kind, answer=canonical_json(outcome.as_json()), charge=charge)

    def reopen(self, dataset: str) -> Entry:
        """Let a data set answer again that was closed after failures; for its owner, who has the file of the ledger."""
        with self.transaction() as turn:
            return reopen_dataset(turn.rows, dataset)

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever written: then nothing counts as spent."""
        with self._store.read_transaction() as rows:
            return next(rows.all(_LAST), None) is None

    def spent(self, dataset: str, scope: Scope = "dataset", name: str = "") -> Cost:
        """What was charged on a data set so far, by all, by a project or by an account."""
        with self._store.read_transaction() as rows:
            return total_spent(rows, dataset, scope, name)

    def versions(self, dataset: str) -> tuple[str, ...]:
        """The versions of a data set about which something was charged. O(its charges)."""
        sql = f"SELECT DISTINCT version FROM {TABLE} WHERE dataset = ? AND kind = 'charge'"
        with self._store.read_transaction() as rows:
            return tuple(sorted(row[0] for row in rows.all(sql, dataset)))

    def entries(
        self, *, account: str | None = None, before: int | None = None, limit: int = PAGE, characters: int | None = None
    ) -> list[Entry]:
        """The newest lines first: of an account or of all, from below a number on.

        They end early, after at least one, when their answers would have more than ``characters`` together.
        """
        wanted: list[tuple[str, Any]] = [("account = ?", account), ("number < ?", before)]
        given = [(text, value) for text, value in wanted if value is not None]
        where = f" WHERE {' AND '.join(text for text, _ in given)}" if given else ""
        with self._store.read_transaction() as rows:
            found = rows.all(f"{SELECT}{where} ORDER BY number DESC LIMIT {int(limit)}", *(value for _, value in given))
            return list(_limit_characters(map(Entry.of, found), characters))

    def fingerprint(self, text: str) -> str:
        """A short keyed hash (HMAC-SHA-256) under the ledger's own secret.

        A plain hash of the data would let whoever knows all rows but one test every guess of it.
        """
        with self._store.write_transaction() as rows:
            found = next(rows.all(f"SELECT secret FROM {SECRET}"), None)
            secret = found[0] if found else secrets.token_hex(32)
            if found is None:
                rows.run(f"INSERT INTO {SECRET} (secret) VALUES (?)", secret)
        return hmac.new(bytes.fromhex(secret), text.encode(), "sha256").hexdigest()[:12]

    def verify(self, head: str | None = None) -> LedgerVerification:
        """Walk over the whole chain; ``head``: a hash that was noted earlier and must still be there."""
        with closing(self._iter_entries()) as entries:  # a broken chain ends the walk early
            return verify_chain(entries, head)

    def _iter_entries(self) -> Generator[Entry, None, None]:
        """All lines by number, a page at a time."""
        sql, last = f"{SELECT} WHERE number > ? ORDER BY number LIMIT {PAGE}", -(2**63)
        with self._store.read_transaction() as rows:
            while page := [Entry.of(row) for row in rows.all(sql, last)]:
                yield from page
                last = page[-1].number

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _limit_characters(entries: Iterable[Entry], characters: int | None) -> Iterator[Entry]:
    """The first lines whose answers have at most so many characters together, and at least one."""
    seen = 0
    for number, entry in enumerate(entries):
        seen += len(entry.answer)
        if number and characters is not None and seen > characters:
            return
        yield entry


class _Rows:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(sql, values))

    def run(self, sql: str, *values: Any) -> None:
        self._connection.execute(sql, values)


class SQLite:
    """A ledger file, readable by its owner only.

    Writers of all processes take turns (``BEGIN IMMEDIATE``); readers see the last commit and wait for nobody. With
    ``synchronous = FULL`` a commit survives the loss of power.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._turn = threading.Lock()
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._file = _file_identity(self.path)
            self._writer = self._open_connection()
            self._writer.execute("PRAGMA journal_mode = WAL")
            with self.write_transaction() as rows:
                for statement in (*create_statements("INTEGER"), *GUARDS):
                    rows.run(statement)
        except (OSError, sqlite3.DatabaseError):
            raise TacitError(
                f"the ledger {str(self.path)!r} cannot be opened as a SQLite file",
                code="cannot_read",
                fix="give the path of a ledger, or of a new file in a folder that can be written",
            ) from None

    def _open_connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def write_transaction(self) -> Iterator[Rows]:
        """The exclusive transaction."""
        with self._turn:
            self._check_file()
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                yield _Rows(self._writer)
                self._writer.execute("COMMIT")
            except BaseException as problem:
                with suppress(sqlite3.OperationalError):  # SQLite has rolled back by itself, or did not begin
                    self._writer.execute("ROLLBACK")
                if isinstance(problem, sqlite3.OperationalError):  # no room on the disk, or another process is at it
                    raise busy_error() from None
                raise

    @contextmanager
    def read_transaction(self) -> Iterator[Rows]:
        """One state of the lines, on a connection of its own."""
        self._check_file()
        with closing(self._open_connection()) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("BEGIN")
            yield _Rows(connection)

    def _check_file(self) -> None:
        """Refuse to write into a file that was deleted or replaced: what is charged there would be forgotten."""
        if _file_identity(self.path) != self._file:
            raise replaced_error()

    def close(self) -> None:
        """Close the file."""
        with self._turn:
            self._writer.close()


def _file_identity(path: Path) -> tuple[int, int] | None:
    """What tells the file from another of its name; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@dataclass(frozen=True, slots=True)
class _LedgerPastQueries:
    rows: Rows
    dataset: str
    account: str

    def since(self, number: int) -> Iterator[tuple[int, str, Question]]:
        sql = f"SELECT number, account, question FROM {TABLE} WHERE dataset = ? AND kind = 'charge' AND number > ? ORDER BY number"
        for found, account, question in self.rows.all(sql, self.dataset, number):
            yield int(found), account, Question.from_json(json.loads(question))


@dataclass(frozen=True, slots=True)
class LedgerTransaction:
    """An exclusive transaction of the ledger; what was written counts when the turn ends without an error."""

    rows: Rows

    def find_answer(self, asked: LedgerSubject, *, own: bool = False) -> tuple[Entry, Answer] | None:
        """The first answer to the same question at the same price, of the same version in the same mode.

        Whoever asked, or with ``own`` this account alone.
        """
        entry = self._find_entry("kind = 'answer'", asked, asked.account if own else None)
        return None if entry is None else (entry, Answer.from_json(json.loads(entry.answer)))

    def find_delivered(self, asked: LedgerSubject) -> Entry | None:
        """The line by which this account has the answer already: its own, or that of a repeat."""
        return self._find_entry("kind IN ('answer', 'repeat')", asked, asked.account)

    def record_repeat(self, asked: LedgerSubject, answered: Entry) -> Entry:
        """Write down that an account gets an answer that another one paid for; once."""
        return self.find_delivered(asked) or append_entry(self.rows, asked, "repeat", charge=answered.charge)

    def _find_entry(self, kinds: str, asked: LedgerSubject, account: str | None) -> Entry | None:
        where = f"{SELECT} WHERE digest = ? AND {kinds} AND dataset = ? AND version = ? AND mode = ?"
        values = [asked.digest, asked.dataset, asked.version, asked.mode]
        if account is not None:
            where, values = f"{where} AND account = ?", [*values, account]
        return read_line(self.rows, f"{where} ORDER BY number LIMIT 1", *values)

    def check_open(self, dataset: str) -> None:
        """Refuse a data set that was closed after failures."""
        check_open(self.rows, dataset)

    def past_queries(self, dataset: str, account: str) -> PastQueries:
        """The earlier charges, for the mode to decide by, and who asks now."""
        return _LedgerPastQueries(self.rows, dataset, account)

    def spent(self, dataset: str, scope: Scope = "dataset", name: str = "") -> Cost:
        """What was charged so far."""
        return total_spent(self.rows, dataset, scope, name)

    def charge(self, asked: LedgerSubject, cost: Cost, caps: Iterable[Cap]) -> Entry:
        """Take the cost, if every cap covers it; else a refusal, and nothing is written."""
        cost = on_grid(cost)
        check_caps(self.rows, asked.dataset, cost, caps)
        totals = canonical_json(self._running_totals(asked, cost))
        return append_entry(self.rows, asked, "charge", cost=canonical_json(cost.as_json()), totals=totals)

    def _running_totals(self, asked: LedgerSubject, cost: Cost) -> dict[str, Any]:
        scopes: tuple[tuple[Scope, str], ...] = (
            ("dataset", ""),
            ("project", asked.project),
            ("account", asked.account),
        )
        return {scope: add_costs(self.spent(asked.dataset, scope, name), cost).as_json() for scope, name in scopes}

    def record_refusal(self, asked: LedgerSubject, refusal: Refusal) -> Entry:
        """Write down that the question was refused, and why; it costs nothing."""
        return append_entry(self.rows, asked, "refusal", answer=canonical_json(refusal.as_json()))


def count_failures(rows: Rows, dataset: str) -> int:
    """Questions since the last reopening that were charged and that the engine could not answer."""
    since = next(rows.all(_SINCE, dataset))[0]
    return int(next(rows.all(_FAILED, dataset, since, '%"code":"failed"%'))[0])


def check_open(rows: Rows, dataset: str) -> None:
    """Refuse a new question to a data set whose engine failed too often."""
    if count_failures(rows, dataset) >= MOST_FAILURES:
        raise Refusal(
            "closed",
            f"the engine of {dataset!r} failed {MOST_FAILURES} times, so it answers nothing new",
            fix="tell the owner of the data; answers that were given before can be read again",
        )


def reopen_dataset(rows: Rows, dataset: str) -> Entry:
    """The owner's line after which failures are counted anew."""
    asked = LedgerSubject(account="", project="", dataset=dataset, version="", mode="", digest="", question="")
    return append_entry(rows, asked, "reopening")
