"""What people are called: names from fixed lists, with a few that are common, and telephone numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from .draw import falling
from .people import FEMALE, OTHER, People

__all__ = ["full_names", "phones"]

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


def full_names(who: People, *, rng: np.random.Generator) -> pl.Series:
    """Given name, initial and surname; seven of eight members of a household have its surname."""
    given = WOMEN + MEN
    female = (who.sex == FEMALE) | ((who.sex == OTHER) & (rng.random(who.count) < 0.5))
    first = np.where(female, _ranks(WOMEN, who.count, rng=rng), len(WOMEN) + _ranks(MEN, who.count, rng=rng))
    of_household = _ranks(SURNAMES, len(who.size), rng=rng)[who.household]
    last = np.where(rng.random(who.count) < 7 / 8, of_household, _ranks(SURNAMES, who.count, rng=rng))
    middle = rng.integers(len(INITIALS), size=who.count)
    return _picked(given, first) + " " + _picked(INITIALS, middle) + ". " + _picked(SURNAMES, last)


def phones(who: People, *, rng: np.random.Generator) -> pl.Series:
    """Numbers with the area code 555, which is in use nowhere; children have that of the household."""
    own, of_household = rng.integers(10**8, size=who.count), rng.integers(10**8, size=len(who.size))
    digits = np.where(who.age < OWN_PHONE_AGE, of_household[who.household], own)
    text = pl.Series(digits).cast(pl.String).str.zfill(8)
    return "555-" + text.str.slice(0, 4) + "-" + text.str.slice(4)


def _ranks(listed: Sequence[str], count: int, *, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(len(listed), size=count, p=falling(len(listed)))


def _picked(listed: Sequence[str], places: np.ndarray) -> pl.Series:
    return pl.Series(listed, dtype=pl.String).gather(places)
