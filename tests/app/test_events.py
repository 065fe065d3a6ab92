"""Events for every window; one that does not listen is let go, so that its browser begins anew."""

from __future__ import annotations

import asyncio

from tacit.app.server.studio import MOST, Events


def test_a_window_that_is_too_far_behind_is_let_go_and_others_hear_on() -> None:
    async def work() -> list[bytes]:
        events = Events()
        slow, quick = events.stream(dict), events.stream(dict)
        for one in (slow, quick):
            assert await anext(one) == b"data: {}\n\n"
        heard = []
        for number in range(MOST + 1):
            events.broadcast({"number": number})
            heard.append(await anext(quick))
        assert [part async for part in slow] == [], "the stream ends: nothing in it is right any more"
        events.broadcast({"number": -1})
        heard.append(await anext(quick))
        events.close()
        assert [part async for part in quick] == []
        return heard

    async def waiting() -> list[bytes]:
        async with asyncio.timeout(30):
            return await work()

    heard = asyncio.run(waiting())
    assert len(heard) == MOST + 2 and heard[-1] == b'data: {"number": -1}\n\n'
