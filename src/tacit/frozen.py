"""A dictionary that is a value: it cannot be changed, and it can be hashed, copied and pickled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A read-only dictionary, so that what holds it is a value too.

    >>> levels = FrozenDict(zip=2)
    >>> levels == {"zip": 2}, hash(levels) == hash(FrozenDict(zip=2.0))
    (True, True)
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Callable[..., FrozenDict[Key, Value]], tuple[dict[Key, Value]]]:
        return FrozenDict, (dict(self),)

    def _raise_immutable(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("it cannot be changed: make another one")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _raise_immutable
