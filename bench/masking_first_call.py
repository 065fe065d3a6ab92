"""The first call of every masking method on the clinic register: with compilation, and from the cache.

The package is imported and the release is made before the clock starts; the compiler and all else that a method loads
count.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from bars import Bars

CALL = """
import sys, time
import tacit
from tacit.protect import METHODS
example = tacit.examples.clinic(300, seed=1)
roles = {**example.roles, "quasi": ("sex", "occupation")}
release = tacit.Release(example.frame, **roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own")
entry = METHODS[sys.argv[1]]
method = entry.call(**entry.example)
before = time.process_time()
method.apply(release, seed=7)
print(time.process_time() - before)
"""
COMPILED, CACHED = 8.0, 1.0
SEARCHES = ("anonymise", "full_domain", "k_member", "local_recode", "mondrian")
"""Searches for a model, which belong to another bench."""


def bars(bars: Bars) -> None:
    """The slowest masking methods, and every one that is over a bar."""
    from tacit.protect import METHODS

    if bars.quick:
        bars.skipped("first call of every method", "it takes longer")
        return
    compiled, cached = {}, {}
    for name in (one for one in METHODS if one not in SEARCHES):
        with tempfile.TemporaryDirectory() as folder:
            compiled[name], cached[name] = _seconds(name, folder), _seconds(name, folder)
    for title, found, bar in (("compiled", compiled, COMPILED), ("from the cache", cached, CACHED)):
        slowest = max(found, key=lambda name: found[name])
        over = sorted(name for name, seconds in found.items() if seconds > bar)
        bars.at_most(
            f"first call of any method, {title}: {slowest}, CPU s",
            found[slowest],
            bar,
            at_scale=True,
            over=over,
            all=found,
        )


def _seconds(name: str, cache: str) -> float:
    key = {"TACIT_KEY": "0123456789abcdef0123456789abcdef", "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", CALL, name], capture_output=True, text=True, check=True, env={**os.environ, **key}
    )
    return float(done.stdout)
