"""Measurements side by side, each in a process of its own: CPU seconds are those of the process."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Asked = TypeVar("Asked")
Found = TypeVar("Found")


def side_by_side(work: Callable[[Asked], Found], asked: Sequence[Asked], *, alone: bool = False) -> list[Found]:
    """The answers in the order of the questions, by one process a core; ``alone``: by this one, which has no start to wait for."""
    cores = os.cpu_count() or 1
    if alone or cores == 1:
        return [work(one) for one in asked]
    with ProcessPoolExecutor(min(cores, len(asked)), mp_context=multiprocessing.get_context("spawn")) as workers:
        return list(workers.map(work, asked))
