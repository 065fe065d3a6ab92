"""How long the others wait for a party that never comes, or that is there and silent: no more than was agreed on."""

from __future__ import annotations

import asyncio
import random
import time

import polars as pl
from bars import Bars

from tacit.multiparty import Agreement, Fault, make_keys
from tacit.multiparty.joining import taking_part
from tacit.multiparty.protocols.protocol import PROTOCOLS
from tacit.multiparty.wire.mesh import opened

WAIT = 3.0
"""Seconds agreed on for connecting and for each message."""
BEYOND = 1.0
TASK = {"compute": "mean", "rows": 10, "columns": {"age": {"low": 0, "high": 120}}}


def bars(bars: Bars) -> None:
    """The worst protocol and party; the clock starts when the last party that comes is there."""
    for name, silent in (("missing", False), ("silent", True)):
        waited = {one: asyncio.run(_waited(one, silent)) - _agreed(one, silent) for one in PROTOCOLS}
        worst = max(waited, key=lambda one: waited[one])
        bars.at_most(f"a {name} party: seconds beyond the deadline", max(0.0, waited[worst]), BEYOND, protocol=worst)


def _agreed(protocol: str, silent: bool) -> float:
    """When it must be over: on a ring the silent party's neighbour waits for the messages of two, elsewhere for one."""
    return WAIT * (2 if silent and protocol in ("ring_sum", "cycles_sum") else 1)


async def _waited(protocol: str, silent: bool) -> float:
    base = random.SystemRandom().randrange(20_000, 30_000)
    made = [make_keys(name, host="127.0.0.1", port=base + place) for place, name in enumerate("ABC")]
    agreement = Agreement(
        session="bench",
        protocol=protocol,
        modulus=PROTOCOLS[protocol].modulus or 2**64,
        members=tuple(member for _, member in made),
        task=TASK,
        connect_timeout=WAIT,
        round_timeout=WAIT,
        max_message=10**6,
    )
    secrets = {secret.name: secret for secret, _ in made}

    async def stays() -> None:
        async with opened(agreement, secrets["B"]):
            await asyncio.sleep(10 * WAIT)

    started = time.monotonic()
    quiet = asyncio.create_task(stays()) if silent else None
    frame = pl.DataFrame({"age": [30]})
    ended = await asyncio.gather(
        *(taking_part(agreement, secrets[name], frame) for name in "AC"), return_exceptions=True
    )
    spent = time.monotonic() - started
    if quiet is not None:
        quiet.cancel()
        await asyncio.gather(quiet, return_exceptions=True)
    if not all(isinstance(one, Fault) and one.party == "B" for one in ended):
        raise AssertionError(f"{protocol}: {ended}")
    return spent
