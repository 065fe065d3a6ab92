"""Comparison, scalar product and intersection beside MPyC and openmined-psi in the same run: CPU seconds of all parties.

Ours run at one table in one process, so that messages cost nothing but their making; theirs are as their makers run them.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from bars import Bars, spent
from multiparty_sums import PSI, their_python

from tacit.kernels.mersenne import PRIME
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.protocols.set_intersection import common_count
from tacit.multiparty.ring import Ring
from tacit.multiparty.tasks.compare_task import secure_greater
from tacit.multiparty.tasks.vertical_task import shamir_product

ROWS, ITEMS = 100_000, 100_000
MPYC = """
import json, sys, time
import numpy as np
from mpyc.runtime import mpc

async def main():
    field, number, rows = mpc.SecFld(2**61 - 1), mpc.SecInt(64), int(sys.argv[1])
    values = np.random.default_rng(mpc.pid).integers(0, 2**15, rows)
    mine = field.array(np.array([int(value) for value in values], dtype=object))
    await mpc.start()
    found = {}
    before = time.process_time()
    x, y = mpc.input(mine, senders=[0, 1])
    await mpc.output(mpc.np_sum(x * y))
    found["product"] = time.process_time() - before
    before = time.process_time()
    a, b = mpc.input(number.array(np.arange(100) * (mpc.pid + 1)), senders=[0, 1])
    await mpc.output(a < b)
    found["comparison"] = (time.process_time() - before) / 100
    print(json.dumps(found), flush=True)
    await mpc.shutdown()

mpc.run(main())
"""
WITH_PSI = """
import json, sys, time
import private_set_intersection.python as psi

count = int(sys.argv[1])
mine, theirs = [f"item {k}" for k in range(count)], [f"item {k}" for k in range(count // 2, count + count // 2)]
before = time.process_time()
client, server = psi.client.CreateWithNewKey(False), psi.server.CreateWithNewKey(False)
setup = server.CreateSetupMessage(0.0, count, theirs, psi.DataStructure.RAW)
response = server.ProcessRequest(client.CreateRequest(mine))
found = client.GetIntersectionSize(setup, response)
print(json.dumps({"cpu": time.process_time() - before, "found": found}))
"""


def bars(bars: Bars) -> None:
    """All lines of this part; the issue sets no bar on them, so they are stated."""
    ring, rng = Ring(PRIME), np.random.default_rng(1)
    columns = [rng.integers(0, 2**15, ROWS) for _ in range(2)]
    program = partial(shamir_product, terms=[{"A": ("x",), "B": ("y",)}], rows=ROWS)
    own = {"A": {("x",): ring.words(columns[0].tolist())}, "B": {("y",): ring.words(columns[1].tolist())}, "C": {}}
    product, _ = spent(lambda: run_protocol(program, own, LocalNetwork("ABC", ring)))  # type: ignore[arg-type]
    bars.stated("scalar product of 10^5 rows, 3 parties: CPU s", product)
    compared, _ = spent(
        lambda: [run_protocol(secure_greater, {"A": k, "B": 50}, LocalNetwork("AB", ring)) for k in range(20)]
    )  # type: ignore[arg-type]
    bars.stated("comparison of two 64-bit numbers, 2 parties: CPU s", compared / 20)
    count = 2_000 if bars.quick else ITEMS
    items = [[f"item {k}" for k in range(start, start + count)] for start in (0, count // 2)]
    sets = dict(zip("AB", items, strict=True))
    common, found = spent(lambda: run_protocol(common_count, sets, LocalNetwork("AB", ring)))  # type: ignore[arg-type]
    bars.stated(f"intersection size of 2 x {count:,} items: CPU s", common)
    bars.true("the right size of intersection", {one.count for one in found.values()} == {count // 2})
    if bars.quick:
        bars.skipped("MPyC and openmined-psi", "their environment is made by a full run")
        return
    _beside(bars, product, compared / 20, common, count)


def _beside(bars: Bars, product: float, compared: float, common: float, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "theirs.py"
        _mpyc(bars, script, {"product": product, "comparison": compared})
        _psi(bars, script, common, count)


def _mpyc(bars: Bars, script: Path, ours: dict[str, float]) -> None:
    python = their_python()
    if python is None:
        bars.skipped("MPyC over ours, product and comparison", "MPyC cannot be installed here")
        return
    base = random.SystemRandom().randrange(20_000, 30_000)
    script.write_text(MPYC)
    commands = [[str(python), str(script), str(ROWS), "-M3", "-B", str(base), "--no-log", f"-I{k}"] for k in range(3)]
    started = [subprocess.Popen(one, stdout=subprocess.PIPE, text=True) for one in commands]
    theirs = [json.loads(one.communicate(timeout=600)[0].strip().splitlines()[-1]) for one in started]
    for name, here in ours.items():
        there = sum(one[name] for one in theirs)
        bars.stated(f"MPyC over ours, {name}, CPU", there / here, ours=here, theirs=there)


def _psi(bars: Bars, script: Path, common: float, count: int) -> None:
    python = their_python(PSI)
    if python is None:
        bars.skipped("openmined-psi over ours, intersection, CPU", "openmined-psi cannot be installed here")
        return
    script.write_text(WITH_PSI)
    done = subprocess.run([str(python), str(script), str(count)], capture_output=True, text=True, check=True)
    other = json.loads(done.stdout)
    bars.true("the same size of intersection as openmined-psi", other["found"] == count // 2)
    bars.stated("openmined-psi over ours, intersection, CPU", other["cpu"] / common, ours=common, theirs=other["cpu"])
