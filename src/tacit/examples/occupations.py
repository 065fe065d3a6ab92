"""What people do: occupations and states of life in nine groups of three kinds, with invented shares."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .draw import draw_categories
from .people import FEMALE, MALE, SEXES


class Occupation(NamedTuple):
    """Its group, share, share of women, usual schooling (ISCED level, None: any), log pay, and ages [from, to)."""

    title: str
    group: str
    share: float
    women: float
    schooling: int | None
    pay: float
    ages: tuple[int, int]


KINDS = {
    "health": "knowledge work",
    "teaching and science": "knowledge work",
    "business": "knowledge work",
    "crafts": "practical work",
    "industry and transport": "practical work",
    "services": "practical work",
    "land": "practical work",
    "in education": "outside paid work",
    "not working": "outside paid work",
}

OCCUPATIONS = tuple(
    Occupation(*row)
    for row in (
        ("physician", "health", 0.012, 0.50, 7, 0.75, (27, 75)),
        ("dentist", "health", 0.004, 0.48, 7, 0.70, (27, 75)),
        ("pharmacist", "health", 0.005, 0.65, 7, 0.35, (27, 67)),
        ("nurse", "health", 0.050, 0.86, 4, 0.05, (18, 67)),
        ("midwife", "health", 0.003, 0.99, 6, 0.05, (22, 67)),
        ("physiotherapist", "health", 0.010, 0.72, 6, 0.00, (22, 67)),
        ("paramedic", "health", 0.007, 0.30, 4, 0.00, (18, 62)),
        ("primary school teacher", "teaching and science", 0.028, 0.84, 6, 0.05, (22, 67)),
        ("secondary school teacher", "teaching and science", 0.024, 0.58, 7, 0.15, (22, 67)),
        ("childminder", "teaching and science", 0.022, 0.94, 3, -0.25, (18, 67)),
        ("researcher", "teaching and science", 0.008, 0.42, 8, 0.25, (27, 67)),
        ("professor", "teaching and science", 0.003, 0.30, 8, 0.65, (35, 75)),
        ("engineer", "teaching and science", 0.032, 0.20, 7, 0.35, (22, 67)),
        ("programmer", "teaching and science", 0.036, 0.22, 6, 0.40, (18, 67)),
        ("clerk", "business", 0.080, 0.70, 3, -0.05, (18, 67)),
        ("accountant", "business", 0.028, 0.60, 6, 0.20, (22, 67)),
        ("bank adviser", "business", 0.018, 0.52, 6, 0.25, (22, 67)),
        ("lawyer", "business", 0.009, 0.48, 7, 0.60, (27, 75)),
        ("judge", "business", 0.001, 0.45, 8, 0.70, (35, 67)),
        ("manager", "business", 0.034, 0.33, 6, 0.55, (27, 67)),
        ("mayor", "business", 0.0004, 0.25, 6, 0.50, (35, 75)),
        ("electrician", "crafts", 0.022, 0.03, 4, 0.10, (16, 67)),
        ("carpenter", "crafts", 0.018, 0.03, 3, 0.00, (16, 67)),
        ("plumber", "crafts", 0.014, 0.02, 3, 0.05, (16, 67)),
        ("painter", "crafts", 0.012, 0.10, 2, -0.10, (16, 67)),
        ("baker", "crafts", 0.010, 0.35, 3, -0.20, (16, 67)),
        ("goldsmith", "crafts", 0.001, 0.55, 4, -0.05, (18, 75)),
        ("mechanic", "industry and transport", 0.030, 0.04, 3, 0.05, (16, 67)),
        ("assembler", "industry and transport", 0.034, 0.34, 2, -0.05, (18, 67)),
        ("lorry driver", "industry and transport", 0.030, 0.04, 2, 0.00, (18, 67)),
        ("train driver", "industry and transport", 0.004, 0.06, 4, 0.15, (22, 67)),
        ("pilot", "industry and transport", 0.001, 0.06, 6, 1.00, (22, 62)),
        ("shop assistant", "services", 0.070, 0.68, 2, -0.30, (16, 67)),
        ("cook", "services", 0.026, 0.44, 2, -0.25, (16, 67)),
        ("waiter", "services", 0.022, 0.58, 2, -0.45, (16, 62)),
        ("hairdresser", "services", 0.014, 0.90, 3, -0.40, (16, 67)),
        ("cleaner", "services", 0.040, 0.80, 1, -0.45, (16, 67)),
        ("police officer", "services", 0.011, 0.27, 4, 0.20, (18, 62)),
        ("farmer", "land", 0.010, 0.18, 3, -0.20, (18, 75)),
        ("gardener", "land", 0.012, 0.20, 2, -0.25, (16, 67)),
        ("fisher", "land", 0.001, 0.05, 2, -0.15, (18, 67)),
        ("preschool child", "in education", 1.000, 0.50, None, -3.0, (0, 6)),
        ("pupil", "in education", 1.000, 0.50, None, -2.5, (6, 18)),
        ("student", "in education", 0.260, 0.52, None, -1.3, (18, 27)),
        ("homemaker", "not working", 0.020, 0.92, None, -1.5, (18, 67)),
        ("unemployed", "not working", 0.016, 0.47, None, -0.9, (18, 67)),
        ("retired", "not working", 0.300, 0.52, None, -0.45, (62, 130)),
    )
)

AGES = np.array([0, 6, 16, 18, 22, 27, 35, 62, 67, 75])
LEVELS = 9
SPREAD = 1.1


def draw_occupations(
    age: np.ndarray, *, sex: np.ndarray, education: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The place in :data:`OCCUPATIONS` of each person's occupation, by age, sex and schooling."""
    band = np.searchsorted(AGES, age, side="right") - 1
    return draw_categories((band * len(SEXES) + sex) * LEVELS + education, shares=_occupation_shares(), rng=rng)


def occupation_table() -> dict[str, list[str]]:
    """The hierarchy: occupation → group → kind of work → all."""
    return {job.title: [job.group, KINDS[job.group], "*"] for job in OCCUPATIONS}


@cache
def _occupation_shares() -> np.ndarray:
    """Shares by age band, sex and schooling: a normal curve around the usual schooling, times the base share."""
    by_job = [_shares_of_occupation(job) for job in OCCUPATIONS]
    return np.stack(by_job, axis=-1).reshape(-1, len(OCCUPATIONS))


def _shares_of_occupation(job: Occupation) -> np.ndarray:
    at_age = (job.ages[0] <= AGES) & (job.ages[1] > AGES)
    of_sex = np.ones(len(SEXES))
    of_sex[FEMALE], of_sex[MALE] = 2 * job.women, 2 * (1 - job.women)
    fit = np.ones(LEVELS)
    if job.schooling is not None:
        fit = np.exp(-0.5 * ((np.arange(LEVELS) - job.schooling) / SPREAD) ** 2)
    return np.asarray(job.share * at_age[:, None, None] * of_sex[:, None] * fit)
