"""The clinic register: a made-up file with everything that makes a real one hard to release."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError
from ..seed import generator
from .diagnoses import DIAGNOSES, diagnoses, diagnosis_table
from .example import Example, roles
from .means import educations, incomes, rents
from .naming import full_names, phones
from .occupations import OCCUPATIONS, occupation_table, occupations
from .people import SEXES, People, people
from .places import town_map

if TYPE_CHECKING:
    from ..seed import Seed

__all__ = ["clinic"]

CLOSED = np.datetime64("2024-12-31")
MOST_VISITS = 20
STAGES = {"basic": (0, 1, 2), "middle": (3, 4), "higher": (6, 7, 8)}

ROLES = roles(
    identifier=("name", "phone"),
    quasi=("zip", "birth", "sex", "occupation"),
    confidential=("diagnosis", "income"),
    weight="weight",
    household="household",
)
KINDS = {
    "name": "nominal",
    "phone": "code",
    "zip": "geographic",
    "birth": "date",
    "sex": "nominal",
    "occupation": "nominal",
    "education": "ordinal",
    "diagnosis": "code",
    "visits": "continuous",
    "income": "continuous",
    "rent": "continuous",
    "household": "code",
    "weight": "continuous",
}


def clinic(rows: int = 2000, *, seed: Seed = 0) -> Example:
    """A register of ``rows`` patients of a family clinic, drawn from a seed; nobody in it exists.

    Names and telephone numbers; ZIP code, birth date, sex and occupation, which an intruder may know; diagnosis
    and income, which are confidential; schooling (ISCED level), visits in the year, the household with its monthly
    rent, and a sampling weight. People live in households of one to six. Occupation follows age, sex and schooling;
    diagnosis age and sex; income all of these and the quarter. Town sizes, names, diagnoses and incomes are skewed,
    incomes have outliers and zeros, and about 4 % of incomes and 3 % of occupations are missing.

    Time and memory are linear in ``rows``: about two seconds and half a gigabyte for a million.

    >>> example = clinic(500, seed=7)
    >>> example.frame.height, example.roles["quasi"]
    (500, ('zip', 'birth', 'sex', 'occupation'))
    """
    if not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1:
        typed = rows if isinstance(rows, (int, float)) else type(rows).__name__
        raise TacitError(f"a register cannot have rows={typed}", fix="give a whole number from 1 on, e.g. rows=2000")
    rng = generator(seed)
    return Example(
        name="clinic",
        frame=_register(people(int(rows), rng=rng), rng=rng),
        about="a made-up register of a family clinic: correlated, skewed, with outliers and missing values",
        roles=dict(ROLES),
        kinds=dict(KINDS),
        hierarchies=_hierarchies(),
    )


def _register(who: People, *, rng: np.random.Generator) -> pl.DataFrame:
    town = town_map()
    home = rng.choice(len(town.zips), size=len(who.size), p=town.share / town.share.sum())
    lives = home[who.household]
    wealth = town.wealth[lives]
    education = educations(who, wealth=wealth, rng=rng)
    job = occupations(who.age, sex=who.sex, education=education, rng=rng)
    illness = diagnoses(who.age, sex=who.sex, rng=rng)
    income = incomes(who, wealth=wealth, education=education, job=job, rng=rng)
    untold = rng.random(who.count) < np.where(who.age < 60, 0.025, 0.045)
    titles = pl.Series([one.title for one in OCCUPATIONS] + [None], dtype=pl.String)
    return pl.DataFrame(
        {
            "name": full_names(who, rng=rng),
            "phone": phones(who, rng=rng),
            "zip": pl.Series(town.zips).gather(lives),
            "birth": CLOSED - (who.age * 365.25).astype("timedelta64[D]"),
            "sex": pl.Series(SEXES).gather(who.sex),
            "occupation": titles.gather(np.where(untold, len(OCCUPATIONS), job)),
            "education": education,
            "diagnosis": pl.Series([one.code for one in DIAGNOSES]).gather(illness),
            "visits": _visits(who, rng=rng),
            "income": pl.Series(income).fill_nan(None),
            "rent": rents(who, wealth=town.wealth[home], rng=rng)[who.household],
            "household": who.household + 1,
            "weight": _weights(who, of_area=town.weight[lives], rng=rng),
        }
    )


def _visits(who: People, *, rng: np.random.Generator) -> np.ndarray:
    """Visits in the year: one and a Poisson number of a gamma rate, more for the very young and the old."""
    rate = 1.2 + 2.0 * np.exp(-who.age / 3.0) + 0.035 * np.maximum(who.age - 30.0, 0.0)
    return np.minimum(1 + rng.poisson(rate * rng.gamma(1.6, 1 / 1.6, who.count)), MOST_VISITS)


def _weights(who: People, *, of_area: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How many people each patient stands for: more in thinly sampled areas and for young adults, at least one."""
    of_age = 1.0 + 0.6 * np.exp(-(((who.age - 27.0) / 12.0) ** 2))
    spread = np.exp(0.12 * rng.standard_normal(who.count))
    return np.maximum(1.0, np.round(of_area * of_age * spread, 2))


def _hierarchies() -> dict[str, dict[str, object]]:
    stages = {level: [stage, "*"] for stage, levels in STAGES.items() for level in levels}
    return {
        "zip": {"prefix": [5, 3, 1]},
        "birth": {"dates": ["month", "year", "decade"]},
        "sex": {"table": {sex: ["*"] for sex in SEXES}},
        "occupation": {"table": occupation_table()},
        "education": {"table": stages},
        "diagnosis": {"table": diagnosis_table()},
        "visits": {"intervals": [5, 10, 20]},
        "income": {"intervals": [5000, 20000, 100000]},
    }
