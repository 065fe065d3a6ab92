"""One outcome as one HTML file that needs nothing else: no script but that of a map, no font, no address."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from ..errors import TacitError
from ..plan.outcome import Outcome
from ..result import shown
from .audience import THRESHOLD, Audience
from .blocks import Section
from .guarantee_page import guarantee_page
from .marks import marked, tied
from .sections import ALL
from .small_shares import hide_small_shares
from .statement import Statement, statement, worst_attack
from .words import percent

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["laid_out", "render"]


def render(outcome: Outcome, *, audience: Audience) -> str:
    """The report as HTML: the verdict first, then what it rests on; sections with nothing to show are left out.

    ``audience="public"`` shows nothing about single records; see :mod:`tacit.report.audience`. Of a release with a guarantee of
    differential privacy it shows nothing that was computed from the original; see :mod:`tacit.report.guarantee_page`.
    """
    if audience not in ("internal", "public"):
        raise TacitError(f"audience={audience!r} is unknown", fix="use audience='internal' or audience='public'")
    guarantee = outcome.guarantee
    if audience == "public" and guarantee is not None:
        said, figures, sections = guarantee_page(outcome, guarantee)
        return laid_out(outcome.title, said, figures, sections, audience=audience)
    sections = [section for build in ALL if (section := build(outcome, audience)) is not None]
    if audience == "public":
        sizes = [outcome.original.size, *([] if outcome.masked is None else [outcome.masked.release.size])]
        sections = hide_small_shares(sections, max(1, min(sizes)))
    said, figures = statement(outcome, audience=audience), _figures(outcome, audience)
    return laid_out(outcome.title, said, figures, sections, audience=audience)


def laid_out(
    title: str,
    said: Statement,
    figures: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    *,
    audience: Audience,
    footer: str | None = None,
) -> str:
    """A statement, a few figures and sections as a page with what it tells about in its footer; one with a map has scripts, and a policy by which they fetch nothing."""
    page = _environment().get_template("page.html")
    return page.render(
        title=title,
        audience=audience,
        statement=said,
        figures=figures,
        sections=sections,
        scripted=any(block.kind == "map" for section in sections for block in section.blocks),
        footer=footer,
        day=datetime.now(UTC).date(),
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    assert __package__ is not None
    found = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"tied": tied, "marked": marked}
    found.globals["show"] = found.get_template("blocks.html").module.show  # type: ignore[attr-defined]
    return found


def _figures(outcome: Outcome, audience: Audience) -> list[tuple[str, str]]:
    """The few numbers that stand beside the verdict."""
    found = [("Records", _records(outcome, audience))]
    sizes = [
        next((shown(r.value) for r in results if r.name == "k-anonymity"), None)
        for results in (outcome.before, outcome.after)
    ]
    if any(sizes):
        found.append(("Smallest group alike", " → ".join(filter(None, sizes))))
    worst = worst_attack(outcome)
    if worst is not None:
        found.append(("Worst attack", percent(worst.value)))
    if outcome.verdicts:
        hold = sum(verdict.holds for verdict in outcome.verdicts)
        found.append(("Requirements met", f"{hold} of {len(outcome.verdicts)}"))
    return found


def _records(outcome: Outcome, audience: Audience) -> str:
    """How many records; to the public not by how few the release differs from the original."""
    before = outcome.original.size
    after = before if outcome.masked is None else outcome.masked.release.size
    files = 1 if outcome.synthesis is None else len(outcome.synthesis.files)
    if files > 1:
        return f"{shown(before)} → {files} × {shown(after)}"
    if after == before or (audience == "public" and abs(after - before) < THRESHOLD):
        return shown(after)
    return f"{shown(before)} → {shown(after)}"
