"""The agreement file, key by key."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["AgreementFile", "Cards", "PartySection", "SessionSection"]


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


class Cards(_Section):
    """Who takes part."""

    party: list[PartySection] = Field(min_length=2)


class AgreementFile(Cards):
    """The whole file."""

    session: SessionSection
    task: dict[str, Any] = Field(description="What is computed: compute = …, columns, bounds.")
