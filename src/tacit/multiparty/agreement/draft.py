"""A first agreement from the parties' cards: what is left to decide stands in it as a line to change."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from ...errors import TacitError
from .keys import card_text
from .load import members_of

SESSION = """# The same file for all parties. Change what is computed and how, then let everybody compare:
#   tacit party check AGREEMENT.toml
[session]
name = "a name for this computation"
protocol = "additive_sum"       # how; see the guide on computing together for the others
modulus = "2^64"
adversary = "semi-honest"       # malicious: with verified_sum
connect_timeout = 60            # seconds until all parties must be there
round_timeout = 30              # seconds until an awaited message must be there

[task]
compute = "mean"                # what: count, sum, mean, covariance, histogram, …
rows = 100000                   # at most, a party
[task.columns]
age = { low = 0, high = 120, decimals = 0 }   # a column that every party's file has, its bounds and decimals

"""


def draft_agreement(cards: Sequence[Path]) -> str:
    """The text of an agreement between the parties of these cards."""
    given = []
    for path in cards:
        try:
            given += tomllib.loads(path.read_text(encoding="utf-8"))["party"]
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError):
            raise TacitError(
                f"{str(path)!r} is no card of a party", code="malformed_file", fix="tacit party keys NAME writes one"
            ) from None
    return SESSION + "\n".join(card_text(member) for member in members_of(given))
