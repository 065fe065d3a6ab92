"""Pseudonyms: identifiers replaced by a keyed hash, so that only the owner of the key can link them."""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ..errors import TacitError, check_columns
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Trace
from ._keyed_draws import as_text
from .parameters import column_names, drop_metadata

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


SHORTEST = 16
"""Bytes of key below which it could be guessed; also the bytes of a pseudonym, which makes clashes negligible."""


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("hides", ("columns",)),
    family="frame",
    example={"columns": ["name"]},
    use="Records of one person must be linkable over time or across files held by the key's owner.",
    avoid="Nobody needs the link: drop the identifiers, pseudonyms are personal data still.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonymise:
    r"""Replace values by a keyed hash of them, :math:`HMAC_{SHA256}(key, value)`, its first 16 bytes in hex.

    The parameters say WHERE the key is, a file or an environment variable, never what it is; a line break at its end
    does not count, and it has at least 16 bytes. The same key gives the same pseudonym in every file, 7 and "7" alike;
    without it nobody can compute or undo one. Missing stays missing. A pseudonymised identifier is one no longer (role
    unrestricted). Whoever holds the key can, and records with the same pseudonym can be linked: prefer
    :class:`DropIdentifiers` unless they must be.

    One hash per different value, O(n) memory.

    >>> import os, polars as pl
    >>> from tacit import Release
    >>> os.environ["EXAMPLE_KEY"] = "0123456789abcdef0123456789abcdef"
    >>> r = Release(pl.DataFrame({"name": ["Ann", "Bea", "Ann"]}), identifier="name")
    >>> hidden = r.protect(Pseudonymise(columns="name", key_env="EXAMPLE_KEY")).to_native()["name"]
    >>> hidden.n_unique(), hidden[0] == hidden[2], hidden.str.len_chars().unique().to_list()
    (2, True, [32])

    References
    ----------
    Krawczyk, Bellare, Canetti (1997), HMAC: keyed-hashing for message authentication, RFC 2104.
    """

    columns: str | Sequence[str]
    key_file: str | None = None
    key_env: str = "TACIT_KEY"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", column_names(self.columns))
        if isinstance(self.key_file, Path):
            object.__setattr__(self, "key_file", str(self.key_file))
        for name, place in (("key_file", self.key_file), ("key_env", self.key_env)):
            if (place is not None or name == "key_env") and (not isinstance(place, str) or not place):
                raise TacitError(
                    f"{name} is the name of a place, as text",
                    code="invalid_parameter",
                    fix="e.g. key_file='secret.key' or key_env='TACIT_KEY'",
                )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with pseudonyms."""
        columns = check_columns(self.columns, release.columns)
        key = self._read_key()
        changes: dict[str, Any] = {}
        for place, column in enumerate(columns):
            report_progress(progress, "pseudonymise", place / len(columns))
            codes = release.codes(column)
            written = [_keyed_hash(key, value) for value in codes.dictionary]
            changes[column] = pl.Series(column, [*written, None], dtype=pl.String).gather(codes.codes)
        changed = drop_metadata(release.with_columns(changes), columns, hierarchies=True)
        roles = {
            name: "unrestricted" if name in columns and role == "identifier" else role
            for name, role in release.roles.items()
        }
        # Where the key lies is nobody's business: the trace is published.
        return Masked(
            changed.with_metadata(roles=roles), (replace(Trace.of(self), parameters={"columns": list(columns)}),)
        )

    def _read_key(self) -> bytes:
        make = 'make one with: python -c "import secrets; print(secrets.token_hex(32))"'
        if self.key_file is not None:
            try:
                key, place = Path(self.key_file).read_bytes(), f"the key file {self.key_file!r}"
            except OSError as problem:
                raise TacitError(
                    f"the key file {self.key_file!r} cannot be read",
                    code="cannot_read",
                    fix=f"check the path, or {make}",
                ) from problem
        elif self.key_env in os.environ:
            key, place = os.fsencode(os.environ[self.key_env]), f"the variable {self.key_env!r}"
        else:
            raise TacitError(
                f"the environment has no key under {self.key_env!r}",
                code="invalid_parameter",
                fix=f"set it, or name a key_file; {make}",
            )
        key = key.rstrip(b"\r\n")
        if len(key) < SHORTEST:
            raise TacitError(
                f"{place} holds {len(key)} bytes, too few to be safe",
                code="wrong_kind",
                fix=f"use at least {SHORTEST}; {make}",
            )
        return key


def _keyed_hash(key: bytes, value: object) -> str:
    return hmac.digest(key, as_text(value).encode(), "sha256")[:SHORTEST].hex()
