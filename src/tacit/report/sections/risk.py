"""How the risk is spread over the records."""

from __future__ import annotations

from math import inf

from ...per_record import Histogram
from ...plan.outcome import Outcome
from ...release.release import Release
from ...result import Result, format_fact
from ...risk.individual_risk import individual_risk
from ...risk.k_anonymity import k_anonymity
from ..audience import Audience, on_grid, regrid_histogram
from ..blocks import Block, Figure, Figures, Section, Table, Text
from ..charts import bar_chart, render_svg
from ..statement import known_columns, worst_attack
from ..words import format_percent, join_words

GRID = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1 + 1e-9)
"""Chances; the end leaves room for a sum of shares that rounding has lifted above 1."""
PICKED = (
    "An intruder who knows {keys} of a person, and that the person is in the file, picks among the records that look "
    "alike: one in so many."
)
SAMPLED = (
    "An intruder who knows {keys} of everybody in the population, but not who was sampled, picks among the people whom the "
    "records that look alike stand for, by {weight}."
)
SIZES = (1, 3, 6, 11, 21, 51, 101, inf)
"""Where the size of a class crosses one over an edge of the grid."""


def risk_section(outcome: Outcome, audience: Audience) -> Section | None:
    """By the worst attack's own chances; without an attack by the group sizes: one in so many."""
    worst = worst_attack(outcome)
    keys = join_words(known_columns(outcome))
    if worst is not None and worst.per_record is not None:
        spread = worst.per_record.histogram(GRID)
        said = (
            f"For each person whose {keys} the intruder knows: the chance that the worst attack names the right record."
        )
    else:
        k = next((result for result in outcome.after or outcome.before if result.id == "k_anonymity"), None)
        if k is None or k.per_record is None:
            return None
        spread = _one_in(k)
        said = PICKED.format(keys=keys)
    histogram = regrid_histogram(spread, GRID, audience)
    if histogram is None:
        return None
    return Section(id="risk", title="Risk of single records", blocks=(Text(said), Figures((_risk_figure(histogram),))))


def chance_blocks(release: Release) -> tuple[Block, ...]:
    """How the chance of being found is spread over the records of a release, for internal eyes.

    By the individual risk where there are sampling weights; else by the sizes of the groups, and where the data are not in memory.
    """
    keys = join_words(release.quasi)
    weighted = individual_risk(release) if release.weight is not None else None
    if weighted is not None and weighted.per_record is not None:
        spread, said = weighted.per_record.histogram(GRID), SAMPLED.format(keys=keys, weight=release.weight)
    else:
        spread, said = _one_in(k_anonymity(release)), PICKED.format(keys=keys)
    return Text(said), Figures((_risk_figure(on_grid(spread, GRID)),))


def _one_in(k: Result) -> Histogram:
    """The histogram of 1/size: chances in [low, high) are sizes in (1/high, 1/low]."""
    assert k.per_record is not None
    sizes = on_grid(k.per_record.histogram(SIZES), SIZES)
    chance = dict(zip(SIZES, reversed(GRID), strict=True))
    return Histogram(tuple(chance[edge] for edge in reversed(sizes.edges)), tuple(reversed(sizes.counts)))


def _risk_figure(histogram: Histogram) -> Figure:
    labels = [_bin_label(low, high) for low, high in zip(histogram.edges, histogram.edges[1:], strict=False)]
    caption = "Records by their chance of being re-identified, the lower end of each range included"
    rows = tuple((label, format_fact(records)) for label, records in zip(labels, histogram.counts, strict=True))
    table = Table(caption=caption, head=("Chance", "Records"), rows=rows, numeric=frozenset({1}))
    drawn = render_svg(
        bar_chart(labels, histogram.counts), label=f"Bar chart. {caption}. Its numbers are in the table below."
    )
    return Figure(svg=drawn, caption=caption, table=table)


def _bin_label(low: float, high: float) -> str:
    return (
        f"below {format_percent(high)}"
        if low == 0
        else f"{format_percent(low).removesuffix(' %')}–{format_percent(high)}"
    )
