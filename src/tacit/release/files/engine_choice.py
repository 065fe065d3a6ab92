"""Which engine holds a file: Polars in memory, or DuckDB when it would take more than a quarter of the memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from ...errors import TacitError, suggest_alternative

Engine: TypeAlias = Literal["auto", "polars", "duckdb"]
SHARE = 4
"""A table may take one part in so many of the memory; measures need the rest."""
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def check_engine(engine: str) -> None:
    """Refuse an unknown engine, with the nearest known one."""
    known = get_args(Engine)
    if engine not in known:
        raise TacitError(
            f"engine={engine!r} is not known for files",
            code="unknown_name",
            parameter="engine",
            fix=suggest_alternative(engine, known),
        )


def choose_engine(engine: Engine, needed: int) -> Literal["polars", "duckdb"]:
    """The engine that was asked for, or for "auto" the one that ``needed`` bytes in memory call for."""
    if engine == "auto":
        return "duckdb" if needed > available_memory() // SHARE else "polars"
    return engine


def available_memory() -> int:
    """The bytes of memory of this machine, or of the container it runs in when that has less."""
    total = _memory_of_machine()
    try:
        limit = CONTAINER_LIMIT.read_text().strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def _memory_of_machine() -> int:
    if sys.platform != "win32":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "free", "pages", "free_pages", "space", "free_space", "more")
        ]

    status = Status(length=ctypes.sizeof(Status))
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.total)
