"""The register of releases: one line for every attempt to release into a folder, whatever came of it.

    out/register.jsonl   readable by its owner alone; the first line holds a salt, every other line is an attempt

Data, steps and requirements are in it as salted hashes, so that attempts can be compared and nothing about the data is kept.
Chance decides what most methods and attacks find: whoever runs the same plan until it is green has a lucky draw, not a safer
file. :func:`attempts_before` counts the attempts that went before, and a verdict says so. The register knows what was tried in
its folder: another folder, or one that was removed, begins anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from ..errors import TacitError
from ..release.scratch import take_lock
from .coverage import Gap

REGISTER = "register.jsonl"
AttemptState = Literal["met", "not_covered", "not_met", "interrupted", "audit"]
"""How an attempt ended: in one of the states of a verdict, before there was one, or as an audit, which releases nothing."""
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Hashes of the data, of everything that is done with them, and of what is required of the result."""

    data: str
    steps: str
    requirements: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A line of the register. ``intruders`` are the attacks that were made; hashes are salted."""

    number: int
    time: str
    state: AttemptState
    version: str
    data: str = ""
    steps: str = ""
    requirements: str = ""
    intruders: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"intruders": list(self.intruders)}


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAttempts:
    """Attempts on the same data for the same requirements that went before.

    ``not_met`` of them did not meet the requirements, ``interrupted`` ended without a verdict; of the former,
    ``same_steps_not_met`` were made by the same steps, so that chance alone decided.

    >>> print(EarlierAttempts(total=3, not_met=2, same_steps_not_met=2))
    attempt 4 on the same data and requirements; 2 earlier attempts were not met
    """

    total: int = 0
    not_met: int = 0
    interrupted: int = 0
    same_steps_not_met: int = 0

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What a verdict that is met now does not cover: the same steps were tried before and failed."""
        if not self.same_steps_not_met:
            return ()
        return (Gap(code="repeated_attempts", facts={"failed": self.same_steps_not_met, "attempt": self.total + 1}),)

    def __str__(self) -> str:
        first = f"attempt {self.total + 1} on the same data and requirements"
        counted = ((self.not_met, "not met"), (self.interrupted, "interrupted"))
        earlier = [
            f"{count} earlier attempt{' was' if count == 1 else 's were'} {state}" for count, state in counted if count
        ]
        return "; ".join([first, *earlier])

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"text": str(self)}


def fingerprint_of(files: Iterable[Path], *, steps: Any, requirements: Any) -> Fingerprint:
    """The hashes of an attempt: of the content of its input files, and of plain values. O(bytes) time, O(1) memory.

    >>> one, other = (fingerprint_of([], steps=["drop"], requirements={"k_anonymity": k}) for k in (3, 5))
    >>> one.steps == other.steps, one.requirements == other.requirements
    (True, False)
    """
    data = hashlib.blake2b(digest_size=32)
    for path in files:
        data.update(_hash_of_file(path))
    plain = [json.dumps(value, sort_keys=True, ensure_ascii=False, default=str) for value in (steps, requirements)]
    hashes = [hashlib.blake2b(text.encode(), digest_size=32).hexdigest() for text in plain]
    return Fingerprint(data=data.hexdigest(), steps=hashes[0], requirements=hashes[1])


def _hash_of_file(path: Path) -> bytes:
    found = hashlib.blake2b(digest_size=32)
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                found.update(block)
    except OSError:  # whoever reads the file says what is wrong with it
        return b""
    return found.digest()


def attempts_before(out: Path, fingerprint: Fingerprint) -> EarlierAttempts:
    """How often the same data were tried for the same requirements in a folder, and with what result."""
    salt, attempts = _read_register(out / REGISTER)
    own = salt_fingerprint(fingerprint, salt)
    same = [one for one in attempts if (one.data, one.requirements) == (own.data, own.requirements)]
    same = [one for one in same if one.state != "audit"]
    failed = [one for one in same if one.state == "not_met"]
    return EarlierAttempts(
        total=len(same),
        not_met=len(failed),
        interrupted=sum(one.state == "interrupted" for one in same),
        same_steps_not_met=sum(one.steps == own.steps for one in failed),
    )


def list_attempts(out: Path) -> tuple[Attempt, ...]:
    """The attempts that a folder's register holds, by number; of an attempt with two lines the last counts."""
    return _read_register(out / REGISTER)[1]


def salt_fingerprint(fingerprint: Fingerprint, salt: str) -> Fingerprint:
    """The hashes as a register with this salt holds them."""
    key = bytes.fromhex(salt)
    values = {
        name: hashlib.blake2b(value.encode(), key=key, digest_size=16).hexdigest()
        for name, value in asdict(fingerprint).items()
    }
    return Fingerprint(**values)


def record_attempt(
    out: Path,
    *,
    number: int,
    state: AttemptState,
    fingerprint: Fingerprint | None = None,
    intruders: Iterable[str] = (),
) -> Attempt:
    """Add a line to the register; it is on the disk when this returns."""
    path = out / REGISTER
    salt, _ = _read_register(path)
    hashes = {} if fingerprint is None else asdict(salt_fingerprint(fingerprint, salt))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    attempt = Attempt(
        number=number, time=now, state=state, version=_package_version(), intruders=tuple(intruders), **hashes
    )  # fmt: skip
    lines = [] if path.exists() and path.stat().st_size else [{"salt": salt}]
    _append_lines(path, [*lines, attempt.as_json()])
    return attempt


def _package_version() -> str:
    """That of the package, whose top imports every layer and is imported by none."""
    return str(import_module("tacit").__version__)


def _append_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def _read_register(path: Path) -> tuple[str, tuple[Attempt, ...]]:
    """The salt, a new one for a register that is not there yet, and the attempts."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    if not lines:
        return secrets.token_hex(16), ()
    try:
        salt, *attempts = (json.loads(line) for line in lines)
        found = (Attempt(**one | {"intruders": tuple(one["intruders"])}) for one in attempts)
        return str(salt["salt"]), tuple({one.number: one for one in found}.values())
    except (ValueError, KeyError, TypeError) as problem:
        raise TacitError(
            f"the register of releases {str(path)!r} cannot be read",
            code="cannot_read",
            fix="put back the file as it was, or choose another folder with --out",
        ) from problem


_held: dict[Path, int] = {}


@contextmanager
def lock_register(out: Path) -> Iterator[None]:
    """Keep other processes from releasing into a folder for as long as it lasts; nested in one process it is one lock.

    The folder must exist. A register that nobody wrote anything into is removed again.
    """
    path = (out / REGISTER).resolve()
    if path in _held:
        yield
        return
    handle = _open_locked(path, out)
    _held[path] = handle
    try:
        yield
    finally:
        del _held[path]
        if os.fstat(handle).st_size == 0:
            path.unlink(missing_ok=True)
        os.close(handle)


def _open_locked(path: Path, out: Path) -> int:
    """The register, open and locked; again where another process removed the one that was opened."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise TacitError(
                f"the folder {str(out)!r} cannot be written: {problem.strerror}",
                code="cannot_write",
                fix="choose another folder with --out",
            ) from problem
        try:
            take_lock(handle)
        except BlockingIOError:
            os.close(handle)
            raise TacitError(
                f"another run is writing into the folder {str(out)!r}",
                code="cannot_write",
                fix="wait until it has ended, or choose another folder with --out",
            ) from None
        except OSError:
            return handle  # a file system without locks
        if path.exists() and os.fstat(handle).st_ino == path.stat().st_ino:
            return handle
        os.close(handle)
