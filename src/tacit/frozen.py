"""A dictionary that is a value: it cannot be changed and can be hashed, so that what holds it is a value too."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

__all__ = ["FrozenDict"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenDict(dict[Key, Value]):
    """A read-only dictionary.

    >>> levels = FrozenDict(zip=2)
    >>> levels == {"zip": 2}, hash(levels) == hash(FrozenDict(zip=2))
    (True, True)
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted((str(key), str(value)) for key, value in self.items())))

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("the parameters of a method cannot be changed: make another one")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse
