"""The business survey: made-up companies for tables of turnover by activity, region and size."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, format_value
from ..seed import DEFAULT_SEED, make_generator
from .example import Example, make_roles

if TYPE_CHECKING:
    from ..seed import Seed


ACTIVITIES = {
    "Industry": ("Food", "Metal", "Chemistry", "Wood"),
    "Trade": ("Retail", "Wholesale", "Motor trade"),
    "Services": ("Transport", "Hotels", "IT", "Finance", "Health"),
}
REGIONS = {"North": ("Bergen", "Alta"), "East": ("Oslo", "Hamar", "Moss"), "South": ("Skien", "Arendal")}
SIZES = ("1-9", "10-49", "50-249", "250+")
SMALLEST = (1, 10, 50, 250)
SHARES = (0.72, 0.19, 0.07, 0.02)
"""Of companies in the size classes."""


def companies(rows: int = 1200, *, seed: Seed = DEFAULT_SEED) -> Example:
    """A survey of ``rows`` companies by activity, region and size class, drawn from a seed; none of them exists.

    Turnover is skewed: a few large companies make up most of many cells, which is what the rules for tables are about.
    About one in eight belongs to a group of companies that answers as one (``holding``). Small companies are a sample: their
    ``weight`` is above 1. Time and memory are linear in ``rows``.

    >>> example = companies(300, seed=7)
    >>> example.frame.columns
    ['company', 'holding', 'activity', 'region', 'size', 'employees', 'turnover', 'weight']
    """
    if not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1:
        raise TacitError(
            f"rows={format_value(rows)} is not a number of companies",
            code="wrong_kind",
            parameter="rows",
            fix="give a whole number from 1 on",
        )
    rng = make_generator(seed)
    activities = [code for below in ACTIVITIES.values() for code in below]
    regions = [code for below in REGIONS.values() for code in below]
    size = rng.choice(len(SIZES), rows, p=SHARES)
    employees = np.array(SMALLEST)[size] * (1 + 4 * rng.beta(1, 2.5, rows))
    grouped = np.where(rng.random(rows) < 0.12, rng.integers(1, max(2, rows // 20), rows), 0)
    frame = pl.DataFrame(
        {
            "company": [f"C{number:05}" for number in range(1, rows + 1)],
            "holding": [f"G{group:04}" if group else f"C{number:05}" for number, group in enumerate(grouped, start=1)],
            "activity": np.array(activities)[_draw_skewed_codes(rng, len(activities), rows)],
            "region": np.array(regions)[_draw_skewed_codes(rng, len(regions), rows)],
            "size": np.array(SIZES)[size],
            "employees": np.floor(employees).astype(np.int64),
            "turnover": np.round(employees * rng.lognormal(4.5, 1.3, rows)),
            "weight": np.array([4.0, 2.0, 1.0, 1.0])[size],
        }
    )
    return Example(
        name="companies",
        frame=frame,
        about="A business survey: turnover of made-up companies by activity, region and size, for tables.",
        roles=make_roles(identifier=("company",), quasi=("activity", "region", "size"), confidential=("turnover",)),
        kinds={
            "company": "code", "holding": "code", "activity": "nominal", "region": "geographic", "size": "ordinal",
            "employees": "continuous", "turnover": "continuous", "weight": "continuous",
        },
        hierarchies={"activity": {"table": _group_hierarchy(ACTIVITIES)}, "region": {"table": _group_hierarchy(REGIONS)}},
    )  # fmt: skip


def _draw_skewed_codes(rng: np.random.Generator, codes: int, rows: int) -> np.ndarray:
    """Codes of which the first is the most frequent and the last rare."""
    share = 1 / np.arange(1, codes + 1) ** 0.8
    return rng.choice(codes, rows, p=share / share.sum())


def _group_hierarchy(groups: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {code: [group, "*"] for group, codes in groups.items() for code in codes}
