"""The clinic register: a made-up file with everything that makes a real one hard to release.

Where people live: an invented map of some 200 ZIP codes in 14 areas of 4 regions.

The map is the same for every seed; only who lives where is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..errors import TacitError
from ..seed import DEFAULT_SEED, make_generator
from .diagnoses import DIAGNOSES, diagnosis_table, draw_diagnoses
from .draw import power_law_shares
from .example import Example, make_roles
from .occupations import OCCUPATIONS, draw_occupations, occupation_table
from .people import FEMALE, OTHER, SEXES, People, draw_people

if TYPE_CHECKING:
    from ..seed import Seed


class Area(NamedTuple):
    """A three-digit area: its share of the households, its number of ZIP codes, how well off, how well sampled."""

    prefix: str
    share: float
    codes: int
    wealth: float
    weight: float


AREAS = (
    Area("010", 0.04, 12, -0.1, 4.0),
    Area("011", 0.09, 14, 0.1, 3.0),
    Area("014", 0.03, 16, -0.3, 5.5),
    Area("021", 0.17, 22, 0.5, 1.6),
    Area("022", 0.06, 10, 0.9, 1.8),
    Area("026", 0.02, 14, 0.2, 6.5),
    Area("100", 0.20, 24, 0.3, 1.3),
    Area("104", 0.12, 18, -0.6, 1.7),
    Area("109", 0.04, 15, 0.6, 3.5),
    Area("121", 0.03, 17, -0.2, 5.0),
    Area("460", 0.05, 14, 0.0, 4.5),
    Area("462", 0.09, 16, -0.3, 2.5),
    Area("787", 0.05, 12, 0.4, 3.0),
    Area("799", 0.01, 8, -0.8, 9.0),
)


@dataclass(frozen=True, slots=True)
class ZipMap:
    """One entry per ZIP code: the code, its share of the households, how well off it is, its mean weight."""

    zips: tuple[str, ...]
    share: np.ndarray
    wealth: np.ndarray
    weight: np.ndarray


@cache
def town_map() -> ZipMap:
    """All ZIP codes; the first of an area are its town and hold most of its people.

    Neighbouring codes differ in wealth by a fixed wave around the area's own level, so that the map has rich and
    poor quarters without a draw.
    """
    zips, share, wealth, weight = [], [], [], []
    for area in AREAS:
        rank = np.arange(area.codes)
        zips += [f"{area.prefix}{(7 * place + 1) % 100:02d}" for place in range(area.codes)]
        share.append(area.share * power_law_shares(area.codes, power=1.1, head=1.0))
        wealth.append(area.wealth + 0.3 * np.cos(2.4 * rank))
        weight.append(np.full(area.codes, area.weight))
    return ZipMap(tuple(zips), np.concatenate(share), np.concatenate(wealth), np.concatenate(weight))


CLOSED = np.datetime64("2024-12-31")

MOST_VISITS = 20

STAGES = {"basic": (0, 1, 2), "middle": (3, 4), "higher": (6, 7, 8)}

ROLES = make_roles(
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

# Cuts of a standard normal scale between ISCED levels; 5 is left out, as in countries without short tertiary courses.
LEVELS = np.array([0, 1, 2, 3, 4, 6, 7, 8])

CUTS = np.array([-2.3, -1.6, -0.9, 0.2, 0.55, 1.1, 2.3])

# The youngest age of each level above 0.
YOUNGEST = np.array([0, 12, 15, 18, 20, 22, 24, 27])

PAY = np.array([job.pay for job in OCCUPATIONS])

NO_INCOME = {"preschool child": 1.0, "pupil": 0.97, "student": 0.35, "homemaker": 0.7, "unemployed": 0.15}

ZERO_SHARE = np.array([NO_INCOME.get(job.title, 0.003) for job in OCCUPATIONS])

WOMEN = (
    "Maria Anna Emma Sofia Laura Julia Sarah Lena Elena Mia Hannah Olivia Clara Fatima Alice Eva Nora Lucia "
    "Amelia Ida Ines Zoë Marta Irene Aisha Mei Priya Chloe Ruth Helena Ella Grace Yuki Rosa Agnes Carmen Leila "
    "Johanna Teresa Vera Astrid Nadia Miriam Beatriz Ingrid Francesca Amina Renée Sigrid Valentina Greta Olga "
    "Ximena Dorothea Katarzyna Thuy"
).split()

MEN = (
    "Daniel Thomas David Michael Lukas Jan Peter Paul Marco Ali Noah Leon James Adam Simon Omar Felix José Oscar "
    "Ivan Martin Hugo Pablo Ahmed Erik Stefan Victor Wei Arjun Andrea Samuel Henry Louis Kenji Mateo Karl Anton "
    "Jonas Yusuf Philip Björn Ravi Luca George Tomasz Emil Rafael André Nils Bruno Gustav Ibrahim Kwame Łukasz "
    "Matthias Zacharias"
).split()

SURNAMES = (
    "Meyer Garcia Rossi Novak Martin Silva Jensen Nguyen Kowalski Müller Smith Ivanov Schmidt Fernández Brown "
    "Weber Costa Nielsen Bianchi Dubois Johansson Wagner Khan Becker Santos Moreau Taylor Horváth Fischer López "
    "Popescu Hansen Singh Romano Bauer Walker Pereira Kaya Larsen Hoffmann Marino Leroy Wright Koch Ricci "
    "Andersson Richter Wang Ferreira Roux Lindberg Wolf Greco Murphy Nagy Schwarz Conti Hughes Zimmermann Vidal "
    "Braun Sousa Petrov Fontaine Krüger Haddad O'Brien Lehmann Gallo Evans Papadopoulos Vogel Almeida Yamamoto "
    "Berger Keller Okafor Virtanen Roth Barbieri Mensah Simon Dvořák Frank Ferrari Patel Lange Ortiz Winter Demir "
    "Sommer Caruso Lund Arslan Brandt Leclerc Stein Moretti Ito Haas Rodrigues Bergström Graf Kovács Seidel "
    "Castro Ziegler Olsen Pohl Cohen Engel Serra Hahn Baptiste Busch Kim Voigt Marchetti Sauer Diallo Thomas "
    "Arnold Pfeiffer Rao Lorenz Vargas Franke Dejong Albrecht Núñez Winkler Szabó Vandenberg Ludwig Fabre Maier "
    "Osei Beck Quiroga Jäger Rinaldi Abernathy Thorvaldsen Uzun Xanthopoulos Zúñiga"
).split()

INITIALS = tuple("ABCDEFGHIJKLMNOPRSTVWZ")

OWN_PHONE_AGE = 14


def clinic(rows: int = 2000, *, seed: Seed = DEFAULT_SEED) -> Example:
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
        raise TacitError(
            f"a register cannot have rows={typed}",
            code="invalid_parameter",
            fix="give a whole number from 1 on, e.g. rows=2000",
        )
    rng = make_generator(seed)
    return Example(
        name="clinic",
        frame=_build_register(draw_people(int(rows), rng=rng), rng=rng),
        about="a made-up register of a family clinic: correlated, skewed, with outliers and missing values",
        roles=dict(ROLES),
        kinds=dict(KINDS),
        hierarchies=_hierarchy_specs(),
    )


def _build_register(who: People, *, rng: np.random.Generator) -> pl.DataFrame:
    town = town_map()
    home = rng.choice(len(town.zips), size=len(who.size), p=town.share / town.share.sum())
    lives = home[who.household]
    wealth = town.wealth[lives]
    education = draw_educations(who, wealth=wealth, rng=rng)
    job = draw_occupations(who.age, sex=who.sex, education=education, rng=rng)
    illness = draw_diagnoses(who.age, sex=who.sex, rng=rng)
    income = draw_incomes(who, wealth=wealth, education=education, job=job, rng=rng)
    untold = rng.random(who.count) < np.where(who.age < 60, 0.025, 0.045)
    titles = pl.Series([one.title for one in OCCUPATIONS] + [None], dtype=pl.String)
    return pl.DataFrame(
        {
            "name": full_names(who, rng=rng),
            "phone": draw_phones(who, rng=rng),
            "zip": pl.Series(town.zips).gather(lives),
            "birth": CLOSED - (who.age * 365.25).astype("timedelta64[D]"),
            "sex": pl.Series(SEXES).gather(who.sex),
            "occupation": titles.gather(np.where(untold, len(OCCUPATIONS), job)),
            "education": education,
            "diagnosis": pl.Series([one.code for one in DIAGNOSES]).gather(illness),
            "visits": _draw_visits(who, rng=rng),
            "income": pl.Series(income).fill_nan(None),
            "rent": draw_rents(who, wealth=town.wealth[home], rng=rng)[who.household],
            "household": who.household + 1,
            "weight": _draw_weights(who, of_area=town.weight[lives], rng=rng),
        }
    )


def _draw_visits(who: People, *, rng: np.random.Generator) -> np.ndarray:
    """Visits in the year: one and a Poisson number of a gamma rate, more for the very young and the old."""
    rate = 1.2 + 2.0 * np.exp(-who.age / 3.0) + 0.035 * np.maximum(who.age - 30.0, 0.0)
    return np.minimum(1 + rng.poisson(rate * rng.gamma(1.6, 1 / 1.6, who.count)), MOST_VISITS)


def _draw_weights(who: People, *, of_area: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How many people each patient stands for: more in thinly sampled areas and for young adults, at least one."""
    of_age = 1.0 + 0.6 * np.exp(-(((who.age - 27.0) / 12.0) ** 2))
    spread = np.exp(0.12 * rng.standard_normal(who.count))
    return np.maximum(1.0, np.round(of_area * of_age * spread, 2))


def _hierarchy_specs() -> dict[str, dict[str, object]]:
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


def draw_educations(who: People, *, wealth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """ISCED level, 0 (less than primary) to 8 (doctorate), higher in well-off households and quarters.

    A latent normal scale, lower for those born earlier, is cut; nobody has a level before its youngest age.
    """
    own = rng.standard_normal(who.count)
    scale = 0.5 * who.standing[who.household] + 0.8 * own + 0.35 * wealth - 0.012 * (who.age - 45)
    reached = np.searchsorted(CUTS, scale)
    allowed = np.searchsorted(YOUNGEST, who.age, side="right") - 1
    return np.asarray(LEVELS[np.minimum(reached, allowed)])


def draw_incomes(
    who: People, *, wealth: np.ndarray, education: np.ndarray, job: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Yearly income: log-normal given schooling, occupation, age, sex and quarter; NaN where it was not told.

    Three in a thousand are outliers, multiplied by a Pareto factor of 4 and more; some people have exactly
    nothing; two of five give a round sum; and about 4 % do not tell, the more often the more they earn.
    """
    noise = rng.standard_normal(who.count)
    mean = 9.95 + 0.07 * education + PAY[job] - 0.0005 * (who.age - 52) ** 2 * (who.age < 67)
    mean += 0.25 * wealth + 0.15 * who.standing[who.household] - 0.1 * (who.sex == FEMALE)
    income = np.exp(mean + 0.4 * noise)
    outlier = rng.random(who.count) < 0.003
    income[outlier] *= 4.0 * (1.0 + rng.pareto(1.5, outlier.sum()))
    rounded = rng.random(who.count) < 0.4
    income = np.where(rounded, np.maximum(np.round(income, -2), 100.0), np.round(income, 2))
    income[rng.random(who.count) < ZERO_SHARE[job]] = 0.0
    # E[exp(0.4 z)] = exp(0.08), so the mean share of those who do not tell is 4 %
    income[rng.random(who.count) < 0.04 * np.exp(0.4 * noise - 0.08)] = np.nan
    return np.asarray(income)


def draw_rents(who: People, *, wealth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Monthly rent of each household, by its quarter, size and standing; ``wealth`` is one value per household."""
    noise = 0.25 * rng.standard_normal(len(who.size))
    scale = 6.3 + 0.35 * wealth + 0.4 * np.log(who.size) + 0.15 * who.standing + noise
    return np.asarray(np.round(np.exp(scale), -1))


def full_names(who: People, *, rng: np.random.Generator) -> pl.Series:
    """Given name, initial and surname; seven of eight members of a household have its surname."""
    given = WOMEN + MEN
    female = (who.sex == FEMALE) | ((who.sex == OTHER) & (rng.random(who.count) < 0.5))
    first = np.where(female, _draw_ranks(WOMEN, who.count, rng=rng), len(WOMEN) + _draw_ranks(MEN, who.count, rng=rng))
    of_household = _draw_ranks(SURNAMES, len(who.size), rng=rng)[who.household]
    last = np.where(rng.random(who.count) < 7 / 8, of_household, _draw_ranks(SURNAMES, who.count, rng=rng))
    middle = rng.integers(len(INITIALS), size=who.count)
    return _gather_names(given, first) + " " + _gather_names(INITIALS, middle) + ". " + _gather_names(SURNAMES, last)


def draw_phones(who: People, *, rng: np.random.Generator) -> pl.Series:
    """Numbers with the area code 555, which is in use nowhere; children have that of the household."""
    own, of_household = rng.integers(10**8, size=who.count), rng.integers(10**8, size=len(who.size))
    digits = np.where(who.age < OWN_PHONE_AGE, of_household[who.household], own)
    text = pl.Series(digits).cast(pl.String).str.zfill(8)
    return "555-" + text.str.slice(0, 4) + "-" + text.str.slice(4)


def _draw_ranks(listed: Sequence[str], count: int, *, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(len(listed), size=count, p=power_law_shares(len(listed)))


def _gather_names(listed: Sequence[str], places: np.ndarray) -> pl.Series:
    return pl.Series(listed, dtype=pl.String).gather(places)
