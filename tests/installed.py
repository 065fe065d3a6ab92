"""Entries of other distributions, without installing any."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

from tacit.registry import Registry


@contextmanager
def installed(registry: Registry, **targets: str) -> Iterator[None]:
    """The registry as it is where a distribution has these entry points: name="module:class"."""
    found = {name: EntryPoint(name, target, registry.group) for name, target in targets.items()}
    registry.__dict__["_plugins"] = found
    try:
        yield
    finally:
        del registry.__dict__["_plugins"]
        for name in found:
            registry._entries.pop(name, None)
