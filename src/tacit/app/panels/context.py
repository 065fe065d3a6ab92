"""What a panel works with: the plan as it stands, and the releases that follow from it, each computed once."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ...errors import TacitError
from ...plan.load import LoadedPlan, from_text
from ...plan.original import READING, described_by, table_of
from ...plan.protection import Step, after_step, steps_of
from ...progress import Progress, sub_progress
from ...protect.load import to_json
from ...release.files.engine_choice import available_memory
from ...release.masked import Masked, release_of
from ...release.release import Release

Kept = TypeVar("Kept")
SHARE = 4
"""What a worker keeps may take one part in so many of the memory; work needs the rest."""
CELL = 12
"""Bytes of a cell, its code included, roughly."""
KNOWN = 500
"""Figures about releases that a worker keeps."""


class Store:
    """Releases that a worker made before; when they fill their share of the memory, the least recently used goes first.

    Columns that a step did not change are shared between releases, so that the estimate is high rather than low.
    """

    def __init__(self, room: int | None = None) -> None:
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._room = available_memory() // SHARE if room is None else room
        self._known: OrderedDict[str, Any] = OrderedDict()

    def get(self, key: str, make: Callable[[], Kept]) -> Kept:
        """What is kept under a key, made when it is not there."""
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > 1 and sum(map(_memory_bytes, self._kept.values())) > self._room:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        found: Kept = self._kept[key]
        return found

    def get_figure(self, key: str, make: Callable[[], Kept]) -> Kept:
        """The same for figures about releases, of which many can be kept."""
        if key not in self._known:
            self._known[key] = make()
            while len(self._known) > KNOWN:
                self._known.popitem(last=False)
        found: Kept = self._known[key]
        return found


def _memory_bytes(kept: Release | Masked) -> int:
    release = release_of(kept)
    return release.size * len(release.columns) * CELL


class PanelContext:
    """The plan of a job, and what follows from it.

    ``question`` is what a panel was asked beside the plan (which column, which variant); ``seed`` is that of the project, so
    that what the page shows stays the same while nothing is changed.
    """

    def __init__(
        self,
        store: Store,
        *,
        folder: Path,
        documents: Mapping[str, str],
        question: Mapping[str, Any],
        seed: bytes,
        progress: Progress | None = None,
    ) -> None:
        self._store = store
        self.folder, self.documents, self.question, self.seed, self.progress = (
            folder,
            documents,
            question,
            seed,
            progress,
        )

    @cached_property
    def plan(self) -> LoadedPlan:
        """The plan as far as it is written."""
        if not self.documents["plan"]:
            raise TacitError("no file is open", code="missing_parameter", fix="open one on the page Data")
        return from_text(self.documents["plan"], folder=self.folder, name="plan.toml", draft=True)

    @cached_property
    def whole_plan(self) -> LoadedPlan:
        """The plan, which has to be complete: with something required."""
        return from_text(self.documents["plan"], folder=self.folder, name="plan.toml")

    @cached_property
    def table(self) -> Release:
        """The file as it was read."""
        return self._store.get(self._table_key, lambda: table_of(self.plan))

    @cached_property
    def original(self) -> Release:
        """The file under the roles, kinds and hierarchies of the plan."""
        return self._store.get(self._original_key, lambda: described_by(self.plan, self.table))

    @cached_property
    def steps(self) -> list[Step]:
        """All steps, those that every release gets among them."""
        return steps_of(self.plan, self.original)

    def masked(self, count: int | None = None) -> Masked:
        """The release after the first ``count`` steps, or after all of them."""
        if count is None:
            count = len(self.steps)
        if count == 0:
            return Masked(self.original, ())

        def make() -> Masked:
            before = self.masked(count - 1)
            share = sub_progress(self.progress, (count - 1) / len(self.steps), count / len(self.steps))
            return after_step(self.plan, before, self.steps, count - 1, self.seed, share)

        return self._store.get(self._masked_key(count), make)

    def cached_records(self, what: Sequence[Any], make: Callable[[], Release]) -> Release:
        """Records that no plan of microdata describes, read once while ``what`` they depend on is the same."""
        return self._store.get(_cache_key(*what), make)

    def cached_figure(self, what: str, count: int, make: Callable[[], Kept]) -> Kept:
        """A figure about the release after the first ``count`` steps, found once and kept under the name ``what``."""
        return self._store.get_figure(_cache_key(what, self._masked_key(count)), make)

    def _masked_key(self, count: int) -> str:
        done = [[one.path, to_json(one.method)] for one in self.steps[:count]]
        return _cache_key("masked", self._original_key, self.seed, done)

    @property
    def _table_key(self) -> str:
        data = self.plan.plan.data
        return _cache_key("table", file_stamp(self.plan.data_path), data.model_dump(include=READING, mode="json"))

    @property
    def _original_key(self) -> str:
        plan = self.plan.plan
        sections = plan.model_dump(include={"data", "roles", "kinds", "hierarchies"}, mode="json")
        return _cache_key("original", self._table_key, sections, ladder_stamps(self.folder, plan.hierarchies))


def file_stamp(path: Path) -> list[Any]:
    """A file by name, size and time of its last change, as long as it is there."""
    try:
        found = path.stat()
    except OSError:
        return [str(path)]
    return [str(path), found.st_size, found.st_mtime_ns]


def ladder_stamps(folder: Path, hierarchies: Mapping[str, Any]) -> list[list[Any]]:
    """The stamps of the files that hierarchies are in."""
    said = ({"file": given} if isinstance(given, str) else given for given in hierarchies.values())
    named = (given.get(word) for given in said if isinstance(given, dict) for word in ("file", "edges"))
    return [file_stamp(folder / file) for file in named if isinstance(file, str)]


def _cache_key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()
