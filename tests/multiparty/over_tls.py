"""A whole session over real sockets, each party with a file of its own."""

from __future__ import annotations

import asyncio

from tacit.multiparty.session import taking_part

from .parties import house


def agreed(names, protocol, task, *, modulus=2**64):
    """An agreement of made-up parties on a task."""
    return house(names, protocol, task=task, modulus=modulus, max_message=10_000_000, round_timeout=60.0)[0]


def joined(frames, protocol, task, *, modulus=2**64, accept=False):
    """Everybody's outcome."""

    async def all_of_them():
        given = {"task": task, "modulus": modulus, "max_message": 10_000_000, "round_timeout": 60.0}
        agreement, secrets = house(list(frames), protocol, **given)
        running = (
            taking_part(agreement, secrets[name], frame, accept_output_disclosure=accept, accept_empty=True)
            for name, frame in frames.items()
        )
        return await asyncio.gather(*running)

    return dict(zip(frames, asyncio.run(all_of_them()), strict=True))
