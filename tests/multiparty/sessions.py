"""A small session of every kind: its protocol, what is computed, and everybody's file; for tests that go through all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from tacit.kernels.mersenne import PRIME
from tacit.multiparty.protocols.protocol import PROTOCOLS

from .parties import TASK, ages, house


@dataclass(frozen=True)
class Session:
    """What is agreed on, and the files."""

    protocol: str
    task: dict
    frames: dict
    modulus: int = 2**64

    def house(self, name, **more):
        """A new agreement of this kind under a name of its own, and secret keys."""
        agreement, secrets = house("".join(self.frames), self.protocol, task=self.task, modulus=self.modulus, **more)
        return replace(agreement, session=name), secrets


THREE = {name: ages(name) for name in "ABC"}
ITEMS = dict.fromkeys("ABC", pl.DataFrame({"id": ["x", "y"]}))
MONEY = {"compute": "greater", "rows": 1, "columns": {"wealth": {"low": 0, "high": 100}}}
COLUMNS = {name: {"party": name.upper(), "low": 0, "high": 9} for name in "abc"}
PRODUCT = {"compute": "product", "rows": 2, "least_rows": 2, "columns": {name: COLUMNS[name] for name in "ab"}}
HELD = pl.DataFrame({"record": ["ann", "ben"]})
FILES = {name: pl.DataFrame({"id": [1, 2, 3], name.lower(): [1, 2, 4]}) for name in "ABC"}
SERVED = {"owner": "A", "rows": 2, "weight": 10, "columns": {"a": {"low": 0, "high": 9}}}

SESSIONS = {
    **{name: Session(name, TASK, THREE, one.modulus or 2**64) for name, one in PROTOCOLS.items()},
    "dp_sum": Session("dp_sum", {**TASK, "rho": 1.0, "delta": 1e-6, "colluders": 0}, THREE),
    "quantile": Session("additive_sum", {**TASK, "compute": "quantile", "at": [0.5]}, THREE),
    "set_intersection": Session("set_intersection", {"compute": "items", "column": "id", "rows": 200}, ITEMS),
    "size of an intersection": Session("set_intersection", {"compute": "size", "column": "id", "rows": 200}, ITEMS),
    "set_union": Session("set_union", {"compute": "items", "column": "id", "rows": 200}, ITEMS),
    "product of two": Session(
        "scalar_product", {**PRODUCT, "to": "B"}, {"A": pl.DataFrame({"a": [1, 2]}), "B": pl.DataFrame({"b": [3, 4]})}
    ),
    "correlation of three": Session(
        "scalar_product",
        {"compute": "correlation", "join": "id", "rows": 3, "least_rows": 3, "columns": COLUMNS},
        FILES,
        PRIME,
    ),
    "millionaires": Session("millionaires", MONEY, {name: pl.DataFrame({"wealth": [5]}) for name in "AB"}),
    "dining_cryptographers": Session(
        "dining_cryptographers",
        {"slots": 2, "size": 8, "rounds": 1},
        dict.fromkeys("ABC", pl.DataFrame({"message": []}, schema={"message": pl.String})),
    ),
    "retrieval from two": Session(
        "retrieval", {"user": "A", "records": 2, "size": 4}, {"A": pl.DataFrame({"record": [1]}), "B": HELD, "C": HELD}
    ),
    "retrieval from one": Session(
        "retrieval", {"user": "A", "records": 2, "size": 4}, {"A": pl.DataFrame({"record": [1]}), "B": HELD}
    ),
    "outsourced": Session(
        "outsourced",
        {**SERVED, "compute": "mean", "scheme": "paillier"},
        {"A": pl.DataFrame({"a": [1, 2]}), "B": pl.DataFrame()},
    ),
}
"""Every protocol that an agreement can name, some of them more than once."""
