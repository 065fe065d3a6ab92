"""One session of every kind for the bench: its protocol, what is computed, and everybody's file."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import polars as pl

from tacit.kernels.mersenne import PRIME
from tacit.multiparty import Agreement, Secret, make_keys
from tacit.multiparty.protocols.protocol import PROTOCOLS

ROWS = 100


@dataclass(frozen=True)
class Session:
    """What is agreed on, and the files by party."""

    protocol: str
    task: dict[str, Any]
    frames: dict[str, pl.DataFrame]
    modulus: int = 2**64

    def agreed(self, *, seconds: float = 60.0) -> tuple[Agreement, dict[str, Secret]]:
        """An agreement on loopback, and everybody's keys."""
        base = random.SystemRandom().randrange(20_000, 30_000)
        made = [make_keys(name, host="127.0.0.1", port=base + place) for place, name in enumerate(self.frames)]
        agreement = Agreement(
            session="bench",
            protocol=self.protocol,
            modulus=self.modulus,
            members=tuple(member for _, member in made),
            task=self.task,
            connect_timeout=seconds,
            round_timeout=seconds,
            max_message=10**8,
        )
        return agreement, {secret.name: secret for secret, _ in made}


def _column(name: str, low: int = 0, high: int = 120) -> pl.DataFrame:
    return pl.DataFrame({name: [low + place % (high - low) for place in range(ROWS)]})


AGES = {"rows": ROWS, "columns": {"age": {"low": 0, "high": 120}}}
MEAN = {"compute": "mean", **AGES}
THREE = {name: _column("age") for name in "ABC"}
ITEMS = dict.fromkeys("ABC", pl.DataFrame({"id": list(range(ROWS))}))
COLUMNS = {name: {"party": name.upper(), "low": 0, "high": 120} for name in "abc"}
TWO = {name: COLUMNS[name] for name in "ab"}
HELD = pl.DataFrame({"record": [f"record {place:05d}" for place in range(ROWS)]})
ASKED = {"user": "A", "records": ROWS, "size": 12}
SERVED = {"owner": "A", "weight": 10, **AGES}
QUIET = pl.DataFrame({"message": []}, schema={"message": pl.String})

SESSIONS = {
    **{name: Session(name, MEAN, THREE, one.modulus or 2**64) for name, one in PROTOCOLS.items()},
    "dp_sum": Session("dp_sum", {**MEAN, "rho": 1.0, "delta": 1e-6, "colluders": 0}, THREE),
    "set_intersection": Session("set_intersection", {"compute": "items", "column": "id", "rows": ROWS}, ITEMS),
    "set_union": Session("set_union", {"compute": "items", "column": "id", "rows": ROWS}, ITEMS),
    "scalar_product of two": Session(
        "scalar_product",
        {"compute": "correlation", "rows": ROWS, "columns": TWO},
        {name.upper(): _column(name) for name in "ab"},
    ),
    "scalar_product of three": Session(
        "scalar_product",
        {"compute": "correlation", "rows": ROWS, "columns": COLUMNS},
        {name.upper(): _column(name) for name in "abc"},
        PRIME,
    ),
    "millionaires": Session("millionaires", {"compute": "greater", **AGES}, {name: THREE[name] for name in "AB"}),
    "dining_cryptographers": Session(
        "dining_cryptographers", {"slots": 16, "size": 100, "rounds": 1}, dict.fromkeys("ABC", QUIET)
    ),
    "retrieval from two servers": Session(
        "retrieval", ASKED, {"A": pl.DataFrame({"record": [7]}), "B": HELD, "C": HELD}
    ),
    "retrieval of one of 10 from one server": Session(
        "retrieval", {**ASKED, "records": 10}, {"A": pl.DataFrame({"record": [7]}), "B": HELD.head(10)}
    ),
    "outsourced, CKKS": Session(
        "outsourced", {**SERVED, "compute": "mean", "scheme": "ckks"}, {"A": THREE["A"], "B": pl.DataFrame()}
    ),
    "outsourced, Paillier": Session(
        "outsourced", {**SERVED, "compute": "mean", "scheme": "paillier"}, {"A": THREE["A"], "B": pl.DataFrame()}
    ),
}
"""Every protocol, for two or three parties, on 100 rows, items or records each but where an encryption a record is too slow."""
