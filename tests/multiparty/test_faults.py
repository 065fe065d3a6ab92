"""What a network can do to a session: all parties end by themselves, with a party named, and nobody has a result (I-07).

All sessions of a test run at once over real sockets and TLS. Where a link breaks, each end names the other: from inside, a
broken link and a party that went away are the same. A flipped bit, a record that comes twice, late or again cannot be read
under TLS, and counts as a bad message.
"""

from __future__ import annotations

import asyncio
from itertools import product

import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.multiparty.faults import BadMessage, Fault, MissingParty, Overdue
from tacit.multiparty.protocols.protocol import PROTOCOLS
from tacit.multiparty.tasks.every import TASKS as task_names_of

from .parties import TASK, Proxy, ages, everybody, house

FAULTS = {
    "drop": MissingParty,
    "truncate": MissingParty,
    "stall": Overdue,
    "flip": BadMessage,
    "duplicate": BadMessage,
    "replay": BadMessage,
    "reorder": BadMessage,
}
WHOLE = [name for name, one in PROTOCOLS.items() if not one.drop_outs]
"""Protocols that need everybody to the end."""
GREETED = 2
"""A caller's records with data begin after those of HELLO and READY."""


BOTH = pl.DataFrame({"id": ["x", "y"]})
MONEY = {"wealth": {"low": 0, "high": 100}}
COLUMNS = {name: {"party": name.upper(), "low": 0, "high": 9} for name in ("a", "b")}
PRODUCT = {"compute": "product", "rows": 2, "to": "B", "columns": COLUMNS}
SCORED = {
    "compute": "mean",
    "scheme": "paillier",
    "owner": "A",
    "rows": 2,
    "weight": 10,
    "columns": {"a": {"low": 0, "high": 9}},
}
QUIET = pl.DataFrame({"message": []}, schema={"message": pl.String})
HELD = pl.DataFrame({"record": ["ann", "ben"]})
TASKS = {
    "set_intersection": ({"compute": "items", "column": "id"}, {"A": BOTH, "B": BOTH, "C": BOTH}),
    "set_union": ({"compute": "items", "column": "id"}, {"A": BOTH, "B": BOTH, "C": BOTH}),
    "scalar_product": (PRODUCT, {"A": pl.DataFrame({"a": [1, 2]}), "B": pl.DataFrame({"b": [3, 4]})}),
    "millionaires": (
        {"compute": "greater", "rows": 1, "columns": MONEY},
        {name: pl.DataFrame({"wealth": [5]}) for name in "AB"},
    ),
    "dining_cryptographers": ({"slots": 2, "size": 8, "rounds": 1}, dict.fromkeys("ABC", QUIET)),
    "retrieval": (
        {"user": "A", "records": 2, "size": 4},
        {"A": pl.DataFrame({"record": [1]}), "B": HELD, "C": HELD},
    ),
    "outsourced": (SCORED, {"A": pl.DataFrame({"a": [1, 2]}), "B": pl.DataFrame({"a": [1]})}),
    "dp_sum": ({**TASK, "rho": 1.0, "delta": 1e-6, "colluders": 0}, {name: ages(name) for name in "ABC"}),
}
"""Protocols beside the sums: what is computed, and everybody's file."""


async def with_fault(protocol, fault, skipped):
    """Others reach A through the proxy, which spoils what they send after so many records of data."""
    task, frames = TASKS.get(protocol, (TASK, None))
    names = "".join(frames) if frames else "ABC"
    seconds = 2.0 if fault == "stall" else 20.0  # only who is silent is waited for
    agreement, secrets = house(names, protocol, task=task, round_timeout=seconds, connect_timeout=6.0)
    async with Proxy(fault, skipped) as proxy:
        behind = proxy.before(agreement, "A")
        return await everybody(behind, secrets, frames=frames, listen={"A": proxy.listen})


def sessions(cases):
    async def all_of_them():
        return await asyncio.gather(*(with_fault(*case) for case in cases))

    return dict(zip(cases, asyncio.run(all_of_them()), strict=True))


def test_the_proxy_alone_changes_nothing():
    """So that the tests below fail for the fault."""
    (ended,) = sessions([("additive_sum", "none", 0)]).values()
    assert {name: one.figures["mean"]["age"] for name, one in ended.items()} == dict.fromkeys("ABC", 224 / 6)


@pytest.mark.parametrize(
    ("skipped", "protocols"),
    [(0, PROTOCOLS), (GREETED, WHOLE), (GREETED + 1, ["additive_sum"])],
    ids=["hello", "first message", "second message"],
)
def test_every_fault_ends_every_protocol_at_every_party(skipped, protocols):
    for case, ended in sessions([(*case, skipped) for case in product(protocols, FAULTS)]).items():
        assert all(isinstance(one, Fault) for one in ended.values()), (case, ended)
        assert all(one.party in "ABC" and one.party != name for name, one in ended.items() if one.told_by is None)
        assert any(isinstance(one, FAULTS[case[1]]) for one in ended.values()), (case, ended)


@pytest.mark.parametrize("fault", ["drop", "stall", "flip"])
def test_other_protocols_end_at_every_party_too(fault):
    """Each is first shown to end well without a fault."""
    assert set(TASKS) | set(PROTOCOLS) == set(task_names_of)
    for case, ended in sessions([(protocol, "none", 0) for protocol in TASKS]).items():
        assert not any(isinstance(one, TacitError) for one in ended.values()), (case, ended)
    for case, ended in sessions([(protocol, fault, GREETED) for protocol in TASKS]).items():
        assert all(isinstance(one, Fault) for one in ended.values()), (case, ended)
        assert any(isinstance(one, FAULTS[fault]) for one in ended.values()), (case, ended)


def test_before_the_handshake_is_over_nobody_is_there():
    for ended in sessions([("additive_sum", fault, -1) for fault in FAULTS]).values():
        assert isinstance(ended["A"], MissingParty) and ended["A"].party == "B"
        assert all(isinstance(one, Fault) for one in ended.values())


def test_shamir_goes_on_without_links_that_break_once_the_points_are_dealt():
    """A no longer hears B and C, who still hear one another: two of three are enough for the sum of all."""
    for ended in sessions([("shamir_sum", fault, GREETED + 1) for fault in ("drop", "truncate")]).values():
        assert isinstance(ended["A"], MissingParty)
        assert [ended[name].figures["mean"]["age"] for name in "BC"] == [224 / 6] * 2
        assert "did not confirm" in ended["B"].notes[0]
