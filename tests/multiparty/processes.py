"""Parties as processes of their own, started by the command that users type."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from tacit.multiparty.agreement.agreement import Member
from tacit.multiparty.agreement.keys import card_text, write_secret

from .parties import ages


def written(folder, agreement, secrets, frames=None):
    """The agreement as a file, with everybody's keys and data beside it."""
    lines = ["[session]", f'name = "{agreement.session}"']
    for key in ("protocol", "modulus", "adversary", "connect_timeout", "round_timeout", "max_message"):
        value = getattr(agreement, key)
        lines.append(f"{key} = {json.dumps('2^64' if value == 2**64 else value)}")
    columns = agreement.task["columns"]
    rest = {key: value for key, value in agreement.task.items() if key != "columns"}
    lines += ["[task]", *(f"{key} = {json.dumps(value)}" for key, value in rest.items()), "[task.columns]"]
    lines += [f"{name} = {{ low = {one['low']}, high = {one['high']} }}" for name, one in columns.items()]
    cards = [card_text(Member(**{name: getattr(one, name) for name in Member.__slots__})) for one in agreement.members]
    path = folder / "AGREEMENT.toml"
    path.write_text("\n".join([*lines, "", *cards]))
    for name, secret in secrets.items():
        write_secret(secret, folder / f"{name}.secret.toml")
        (frames[name] if frames else ages(name)).write_csv(folder / f"{name}.csv")
    return path


async def started(agreement, name, *more):
    """``tacit party join`` as a process; its result goes to NAME.json."""
    data, out = agreement.with_name(f"{name}.csv"), agreement.with_name(f"{name}.json")
    command = [sys.executable, "-m", "tacit", "party", "join", agreement, "--as", name, "--data", data, "--out", out]
    return await asyncio.create_subprocess_exec(
        *map(str, [*command, *more]), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )


async def ends(agreement, running):
    """For each process its exit code, what it said, whether it left a result, and the seconds until it ended."""
    since = time.monotonic()

    async def one(name, process):
        said, problem = await asyncio.wait_for(process.communicate(), 120)
        left = sorted(path.name for path in agreement.parent.glob(f"*{name}.json*"))
        return process.returncode, (said + problem).decode(), left, time.monotonic() - since

    return dict(zip(running, await asyncio.gather(*(one(*pair) for pair in running.items())), strict=True))
