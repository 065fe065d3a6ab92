"""The key of a method's draws: other noise for another law, so that two releases cannot be solved for the values."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING

from ...release.trace import method_name, plain
from ...seed import child
from ..parameters import seed_of

if TYPE_CHECKING:
    from ...seed import Seed

__all__ = ["key_of"]

AFTERWARDS = ("bounds", "totals", "exact")
"""Parameters of what is done to the values after the noise: with other ones the noise stays the same."""


def key_of(method: object, seed: Seed | None) -> bytes:
    """The seed of a method for the parameters that make its noise.

    With the same draws z behind two releases of a value x, x + σz and x + 2σz, whoever has both knows x; and two columns
    that are masked one after the other with the same z give each other away. So method, columns and law are part of the
    key. The same noise again, with other bounds, tells nothing new.
    """
    law = {
        one.name: plain(getattr(method, one.name))
        for one in fields(method)  # type: ignore[arg-type]
        if one.name not in AFTERWARDS
    }
    return child(seed_of(method, seed), method_name(method), json.dumps(law, sort_keys=True))
