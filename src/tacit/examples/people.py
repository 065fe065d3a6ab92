"""Who lives together: households of one to six, with ages that parents, partners and children can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SEXES = ("F", "M", "X")
FEMALE, MALE, OTHER = range(3)

SIZE_SHARES = (0.30, 0.33, 0.15, 0.14, 0.06, 0.02)
# Age of the first adult by household size: lowest, highest, and the two shapes of a beta law in between.
FIRST_ADULT = np.array(
    [
        (19, 98, 1.2, 1.1),
        (20, 93, 1.7, 1.3),
        (22, 72, 2.0, 2.4),
        (26, 62, 2.4, 2.8),
        (28, 60, 2.4, 2.8),
        (30, 60, 2.4, 2.8),
    ]
)
PARTNER_SHARE = np.array([0.0, 0.80, 0.78, 0.90, 0.90, 0.88])
OLDEST = 104.0


@dataclass(frozen=True, slots=True)
class People:
    """Age in years and sex of each person, and the number, size and standing of the household they live in.

    ``standing`` is how well off and schooled a household is: normal with variance one, one value per household.
    """

    age: np.ndarray
    sex: np.ndarray
    household: np.ndarray
    size: np.ndarray
    standing: np.ndarray

    @property
    def count(self) -> int:
        """Number of people."""
        return len(self.age)


def draw_people(count: int, *, rng: np.random.Generator) -> People:
    """``count`` people in households; the last household is cut short where it would exceed the count.

    Parents are at least 18 years older than their children, and people come in random order, so that the members
    of a household do not stand together.
    """
    size = rng.choice(6, size=count, p=SIZE_SHARES) + 1
    last = np.cumsum(size)
    size = size[: np.searchsorted(last, count) + 1]
    size[-1] -= last[len(size) - 1] - count
    household = np.repeat(np.arange(len(size)), size)
    place = np.arange(count) - (np.cumsum(size) - size)[household]

    partnered = rng.random(len(size)) < PARTNER_SHARE[size - 1]
    is_partner = (place == 1) & partnered[household]
    first, partner = _draw_adult_ages(size, rng=rng)
    parent = np.where(partnered, np.minimum(first, partner), first)
    child = _draw_child_ages(parent[household], rng=rng)
    age = np.where(place == 0, first[household], np.where(is_partner, partner[household], child))
    sex = _draw_sexes(is_partner, rng=rng)
    order = rng.permutation(count)
    return People(age[order], sex[order], household[order], size, rng.standard_normal(len(size)))


def _draw_adult_ages(size: np.ndarray, *, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    lowest, highest, left, right = FIRST_ADULT[size - 1].T
    first = lowest + (highest - lowest) * rng.beta(left, right)
    return first, np.clip(first + rng.normal(0.0, 4.5, len(size)), 18.0, OLDEST)


def _draw_child_ages(parent: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Ages of children whose younger parent is ``parent`` years old and was 18 to 42 at their birth."""
    return np.asarray(parent - 18.0 - np.minimum(parent - 18.0, 24.0) * rng.beta(2.0, 2.5, len(parent)))


def _draw_sexes(is_partner: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Mostly women and men in equal parts, most partners of the other sex than the first adult."""
    sex = np.where(rng.random(len(is_partner)) < 0.51, FEMALE, MALE)
    partner = np.flatnonzero(is_partner & (rng.random(len(is_partner)) < 0.94))
    sex[partner] = 1 - sex[partner - 1]  # the first adult stands just before the partner
    sex[rng.random(len(is_partner)) < 0.006] = OTHER
    return sex
