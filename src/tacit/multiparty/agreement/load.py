"""From the agreement file to an agreement, or an error with the place and the remedy."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ...errors import TacitError, format_value
from ..ring import Ring
from .agreement import Agreement, Member, check_name

File = TypeVar("File", bound=BaseModel)

TOO_FEW = "an agreement is between two parties or more", "add the cards of the others"

LACKING = "is missing", "write it there; tacit party agree writes a first agreement with every key"

UNKNOWN = "is no key of an agreement", "take it out, or look for a slip of the pen"
"""What is wrong with a file, and what to do."""


def load_agreement(path: str | Path) -> Agreement:
    """The agreement in a file; every mistake in it is told with its key."""
    text = _read_text(Path(path))
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise TacitError(
            f"is not valid TOML: {problem}", code="malformed_file", fix="mend that line", where=str(path)
        ) from None
    except ValueError:  # more digits than Python reads
        raise TacitError(
            "holds a number of thousands of digits", code="malformed_file", fix="write a shorter one", where=str(path)
        ) from None
    try:
        return agreement_of(given)
    except TacitError as problem:
        raise problem.with_location(str(path) if problem.where is None else f"{path}, {problem.where}") from None


def agreement_of(given: dict[str, Any]) -> Agreement:
    """The agreement in parsed TOML, checked."""
    file = _validate_section(AgreementFile, given)
    members = _distinct_members(file.party)
    session = file.session.model_dump()
    session |= {"session": session.pop("name"), "modulus": modulus_of(file.session.modulus)}
    return Agreement(members=members, task=file.task, **session)


def members_of(cards: list[dict[str, Any]]) -> tuple[Member, ...]:
    """The parties of several cards, checked as they are in an agreement."""
    return _distinct_members(_validate_section(PartyCards, {"party": cards}).party)


def _validate_section(kind: type[File], given: dict[str, Any]) -> File:
    from pydantic import ValidationError

    try:
        return kind.model_validate(given)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        known = {"too_short": TOO_FEW, "missing": LACKING, "extra_forbidden": UNKNOWN}
        what, fix = known.get(first["type"], (first["msg"].lower(), "the guide 'Computing together' has an example"))
        raise TacitError(what, code="invalid_protocol_input", fix=fix, where=place) from None


def _distinct_members(cards: list[PartySection]) -> tuple[Member, ...]:
    members = tuple(Member(**one.model_dump()) for one in cards)
    _check_members(members)
    return members


def modulus_of(given: int | str) -> int:
    """A modulus as it is written: a number, or 2^61-1.

    >>> modulus_of("2^64") == 2**64, modulus_of("2^61-1") == 2**61 - 1, modulus_of(1000003)
    (True, True, 1000003)
    """
    if isinstance(given, str):
        read = re.fullmatch(r"\s*(\d{1,3})\s*(?:\^\s*(\d{1,3})\s*)?(?:-\s*(\d{1,3})\s*)?", given)
        if read is None:
            raise TacitError(
                f"modulus {format_value(given)} cannot be read",
                code="cannot_read",
                fix='e.g. "2^64", "2^61-1" or 1000003',
            )
        base, power, less = read.groups()
        return Ring(int(int(base) ** int(power or 1)) - int(less or 0)).modulus
    return Ring(given).modulus


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise TacitError(
            f"there is no file {str(path)!r}", code="path_not_found", fix="check the path of the agreement"
        ) from None
    except (OSError, UnicodeDecodeError):
        raise TacitError(
            f"the file {str(path)!r} cannot be read as text", code="cannot_read", fix="it must be a UTF-8 file"
        ) from None


def _check_members(members: tuple[Member, ...]) -> None:
    for what, values in (
        ("name", (one.name for one in members)),
        ("address", (f"{one.host}:{one.port}" for one in members)),
        ("certificate", (one.certificate for one in members)),
        ("box_key", (one.box_key for one in members)),
        ("sign_key", (one.sign_key for one in members)),
    ):
        doubled = _first_duplicate(values)
        if doubled is not None:
            said = repr(doubled) if what in ("name", "address") else "the same"
            fix = "every party makes its own keys (tacit party keys)"
            if what == "address":
                fix = "each needs one of its own: tacit party keys NAME --host HOST --port PORT, or change its card"
            raise TacitError(f"two parties have {said} as {what}", code="duplicate", fix=fix, where="party")
    for one in members:
        _check_member(one)


def _check_member(one: Member) -> None:
    where = f"party {one.name!r}"
    check_name(one.name)
    for what in ("box_key", "sign_key"):
        if re.fullmatch(r"[0-9a-f]{64}", getattr(one, what)) is None:
            raise TacitError(
                f"{what} is no key of 32 bytes in hexadecimal",
                code="wrong_type",
                fix="copy it from its card",
                where=where,
            )
    from cryptography import x509

    try:
        x509.load_der_x509_certificate(base64.b64decode(one.certificate, validate=True))
    except ValueError:
        raise TacitError(
            "its certificate cannot be read", code="cannot_read", fix="copy it from its card again", where=where
        ) from None


def _first_duplicate(values: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SessionSection(_Section):
    """``[session]``: what all parties do together."""

    name: str = Field(min_length=1, max_length=80, description="What this computation is called.")
    protocol: str = Field(
        description="How it is computed: a protocol for sums, e.g. additive_sum, or one of its own, e.g. set_union."
    )
    modulus: int | str = Field(description='What is computed modulo: "2^64", "2^61-1" or a whole number up to 2^63.')
    adversary: Literal["semi-honest", "malicious"] = Field(
        default="semi-honest", description="Against whom the protocol must hold."
    )
    connect_timeout: float = Field(gt=0, le=86_400, description="Seconds until all parties must be there.")
    round_timeout: float = Field(gt=0, le=86_400, description="Seconds until an awaited message must be there.")
    max_message: int = Field(default=64_000_000, ge=1_000, le=2**31 - 1, description="The largest message, in bytes.")


class PartySection(_Section):
    """``[[party]]``: one party as the others know it; ``tacit party keys`` writes it."""

    name: str = Field(min_length=1, max_length=60)
    host: str = Field(min_length=1)
    port: int = Field(ge=1, le=65_535)
    certificate: str = Field(description="TLS certificate, DER in base64.")
    box_key: str = Field(description="X25519 public key in hexadecimal.")
    sign_key: str = Field(description="Ed25519 public key in hexadecimal.")


class PartyCards(_Section):
    """Who takes part."""

    party: list[PartySection] = Field(min_length=2)


class AgreementFile(PartyCards):
    """The whole file."""

    session: SessionSection
    task: dict[str, Any] = Field(description="What is computed: compute = …, columns, bounds.")
