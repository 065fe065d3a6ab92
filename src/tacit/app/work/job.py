"""What the page and a worker say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...errors import TacitError


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A panel to be computed for documents as they stand; ``key`` says on what it depends."""

    number: int
    panel: str
    key: str
    folder: Path
    documents: Mapping[str, str]
    question: Mapping[str, Any]
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """From a worker: how far it is, what it found (plain values), or why not."""

    number: int
    kind: Literal["progress", "done", "cancelled", "failed"]
    step: str = ""
    share: float = 0.0
    found: Any = None
    problem: TacitError | None = None
