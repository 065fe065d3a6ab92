"""Charts whose marks can be followed: each is a link with a name, for the eye, the keyboard and the screen reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from .charts import render_svg

if TYPE_CHECKING:
    import altair as alt


ANCHOR = re.compile(r'<a xlink:href="[^"]*?(\d+)">')


@dataclass(frozen=True, slots=True)
class Link:
    """Where a mark leads, and what it is called."""

    address: str
    name: str


def linked_svg(chart: alt.LayerChart, *, label: str, links: Mapping[int, Link]) -> str:
    """The chart as inline SVG; a mark whose href channel is a number is the link of that number."""

    def anchor(found: re.Match[str]) -> str:
        link = links[int(found[1])]
        return f'<a href="{escape(link.address)}"><title>{escape(link.name)}</title>'

    # A picture hides what is in it from screen readers, a group does not.
    return ANCHOR.sub(anchor, render_svg(chart, label=label)).replace('<svg role="img"', '<svg role="group"', 1)
