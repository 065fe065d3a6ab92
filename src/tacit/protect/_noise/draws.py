"""Draws with mean 0 and variance 1, one for every row: the same on every engine and for every size of batch."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from ...seed import BLOCK, child_seed, draw_rows, keyed_bytes

if TYPE_CHECKING:
    Draw = Callable[[np.random.Generator, int], np.ndarray]


WORD = 8
"""Bytes of a random word."""
SPARE = BLOCK // 16
"""Words for the one number in a hundred that needs more than its own, three times as many as a block uses."""
NONE = np.zeros(BLOCK)
"""What draws are added to when they are wanted by themselves."""


def read_only(values: np.ndarray) -> np.ndarray:
    """The values as an array that cannot be written to: kernels are compiled once, for this kind of array."""
    seen = values.view()
    seen.flags.writeable = False
    return seen


def _add_normal(seed: bytes, block: int, values: np.ndarray, *, scale: float, out: np.ndarray) -> np.ndarray:
    """Values plus the first normal draws of a block times the scale."""
    from ...kernels.normals import add_normals, settle_outside

    words = keyed_bytes(child_seed(seed, "normal"), block * BLOCK * WORD, len(out) * WORD).view(np.uint64)
    outside = add_normals(words, read_only(values), scale, out)
    done, used, more = 0, 0, SPARE
    while done < len(outside):
        done, used = settle_outside(words, outside, done, _spare_words(seed, block, more), used, scale, out)
        more *= 2
    return out


def _spare_words(seed: bytes, block: int, count: int) -> np.ndarray:
    return keyed_bytes(child_seed(seed, "spare", block), 0, count * WORD).view(np.uint64)


def _uniform_draws(rng: np.random.Generator, count: int) -> np.ndarray:
    return (rng.random(count) - 0.5) * sqrt(12.0)


def _laplace_draws(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.laplace(scale=sqrt(0.5), size=count)


LAWS: dict[str, Draw | None] = {"normal": None, "uniform": _uniform_draws, "laplace": _laplace_draws}
"""Name → draws of the law that has mean 0 and variance 1; normal ones have a stream of their own."""


def standard_draws(law: str, seed: bytes, start: int, count: int) -> np.ndarray:
    """The draws of rows ``start … start+count−1``, which lie in one block of :data:`tacit.seed.BLOCK` rows."""
    draw = LAWS[law]
    if draw is not None:
        return draw_rows(seed, start, count, draw)
    skipped = start % BLOCK
    upto = skipped + count
    return _add_normal(seed, start // BLOCK, NONE[:upto], scale=1.0, out=np.empty(upto))[skipped:]


def add_draws(law: str, seed: bytes, start: int, values: np.ndarray, *, scale: float, out: np.ndarray) -> None:
    """Values plus the draws of their rows times the scale, ``out`` may be the values themselves.

    Normal draws from the start of a block on are made and added in one pass.
    """
    if law == "normal" and start % BLOCK == 0:
        _add_normal(seed, start // BLOCK, values, scale=scale, out=out)
    else:
        np.add(values, standard_draws(law, seed, start, len(out)) * scale, out=out)
