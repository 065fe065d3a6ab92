"""Parties over real sockets and TLS, all in one event loop, and a proxy that does to their bytes what a network can do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
from dataclasses import dataclass, field, replace
from itertools import cycle, islice

import polars as pl

from tacit.errors import TacitError
from tacit.kernels.mersenne import PRIME
from tacit.multiparty.agreement.agreement import Agreement
from tacit.multiparty.agreement.keys import make_keys
from tacit.multiparty.session import taking_part

TASK = {"compute": "mean", "rows": 1000, "columns": {"age": {"low": 0, "high": 120}}}
HANDSHAKE = 3
"""A caller's first records under encryption: its certificate, the proof that it has the key, and the end of the handshake."""
LONGEST = 300
"""Seconds until a session must have ended, however busy the machine is: all deadlines of the tests are shorter."""
AGES = {"A": [30, 41], "B": [20, 25, 31], "C": [77], "D": [50, 60], "E": [18]}


WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 4
PORTS = cycle(random.Random(os.getpid()).sample(range(20_000 + 3_000 * WORKER, 23_000 + 3_000 * WORKER), 3_000))
"""Below those that the system hands out to callers; other ones for each worker, and none again before all were used."""


def free_port() -> int:
    """The next port that nobody listens on."""
    for port in islice(PORTS, 3_000):
        with socket.socket() as held, contextlib.suppress(OSError):
            held.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is left")


def house(names="ABC", protocol="additive_sum", **more):
    """An agreement between made-up parties, and their secret keys."""
    made = [make_keys(name, host="127.0.0.1", port=free_port(), **more.pop("keys", {})) for name in names]
    modulus = PRIME if protocol == "shamir_sum" else 2**64
    given = {"connect_timeout": 20.0, "round_timeout": 20.0, "max_message": 100_000, "task": TASK, "modulus": modulus}
    agreement = Agreement(
        session="ages", protocol=protocol, members=tuple(member for _, member in made), **(given | more)
    )
    return agreement, {secret.name: secret for secret, _ in made}


def ages(name):
    return pl.DataFrame({"age": AGES[name]})


async def everybody(agreement, secrets, names=None, own=None, listen=None, frames=None):
    """What came of each party: its result, or the error that it ended with; some may have an agreement of their own."""

    async def one(name):
        theirs = (own or {}).get(name, agreement)
        try:
            frame = frames[name] if frames else ages(name)
            place = (listen or {}).get(name)
            return await taking_part(
                theirs, secrets[name], frame, listen=place, accept_output_disclosure=frames is not None
            )
        except TacitError as problem:
            return problem

    chosen = list(names or secrets)
    ended = await asyncio.wait_for(asyncio.gather(*(one(name) for name in chosen)), LONGEST)
    return dict(zip(chosen, ended, strict=True))


@dataclass
class Proxy:
    """In front of one party: every connection to it runs through here, TLS record by record.

    After the handshake and ``skipped`` records from a caller the fault begins: drop, stall, truncate, flip, duplicate,
    replay, reorder or oversize (a record longer than TLS allows). With refuse nobody gets through at all.
    """

    fault: str
    skipped: int = 0
    port: int = field(default_factory=free_port)

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._call, "127.0.0.1", self.port)
        self.tasks, self.writers, self.begun = [], [], asyncio.Event()
        return self

    async def __aexit__(self, *_):
        self.server.close()
        for task in self.tasks:
            task.cancel()
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.sleep(0)

    def before(self, agreement, name):
        """The agreement in which the party is reached through the proxy."""
        self.target = agreement.member(name).port
        members = tuple(replace(one, port=self.port) if one.name == name else one for one in agreement.members)
        return replace(agreement, members=members)

    @property
    def listen(self):
        return f"127.0.0.1:{self.target}"

    async def _call(self, reader, writer):
        self.writers.append(writer)
        if self.fault == "refuse":
            self.begun.set()
            writer.transport.abort()
            return
        try:
            back, forth = await asyncio.open_connection("127.0.0.1", self.target)
            self.writers.append(forth)
        except OSError:
            writer.close()
            return
        self.tasks += [
            asyncio.create_task(self._pass(reader, forth, writer)),
            asyncio.create_task(self._copy(back, writer)),
        ]

    async def _copy(self, reader, writer):
        with contextlib.suppress(OSError):
            while chunk := await reader.read(65_536):
                writer.write(chunk)
                await writer.drain()
        writer.close()

    async def _pass(self, reader, forth, caller):
        data, last = 0, b""
        with contextlib.suppress(OSError, EOFError):
            while True:
                head = await reader.readexactly(5)
                record = head + await reader.readexactly(int.from_bytes(head[3:]))
                data += head[0] == 23
                if data > HANDSHAKE + self.skipped and self.fault != "none":
                    record, goes_on = await self._spoilt(record, last, reader)
                    if not goes_on:
                        forth.write(record)
                        break
                forth.write(record)
                last = record
                await forth.drain()
        forth.close()
        caller.close()

    async def _spoilt(self, record, last, reader):
        """What goes on instead, and whether anything follows."""
        self.begun.set()
        if self.fault == "stall":
            await asyncio.sleep(3600)
        if self.fault in ("drop", "truncate"):
            return record[: len(record) // 2] if self.fault == "truncate" else b"", False
        if self.fault == "flip":
            return bytes([*record[:-1], record[-1] ^ 1]), True
        if self.fault == "duplicate":
            return record + record, True
        if self.fault == "oversize":
            return record[:3] + b"\xff\xff" + bytes(2**16), True
        return (last + record if self.fault == "replay" else record[:5] + record[:4:-1]), True
