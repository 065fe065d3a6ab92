"""Parties to attack: threads that call the documented ``join``, or processes of ``tacit party``, on free ports of this machine."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl

from tacit.errors import TacitError
from tacit.multiparty import Agreement, SessionResult, join, make_keys

WAIT = 300
NAMES = ("north", "south", "east")
COLUMNS = {"age": {"low": 0, "high": 120}, "pay": {"low": 0, "high": 100000, "decimals": 2}}
ROWS = 100


HEAD = """[session]
name = "red"
protocol = "%s"
modulus = "2^64"
adversary = "semi-honest"
connect_timeout = %d
round_timeout = 300
[task]
%s
"""


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all at once, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def frames() -> dict[str, pl.DataFrame]:
    """A file for each party; its figures are unlike the others'."""
    rng = np.random.default_rng(1)
    return {
        name: pl.DataFrame({"age": rng.integers(20 + 30 * at, 60 + 20 * at, 9), "pay": rng.integers(0, 10**7, 9) / 100})
        for at, name in enumerate(NAMES)
    }


def spoilt(kind: str) -> pl.DataFrame:
    """A file that does not keep to the agreement, with a marker in it that no message may repeat."""
    age, pay = [33, 44], [77777.25, 88888.5]
    values = {
        "beyond the bounds": ([33, 121], pay),
        "below the bounds": ([-1, 44], pay),
        "more decimals": (age, [77777.125, 1.0]),
        "missing": ([None, 44], pay),
        "not a number": (age, [float("nan"), 77777.25]),
        "infinite": (age, [float("inf"), 77777.25]),
        "text": (["33", "x77777.25"], pay),
        "too many rows": (age * 60, pay * 60),
        "empty": ([], []),
    }[kind]
    schema = None if kind != "empty" else {"age": pl.Int64, "pay": pl.Float64}
    return pl.DataFrame({"age": values[0], "pay": values[1]}, schema=schema)


class Circle:
    """Parties with keys on this machine, who run a session in threads of one process."""

    def __init__(self, names: tuple[str, ...] = NAMES) -> None:
        ports = free_ports(len(names))
        self.keys = {name: make_keys(name, host="127.0.0.1", port=at) for name, at in zip(names, ports, strict=True)}

    def agree(
        self, *, names: tuple[str, ...] = (), protocol: str = "additive_sum", wait: float = WAIT, **task
    ) -> Agreement:
        members = tuple(self.keys[name][1] for name in names or self.keys)
        times = {"connect_timeout": wait, "round_timeout": wait, "max_message": 10**6}
        return Agreement(session="red", protocol=protocol, modulus=2**64, members=members, task=task, **times)

    def meet(
        self, agreed: dict[str, Agreement], files: dict[str, pl.DataFrame], **accept
    ) -> dict[str, SessionResult | Exception]:
        ended: dict[str, SessionResult | Exception] = {}

        def take_part(name: str) -> None:
            try:
                ended[name] = join(agreed[name], self.keys[name][0], files[name], transcript=True, **accept)
            except (TacitError, OSError) as error:
                ended[name] = error

        parties = [threading.Thread(target=take_part, args=(name,)) for name in files]
        for party in parties:
            party.start()
        for party in parties:
            party.join(2 * WAIT)
        return ended


def run_party(*words: str | Path) -> subprocess.Popen:
    line = [sys.executable, "-m", "tacit", "party", *map(str, words)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Offices:
    """Three parties as processes, each with a folder of its own in which all is that it ever writes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in NAMES:
            (root / name).mkdir()
        ports = free_ports(len(NAMES))
        made = [
            run_party("keys", name, "--port", port, "--out", root / name)
            for name, port in zip(NAMES, ports, strict=True)
        ]
        assert [one.wait(WAIT) for one in made] == [0, 0, 0]
        cards = [root / name / f"{name}.card.toml" for name in NAMES]
        assert run_party("agree", *cards, "--out", root / "AGREEMENT.toml").wait(WAIT) == 0
        whole = (root / "AGREEMENT.toml").read_text()
        self.parties = whole[whole.index("[[party]]") :]

    def meet(self, heads: dict[str, str], files: dict[str, pl.DataFrame], run: str) -> dict[str, int]:
        """The exit codes; what was printed lies beside the result and the transcript."""
        started = {}
        for name, head in heads.items():
            folder = self.root / name
            (folder / f"{run}.toml").write_text(head + self.parties)
            files[name].write_csv(self.root / f"{run}-{name}.csv")
            out = ["--out", folder / f"{run}.json", "--transcript", folder / f"{run}.transcript", "--json"]
            line = ["--as", name, "--data", self.root / f"{run}-{name}.csv", "--secret", folder / f"{name}.secret.toml"]
            started[name] = run_party("join", folder / f"{run}.toml", *line, *out)
        for name, process in started.items():
            (self.root / name / f"{run}.printed").write_text(process.communicate(timeout=2 * WAIT)[0])
        return {name: process.returncode for name, process in started.items()}
