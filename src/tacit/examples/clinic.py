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
from .draw import draw_categories, power_law_shares
from .example import Example, make_roles
from .occupations import OCCUPATIONS, draw_occupations, occupation_table
from .people import FEMALE, MALE, OTHER, SEXES, People, draw_people

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


class Diagnosis(NamedTuple):
    """Its base share, the share of women at equal numbers, and the age of its peak and the spread around it."""

    code: str
    title: str
    share: float
    women: float
    peak: float
    spread: float


DIAGNOSES = tuple(
    Diagnosis(*row)
    for row in (
        ("A04.7", "enterocolitis, Clostridium difficile", 0.3, 0.55, 75, 18),
        ("A09.0", "infectious gastroenteritis", 4.0, 0.50, 8, 22),
        ("A15.0", "tuberculosis of lung", 0.08, 0.38, 50, 25),
        ("A46", "erysipelas", 0.6, 0.45, 65, 20),
        ("B02.9", "zoster", 0.9, 0.58, 68, 17),
        ("B18.2", "chronic viral hepatitis C", 0.15, 0.38, 50, 14),
        ("B20", "HIV disease", 0.12, 0.25, 42, 13),
        ("B34.9", "viral infection", 3.5, 0.50, 10, 25),
        ("C18.7", "cancer of sigmoid colon", 0.4, 0.44, 72, 11),
        ("C25.0", "cancer of head of pancreas", 0.1, 0.48, 72, 10),
        ("C34.1", "cancer of upper lobe of lung", 0.4, 0.40, 69, 9),
        ("C43.5", "melanoma of trunk", 0.2, 0.42, 62, 15),
        ("C50.4", "cancer of breast, upper outer", 0.7, 0.99, 63, 13),
        ("C50.9", "cancer of breast", 0.4, 0.99, 63, 13),
        ("C61", "cancer of prostate", 0.9, 0.0, 71, 8),
        ("C67.9", "cancer of bladder", 0.3, 0.25, 73, 10),
        ("C91.0", "acute lymphoblastic leukaemia", 0.02, 0.43, 6, 8),
        ("D50.9", "iron deficiency anaemia", 1.6, 0.78, 45, 25),
        ("D57.1", "sickle-cell anaemia", 0.03, 0.50, 20, 15),
        ("D68.5", "primary thrombophilia", 0.1, 0.55, 40, 18),
        ("E03.9", "hypothyroidism", 2.2, 0.82, 58, 18),
        ("E05.0", "thyrotoxicosis with goitre", 0.3, 0.83, 45, 16),
        ("E10.9", "type 1 diabetes", 0.4, 0.46, 25, 22),
        ("E11.4", "type 2 diabetes with neuropathy", 0.6, 0.44, 70, 11),
        ("E11.9", "type 2 diabetes", 4.5, 0.47, 66, 13),
        ("E66.9", "obesity", 1.5, 0.56, 48, 18),
        ("E78.5", "hyperlipidaemia", 3.2, 0.48, 63, 13),
        ("E84.0", "cystic fibrosis", 0.02, 0.50, 15, 12),
        ("F10.2", "alcohol dependence", 0.9, 0.25, 48, 13),
        ("F11.2", "opioid dependence", 0.15, 0.28, 36, 10),
        ("F20.0", "paranoid schizophrenia", 0.3, 0.42, 36, 14),
        ("F31.9", "bipolar disorder", 0.3, 0.54, 42, 15),
        ("F32.1", "moderate depressive episode", 3.4, 0.66, 44, 18),
        ("F41.1", "generalised anxiety disorder", 1.8, 0.67, 38, 16),
        ("F43.2", "adjustment disorder", 1.9, 0.62, 40, 15),
        ("F50.0", "anorexia nervosa", 0.08, 0.92, 18, 6),
        ("F84.0", "childhood autism", 0.25, 0.22, 8, 7),
        ("F90.0", "disturbance of activity and attention", 1.2, 0.28, 12, 8),
        ("G10", "Huntington disease", 0.01, 0.50, 47, 10),
        ("G20", "Parkinson disease", 0.5, 0.42, 76, 9),
        ("G30.1", "Alzheimer disease, late onset", 0.7, 0.64, 84, 6),
        ("G35", "multiple sclerosis", 0.2, 0.72, 42, 13),
        ("G40.3", "generalised epilepsy", 0.4, 0.48, 25, 25),
        ("G43.1", "migraine with aura", 1.6, 0.77, 36, 13),
        ("G56.0", "carpal tunnel syndrome", 0.9, 0.70, 55, 13),
        ("H25.1", "senile nuclear cataract", 1.6, 0.58, 77, 8),
        ("H40.1", "open-angle glaucoma", 0.8, 0.54, 72, 11),
        ("H66.9", "otitis media", 3.0, 0.49, 3, 6),
        ("H90.3", "hearing loss, both sides", 0.8, 0.46, 76, 11),
        ("I10", "essential hypertension", 9.0, 0.53, 66, 15),
        ("I20.0", "unstable angina", 0.5, 0.38, 69, 11),
        ("I21.0", "acute infarction, anterior wall", 0.3, 0.32, 67, 12),
        ("I21.4", "acute subendocardial infarction", 0.5, 0.36, 70, 12),
        ("I25.1", "atherosclerotic heart disease", 2.2, 0.35, 72, 11),
        ("I26.9", "pulmonary embolism", 0.2, 0.54, 67, 16),
        ("I48.0", "paroxysmal atrial fibrillation", 1.2, 0.46, 74, 11),
        ("I50.0", "congestive heart failure", 1.3, 0.52, 79, 9),
        ("I63.9", "cerebral infarction", 0.7, 0.49, 75, 11),
        ("I83.9", "varicose veins of the legs", 1.1, 0.69, 56, 15),
        ("J02.9", "acute pharyngitis", 3.5, 0.53, 14, 16),
        ("J06.9", "acute upper respiratory infection", 9.0, 0.51, 12, 26),
        ("J10.1", "influenza, respiratory", 2.2, 0.51, 25, 28),
        ("J18.9", "pneumonia", 1.2, 0.46, 68, 24),
        ("J20.9", "acute bronchitis", 3.6, 0.52, 45, 30),
        ("J30.1", "allergic rhinitis due to pollen", 2.2, 0.51, 25, 15),
        ("J44.1", "chronic obstructive lung disease", 1.4, 0.43, 69, 10),
        ("J45.0", "allergic asthma", 2.0, 0.50, 16, 18),
        ("K02.1", "caries of dentine", 1.2, 0.50, 22, 20),
        ("K21.0", "reflux disease with oesophagitis", 1.9, 0.50, 56, 17),
        ("K25.3", "acute gastric ulcer", 0.3, 0.46, 62, 16),
        ("K29.7", "gastritis", 1.8, 0.55, 48, 20),
        ("K35.8", "acute appendicitis", 0.6, 0.46, 20, 14),
        ("K40.9", "inguinal hernia", 0.9, 0.10, 60, 20),
        ("K50.9", "Crohn disease", 0.2, 0.53, 32, 14),
        ("K80.2", "gallstone", 0.9, 0.66, 55, 17),
        ("L20.9", "atopic dermatitis", 1.7, 0.53, 6, 11),
        ("L40.0", "psoriasis vulgaris", 0.8, 0.48, 48, 18),
        ("L70.0", "acne vulgaris", 1.4, 0.54, 17, 4),
        ("M05.8", "seropositive rheumatoid arthritis", 0.4, 0.72, 60, 13),
        ("M17.1", "arthrosis of the knee", 2.4, 0.62, 69, 11),
        ("M51.2", "lumbar disc displacement", 1.5, 0.46, 47, 12),
        ("M54.5", "low back pain", 6.5, 0.54, 50, 17),
        ("M81.0", "postmenopausal osteoporosis", 1.1, 0.99, 74, 9),
        ("N18.3", "chronic kidney disease, stage 3", 0.8, 0.52, 76, 10),
        ("N20.0", "kidney stone", 0.7, 0.38, 48, 14),
        ("N30.0", "acute cystitis", 2.4, 0.90, 42, 26),
        ("N40", "enlarged prostate", 1.8, 0.0, 70, 9),
        ("N80.1", "endometriosis of ovary", 0.3, 1.0, 33, 7),
        ("N95.1", "menopausal states", 1.4, 1.0, 53, 4),
        ("O21.0", "mild vomiting of pregnancy", 0.5, 1.0, 29, 5),
        ("O24.4", "diabetes in pregnancy", 0.3, 1.0, 32, 5),
        ("O80", "single spontaneous delivery", 1.2, 1.0, 30, 5),
        ("P07.3", "preterm infant", 4.0, 0.48, 0, 1),
        ("Q21.1", "atrial septal defect", 0.1, 0.55, 4, 7),
        ("Q90.9", "Down syndrome", 0.06, 0.48, 12, 15),
        ("R10.4", "abdominal pain", 3.0, 0.58, 28, 24),
        ("R51", "headache", 1.9, 0.60, 32, 18),
        ("S06.0", "concussion", 0.8, 0.42, 16, 18),
        ("S52.5", "fracture of lower radius", 0.9, 0.60, 45, 32),
        ("S72.0", "fracture of neck of femur", 0.5, 0.68, 83, 8),
        ("S93.4", "sprain of ankle", 1.9, 0.48, 24, 14),
        ("T78.4", "allergy", 0.8, 0.54, 25, 20),
        ("Z00.1", "routine child health examination", 14.0, 0.49, 1, 4),
        ("Z23.8", "immunisation", 2.6, 0.51, 10, 30),
    )
)


BAND = 2.5


BANDS = 44


def draw_diagnoses(age: np.ndarray, *, sex: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The place in :data:`DIAGNOSES` of each person's diagnosis, by age and sex."""
    band = np.minimum((age / BAND).astype(np.int64), BANDS - 1)
    return draw_categories(band * len(SEXES) + sex, shares=_diagnosis_shares(), rng=rng)


def diagnosis_table() -> dict[str, list[str]]:
    """The hierarchy: code → category of three characters → chapter letter → all."""
    return {one.code: [one.code[:3], one.code[0], "*"] for one in DIAGNOSES}


@cache
def _diagnosis_shares() -> np.ndarray:
    """Shares by age band and sex: a normal curve around the age of the peak, times the base share."""
    middle = (np.arange(BANDS) + 0.5) * BAND
    share, women, peak, spread = np.array([one[2:] for one in DIAGNOSES], dtype=float).T
    at_age = share * np.exp(-0.5 * ((middle[:, None] - peak) / spread) ** 2)
    of_sex = np.ones((len(SEXES), len(DIAGNOSES)))
    of_sex[FEMALE], of_sex[MALE] = 2 * women, 2 * (1 - women)
    return np.asarray((at_age[:, None, :] * of_sex).reshape(-1, len(DIAGNOSES)))
