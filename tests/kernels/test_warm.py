"""Kernels are compiled once: what the demo needs is named, and found again on disk."""

from __future__ import annotations

from pathlib import Path

import tacit.kernels
from tacit.kernels.warm import CALLS, JOB, has_uncompiled, warm_kernels


def test_what_the_demo_needs_are_kernels():
    folder = Path(tacit.kernels.__file__).parent
    assert set(JOB) <= set(CALLS) and len(set(JOB)) == len(JOB)
    assert all((folder / f"{name}.py").exists() for name in JOB)


def test_a_kernel_that_was_called_is_no_longer_cold():
    assert has_uncompiled(("rank_intervals", "no_such_kernel"))
    told = []
    warm_kernels(lambda name, share: told.append((name, share)), only=("rank_intervals",))
    assert told == [("rank_intervals", 1.0)] and not has_uncompiled(("rank_intervals",))
