"""Secure sums of long vectors over real processes and sockets, beside MPyC in the same run; bytes and rounds of every protocol."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bars import ROOT, Bars, child_cpu

from tacit.kernels.mersenne import PRIME
from tacit.multiparty import make_keys
from tacit.multiparty.agreement.keys import card_text, write_secret
from tacit.multiparty.protocols.protocol import PROTOCOLS

OWN = ROOT / ".venv-mpyc"
"""An environment of their own for MPyC and openmined-psi; TACIT_MPYC names another one."""
PSI = "private_set_intersection.python"
THEIR_PACKAGES = {"mpyc": ["mpyc==0.11", "numpy", "gmpy2"], PSI: ["openmined-psi==2.0.6"]}
"""Module → what is installed for it."""
LENGTH = 100_000
RATIO = 20

OURS = """
import asyncio, json, sys, time
import numpy as np
from tacit.multiparty import load_agreement, load_secret
from tacit.multiparty.protocols.protocol import PROTOCOLS
from tacit.multiparty.ring import Ring
from tacit.multiparty.wire.mesh import open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

agreement, secret, length = load_agreement(sys.argv[1]), load_secret(sys.argv[2]), int(sys.argv[3])
ring = Ring(agreement.modulus)
words = ring.words(np.random.default_rng(agreement.names.index(secret.name)).integers(0, 2**40, length).tolist())

async def main():
    async with open_mesh(agreement, secret) as mesh:
        seat = NetworkParty(mesh, ring)
        before, since = time.process_time(), time.monotonic()
        total = await PROTOCOLS[agreement.protocol].run(seat, words)
        spent, waited = time.process_time() - before, time.monotonic() - since
        await asyncio.sleep(0.5)
        links = mesh.links.values()
        print(json.dumps({"cpu": spent, "wall": waited, "first": int(total[0]), "messages": len(seat.saw),
                          "sent": sum(link.bytes_sent for link in links)}))

asyncio.run(main())
"""

THEIRS = """
import json, sys, time
import numpy as np
from mpyc.runtime import mpc

async def main():
    field, length = mpc.SecFld(2**61 - 1), int(sys.argv[1])
    values = np.random.default_rng(mpc.pid).integers(0, 2**40, length)
    mine = field.array(np.array([int(value) for value in values], dtype=object))
    await mpc.start()
    before, since = time.process_time(), time.monotonic()
    inputs = mpc.input(mine)
    total = inputs[0]
    for more in inputs[1:]:
        total = total + more
    opened = await mpc.output(total)
    spent, waited = time.process_time() - before, time.monotonic() - since
    print(json.dumps({"cpu": spent, "wall": waited, "first": int(opened[0])}), flush=True)
    await mpc.shutdown()

mpc.run(main())
"""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    for parties in (3, 5):
        ours = by_us("additive_sum", parties, LENGTH)
        bars.stated(f"sum of 10^5 by {parties} parties: CPU s in all", total(ours), wall=ours[0]["wall"])
        theirs = None if bars.quick else by_mpyc(parties, LENGTH)
        name = f"MPyC over ours, sum of 10^5 by {parties} parties, CPU"
        if theirs is None:
            bars.skipped(
                name, "its environment is made by a full run" if bars.quick else "MPyC cannot be installed here"
            )
            continue
        bars.true(
            f"the same sum as MPyC, {parties} parties",
            {one["first"] for one in ours} == {one["first"] for one in theirs},
        )
        bars.at_least(name, total(theirs) / total(ours), RATIO, ours=total(ours), theirs=total(theirs))
    for protocol in PROTOCOLS:
        words = 20 if protocol == "verified_sum" else 1_000
        if bars.quick:
            bars.skipped(f"{protocol}, 5 parties, {words:,} words: bytes", "five processes each, in a full run only")
            continue
        made = by_us(protocol, 5, words)
        sent, messages = (sum(one[what] for one in made) for what in ("sent", "messages"))
        bars.stated(f"{protocol}, 5 parties, {words:,} words: bytes", sent, messages=messages, cpu=total(made))


def total(parties: list[dict[str, Any]]) -> float:
    """CPU seconds of all parties together, from the first message to the result."""
    return sum(float(one["cpu"]) for one in parties)


def by_us(protocol: str, parties: int, length: int) -> list[dict[str, Any]]:
    """Each party a process; keys, certificates and connections as in any session."""
    names = [f"p{place}" for place in range(parties)]
    base = random.SystemRandom().randrange(20_000, 30_000)
    modulus = PRIME if protocol == "shamir_sum" else "2^64"
    with tempfile.TemporaryDirectory() as folder:
        cards = []
        for place, name in enumerate(names):
            secret, member = make_keys(name, host="127.0.0.1", port=base + place)
            write_secret(secret, Path(folder) / name)
            cards.append(card_text(member))
        session = f'[session]\nname = "bench"\nprotocol = "{protocol}"\nmodulus = {json.dumps(modulus)}\n'
        waits = "connect_timeout = 60\nround_timeout = 60\n[task]\n"
        agreement = Path(folder) / "AGREEMENT.toml"
        agreement.write_text("\n".join([session + waits, *cards]))
        return _run(
            [[sys.executable, "-c", OURS, str(agreement), str(Path(folder) / name), str(length)] for name in names]
        )


def by_mpyc(parties: int, length: int) -> list[dict[str, Any]] | None:
    """The same sum by MPyC's arrays over a field of the same size, without TLS."""
    python = their_python()
    if python is None:
        return None
    base = random.SystemRandom().randrange(20_000, 30_000)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "theirs.py"
        script.write_text(THEIRS)
        options = [f"-M{parties}", "-B", str(base), "--no-log"]
        try:
            return _run([[str(python), str(script), str(length), *options, f"-I{place}"] for place in range(parties)])
        except (OSError, ValueError):
            return None


def their_python(module: str = "mpyc") -> Path | None:
    """The interpreter of an environment in which this module of others works, made once; None where it cannot be made."""
    python = Path(os.environ.get("TACIT_MPYC", OWN)) / "bin" / "python"
    if not python.exists():
        python = OWN / "bin" / "python"
        child_cpu([sys.executable, "-m", "venv", str(OWN)])
    for install in (True, False):
        if child_cpu([str(python), "-c", f"import {module}"])[1].returncode == 0:
            return python
        if install:
            child_cpu([str(python), "-m", "pip", "install", "-q", *THEIR_PACKAGES[module]])
    return None


def _run(commands: list[list[str]]) -> list[dict[str, Any]]:
    started = [subprocess.Popen(one, stdout=subprocess.PIPE, text=True) for one in commands]
    said = [one.communicate(timeout=300)[0] for one in started]
    return [json.loads(text.strip().splitlines()[-1]) for text in said]
