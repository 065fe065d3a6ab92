"""How long the others wait for a party that never comes, or that is there and silent, in every protocol: as agreed, and no longer."""

from __future__ import annotations

import asyncio
import time

from bars import Bars
from multiparty_sessions import SESSIONS, Session

from tacit.multiparty import Fault
from tacit.multiparty.session import taking_part
from tacit.multiparty.wire.mesh import open_mesh

WAIT = 3.0
"""Seconds agreed on for connecting and for each message."""
BEYOND = 1.0


def bars(bars: Bars) -> None:
    """The worst protocol and party; the clock starts when the last party that comes is started."""
    for name, silent in (("missing", False), ("silent", True)):
        waited = {kind: asyncio.run(_waited(session, silent)) - WAIT for kind, session in _chosen(bars.quick).items()}
        worst = max(waited, key=lambda one: waited[one])
        bars.at_most(
            f"a {name} party: seconds beyond the deadline",
            max(0.0, waited[worst]),
            BEYOND,
            at_scale=True,
            protocol=worst,
        )


def _chosen(quick: bool) -> dict[str, Session]:
    return {name: SESSIONS[name] for name in ("ring_sum", "set_union")} if quick else SESSIONS


async def _waited(session: Session, silent: bool) -> float:
    """Seconds until everybody but B has ended, each with B's name."""
    agreement, secrets = session.agreed(seconds=WAIT)

    async def stays() -> None:
        async with open_mesh(agreement, secrets["B"]):
            await asyncio.sleep(10 * WAIT)

    started = time.monotonic()
    quiet = asyncio.create_task(stays()) if silent else None
    rest = (name for name in session.frames if name != "B")
    running = (taking_part(agreement, secrets[n], session.frames[n], accept_output_disclosure=True) for n in rest)
    ended = await asyncio.gather(*running, return_exceptions=True)
    spent = time.monotonic() - started
    if quiet is not None:
        quiet.cancel()
        await asyncio.gather(quiet, return_exceptions=True)
    if not all(isinstance(one, Fault) and one.party == "B" for one in ended):
        raise AssertionError(f"{session.protocol}: {ended}")
    return spent
