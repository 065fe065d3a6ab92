"""Randomness is an argument: a seed is a key, and every use of it gets a stream of its own.

A release drawn with a known seed can be undone by whoever learns it, so for publication the seed is 128 bits
from the operating system (:func:`secret_seed`), and is kept with the internal files. The streams are Philox, a keyed
counter generator (Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3): draw number i is a function
of key and i alone, so a stream can be read from any row. Normal noise and changes of category come from
AES in counter mode (:func:`keyed_bytes`). Keys of parts are derived with BLAKE2b.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from .errors import TacitError

if TYPE_CHECKING:
    import numpy as np

    Seed: TypeAlias = int | bytes | np.random.Generator


_S = TypeVar("_S", bound="Seed")

DEFAULT_SEED = 0
"""The seed of attacks, measurements, pictures and examples that are given none: they protect nothing, and repeat.

No method that masks, no mechanism and no protocol falls back on it: without a seed they draw one from the operating
system (:func:`secret_seed`) or refuse.
"""
BLOCK = 1 << 16
"""Rows that share a stream of draws."""
AES_BLOCK = 16


def secret_seed() -> bytes:
    """A fresh 128-bit seed from the operating system's source."""
    return secrets.token_bytes(16)


def seed_or_default(seed: _S | None) -> _S | int:
    """The seed, or :data:`DEFAULT_SEED`; only for what protects nothing."""
    return DEFAULT_SEED if seed is None else seed


def written_seed(seed: int | bytes) -> str:
    """A seed as text, for ``seed.txt`` and ``--seed``; :func:`read_seed` gives it back.

    >>> written_seed(7), written_seed(b"\\x01" * 16)[:6], read_seed(written_seed(b"\\x01" * 16)) == b"\\x01" * 16
    ('7', '0x0101', True)
    """
    return f"0x{seed.hex()}" if isinstance(seed, bytes) else str(seed)


def read_seed(text: str) -> int | bytes:
    """The seed that a text stands for: a whole number, or 0x and an even number of hexadecimal digits."""
    try:
        return bytes.fromhex(text[2:]) if text.startswith("0x") and len(text) > 2 else int(text)
    except ValueError:
        raise TacitError(
            f"the seed {text!r} is not one", code="seed", fix="a whole number such as 7, or the text of seed.txt"
        ) from None


def child_seed(seed: int | bytes, *path: str | int) -> bytes:
    """The seed of a part of the work; different paths give unrelated streams.

    >>> child_seed(7, "step", 0) == child_seed(7, "step", 0), child_seed(7, "step", 0) == child_seed(7, "step", 1)
    (True, False)
    """
    mixed = hashlib.blake2b(digest_size=16, key=_seed_key(seed))
    for name in path:
        text = f"{type(name).__name__}:{name}".encode()
        mixed.update(len(text).to_bytes(8, "little") + text)
    return mixed.digest()


def make_generator(seed: Seed) -> np.random.Generator:
    """A generator for a seed, or the generator itself when one is passed.

    >>> float(make_generator(7).random()) == float(make_generator(7).random())
    True
    """
    import numpy as np

    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.Generator(np.random.Philox(key=int.from_bytes(_seed_key(seed), "little")))


def draw_rows(
    seed: int | bytes, start: int, count: int, draw: Callable[[np.random.Generator, int], np.ndarray]
) -> np.ndarray:
    """The draws of rows ``start … start+count−1``: the same whichever rows are asked for together, on any engine.

    Every block of rows has a stream of its own, so that a batch in the middle of a file costs no more than its blocks;
    ``draw`` gives n draws of one or several numbers from a generator, the first m of them the same for every n ≥ m (as
    ``random`` and ``standard_normal`` do). O(count + block) time.

    >>> def normal(rng, n):
    ...     return rng.standard_normal(n)
    >>> bool((draw_rows(7, 0, 100_000, normal)[70_000:] == draw_rows(7, 70_000, 30_000, normal)).all())
    True
    """
    import numpy as np

    first, last = start // BLOCK, max(start, start + count - 1) // BLOCK
    blocks = [draw(make_generator(child_seed(seed, "rows", block)), BLOCK) for block in range(first, last)]
    end = start + count - last * BLOCK
    blocks.append(draw(make_generator(child_seed(seed, "rows", last)), end))
    found = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    return found[start - first * BLOCK :]


def keyed_bytes(seed: int | bytes, start: int, count: int) -> np.ndarray:
    """Bytes ``start … start+count−1`` of the key stream of a seed: AES-128 in counter mode, as fast as a copy.

    Whoever learns some of the noise on a file, because they know some of its people, learns nothing about the rest.

    >>> bool((keyed_bytes(7, 37, 63) == keyed_bytes(7, 0, 100)[37:]).all())
    True
    """
    import numpy as np
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    first, skipped = divmod(start, AES_BLOCK)
    counter = modes.CTR(first.to_bytes(AES_BLOCK, "big"))
    cipher = Cipher(algorithms.AES(_seed_key(seed)), counter).encryptor()
    found = np.empty(skipped + count + AES_BLOCK - 1, np.uint8)
    cipher.update_into(_zero_bytes(skipped + count), memoryview(found))  # type: ignore[arg-type]
    return found[skipped : skipped + count]


@lru_cache(maxsize=4)
def _zero_bytes(count: int) -> bytes:
    """What is enciphered; kept, because batches are of equal size."""
    return bytes(count)


def _seed_key(seed: int | bytes) -> bytes:
    if isinstance(seed, bytes) and seed:
        return seed if len(seed) == 16 else hashlib.blake2b(seed, digest_size=16).digest()
    if isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0:
        return hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    said = "a negative number" if isinstance(seed, int) and not isinstance(seed, bool) else type(seed).__name__
    raise TacitError(
        f"a seed is a whole number from 0 on, bytes or a Generator, not {said}",
        code="not_whole_number",
        fix="e.g. seed=7",
    )
