"""What another party wrote as JSON: an object, or nothing at all."""

from __future__ import annotations

import json
from typing import Any


def parse_object(payload: bytes) -> dict[str, Any]:
    """The object in these bytes; ValueError for whatever else they are, however deep it goes.

    >>> parse_object(b'{"name": "north"}')
    {'name': 'north'}
    >>> parse_object(b"[" * 90_000)
    Traceback (most recent call last):
    ...
    ValueError: it goes too deep
    """
    try:
        found = json.loads(payload)
    except RecursionError:
        raise ValueError("it goes too deep") from None
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found
