"""What a job on a network found: the verdict, the protected network, the attacks on it and what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...graphs.files.lineage import write_lineage
from ..job_outcome import JobFile, JobOutcome
from ..result_schema import JobKind

if TYPE_CHECKING:
    from ...attack.runner import AttackResult
    from ...graphs.graph import Graph
    from ...graphs.masked import MaskedGraph
    from ...release.trace import Trace
    from .stronger_intruders import MeasuredIntruder

NETWORK = "network"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphOutcome(JobOutcome):
    """The whole of a job on a network.

    ``masked`` is the protected network with its trace and lineage; ``files`` what would be published, by name, byte for
    byte as it was judged. ``verdicts`` are on the network as it was read again; ``bare`` and ``attacks`` what attacks find in the
    original under new numbers and in the release, ``stronger`` what intruders find there who know more than the declared
    one; ``before`` and ``after`` measures of both. Everything but ``files`` and the public trace is for internal eyes.
    """

    original: Graph
    masked: MaskedGraph
    attacks: tuple[AttackResult, ...]
    bare: tuple[AttackResult, ...] = ()
    stronger: tuple[MeasuredIntruder, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def kind(self) -> JobKind:
        """A network."""
        return "graph"

    @property
    def worst(self) -> AttackResult | None:
        """The attack with the highest upper end of its interval."""
        made = [one for one in self.attacks if one.result is not None]
        return max(made, key=lambda one: one.result.worst_case, default=None)  # type: ignore[union-attr]

    @property
    def trace(self) -> tuple[Trace, ...]:
        """The steps of the protection."""
        return self.masked.trace

    def public_files(self) -> Iterator[JobFile]:
        """The files of edges and nodes."""
        for name, content in self.files.items():
            yield JobFile(name=f"{NETWORK}/{name}", write=partial(_write_bytes, content))

    def internal_files(self) -> Iterator[JobFile]:
        """Which released node is which of the original."""
        yield JobFile(name="lineage.parquet", write=lambda path: write_lineage(self.masked.original_nodes(), path))

    def attack_entries(self) -> Iterator[dict[str, Any]]:
        """The attacks of the declared intruder on both networks, and of stronger ones on the release."""
        every = (
            ("release", "declared", self.attacks),
            *(("release", one.code, one.attacks) for one in self.stronger),
            ("original", "declared", self.bare),
        )
        for on, intruder, attacks in every:
            yield from ({"on": on, "intruder": intruder, **one.as_json()} for one in attacks)

    def details(self) -> dict[str, Any]:
        """How many nodes and edges there are, and what stronger intruders know."""
        before, after = self.original, self.masked.graph
        return {
            "nodes": {"original": before.size, "released": after.size},
            "edges": {"original": before.links, "released": after.links},
            "stronger_intruders": [one.as_json() for one in self.stronger],
        }


def _write_bytes(content: bytes, path: Path) -> None:
    path.write_bytes(content)
