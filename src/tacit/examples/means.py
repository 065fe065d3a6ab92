"""What people have learnt, earn and pay: schooling, income and rent."""

from __future__ import annotations

import numpy as np

from .occupations import OCCUPATIONS
from .people import FEMALE, People

__all__ = ["educations", "incomes", "rents"]

# Cuts of a standard normal scale between ISCED levels; 5 is left out, as in countries without short tertiary courses.
LEVELS = np.array([0, 1, 2, 3, 4, 6, 7, 8])
CUTS = np.array([-2.3, -1.6, -0.9, 0.2, 0.55, 1.1, 2.3])
# The youngest age of each level above 0.
YOUNGEST = np.array([0, 12, 15, 18, 20, 22, 24, 27])

PAY = np.array([job.pay for job in OCCUPATIONS])
NO_INCOME = {"preschool child": 1.0, "pupil": 0.97, "student": 0.35, "homemaker": 0.7, "unemployed": 0.15}
ZERO_SHARE = np.array([NO_INCOME.get(job.title, 0.003) for job in OCCUPATIONS])


def educations(who: People, *, wealth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """ISCED level, 0 (less than primary) to 8 (doctorate), higher in well-off households and quarters.

    A latent normal scale, lower for those born earlier, is cut; nobody has a level before its youngest age.
    """
    own = rng.standard_normal(who.count)
    scale = 0.5 * who.standing[who.household] + 0.8 * own + 0.35 * wealth - 0.012 * (who.age - 45)
    reached = np.searchsorted(CUTS, scale)
    allowed = np.searchsorted(YOUNGEST, who.age, side="right") - 1
    return np.asarray(LEVELS[np.minimum(reached, allowed)])


def incomes(
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


def rents(who: People, *, wealth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Monthly rent of each household, by its quarter, size and standing; ``wealth`` is one value per household."""
    noise = 0.25 * rng.standard_normal(len(who.size))
    scale = 6.3 + 0.35 * wealth + 0.4 * np.log(who.size) + 0.15 * who.standing + noise
    return np.asarray(np.round(np.exp(scale), -1))
