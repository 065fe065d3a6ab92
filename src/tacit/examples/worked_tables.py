"""Small worked tables of the literature, each with the numbers published for it in ``facts``.

They come from two courses: "Statistical approaches to de-identification" (CS 459/698, Fall 2024) and
"Database Anonymization" (Privacy-Enhancing Technologies, module 3, 2022).
"""

from __future__ import annotations

from datetime import date

import polars as pl

from .example import Example, make_roles


def postcodes() -> Example:
    """Nine voters by postcode and birth date: coarsened they are 3-anonymous, yet all of N1C vote alike.

    Two postcodes are printed with five characters in the source; cut to three, they are like the others.
    """
    rows = [
        ("N1CFF", date(1962, 1, 24), "Green"),
        ("G0ANF", date(1975, 12, 30), "Liberal"),
        ("N1C5YN", date(1966, 10, 17), "Green"),
        ("N2J0HJ", date(1996, 8, 14), "Conservative"),
        ("N1C4KH", date(1963, 4, 6), "Green"),
        ("G0A3G4", date(1977, 7, 9), "Conservative"),
        ("G0A3GN", date(1973, 8, 14), "Liberal"),
        ("N2JWBV", date(1990, 11, 2), "New Democratic"),
        ("N2JWBV", date(1990, 1, 25), "Liberal"),
    ]
    return Example(
        name="postcodes",
        frame=pl.DataFrame(rows, schema=["zip", "birth", "party"], orient="row"),
        about="nine voters by postcode and birth date; three characters and decades make k = 3 but l = 1",
        roles=make_roles(quasi=("zip", "birth"), confidential=("party",)),
        kinds={"zip": "geographic", "birth": "date", "party": "nominal"},
        hierarchies={"zip": {"prefix": [6, 3]}, "birth": {"dates": ["decade"]}},
        facts={"k, 3 characters": 3, "k, 3 characters and decade": 3, "l, 3 characters and decade": 1},
    )


def ages() -> Example:
    """Nine people by age and gender, an exercise in coarsening."""
    age = [23, 25, 33, 35, 27, 30, 32, 21, 25]
    return Example(
        name="ages",
        frame=pl.DataFrame({"age": age, "gender": ["F"] * 4 + ["M"] * 3 + ["NB"] * 2}),
        about="nine people by age and gender, an exercise in coarsening",
        roles=make_roles(quasi=("age", "gender")),
        kinds={"age": "continuous", "gender": "nominal"},
        hierarchies={"age": {"intervals": [10]}, "gender": {"table": {"F": ["*"], "M": ["*"], "NB": ["*"]}}},
        facts={"k, age hidden": 2, "k, gender hidden": 1, "k, decade": 1, "k, decade and gender hidden": 4},
    )


def birth_years() -> Example:
    """Ten voters by gender and year of birth, an exercise in coarsening."""
    year = [1968, 1975, 1966, 1962, 1962, 1966, 1973, 1973, 1968, 1975]
    party = [
        "Green",
        "Liberal",
        "Green",
        "Green",
        "Conservative",
        "Conservative",
        "Liberal",
        "Liberal",
        "Green",
        "Liberal",
    ]
    return Example(
        name="birth_years",
        frame=pl.DataFrame({"gender": list("MFOMMOFFOF"), "year": year, "party": party}),
        about="ten voters by gender and year of birth, an exercise in coarsening",
        roles=make_roles(quasi=("gender", "year"), confidential=("party",)),
        kinds={"gender": "nominal", "year": "continuous", "party": "nominal"},
        hierarchies={"year": {"intervals": [10]}, "gender": {"table": {"F": ["*"], "M": ["*"], "O": ["*"]}}},
        facts={"k": 1, "k, decade": 3, "k, gender hidden": 2, "k, decade and gender hidden": 4},
    )


def sensitive() -> Example:
    """Twelve patients in two classes of equal distribution: 3-sensitive, 6-anonymous."""
    diseases = ["Flu", "Shingles", "Acne", "Flu", "Acne", "Flu", "Flu", "Flu", "Acne", "Shingles", "Acne", "Flu"]
    group, place = ["Caucas"] * 6 + ["Asian/AfrAm"] * 6, ["787XX"] * 6 + ["78XXX"] * 6
    return Example(
        name="sensitive",
        frame=pl.DataFrame({"race": group, "zip": place, "disease": diseases}),
        about="twelve patients in two classes of equal distribution: 3-sensitive, 6-anonymous",
        roles=make_roles(quasi=("race", "zip"), confidential=("disease",)),
        kinds={"race": "nominal", "zip": "nominal", "disease": "nominal"},
        facts={"k": 6, "l": 3, "entropy l": 2.75, "t": 0.0},
    )


def parties() -> Example:
    """Ten voters by gender and decade of birth: 3-anonymous, 2-diverse."""
    short = {"G": "Green", "L": "Liberal", "C": "Conservative"}
    decade = ["196*"] * 6 + ["197*"] * 4
    return Example(
        name="parties",
        frame=pl.DataFrame({"gender": list("MMMOOOFFFF"), "decade": decade, "party": [short[x] for x in "GLCGGCLGCL"]}),
        about="ten voters by gender and decade of birth: 3-anonymous, 2-diverse",
        roles=make_roles(quasi=("gender", "decade"), confidential=("party",)),
        kinds={"gender": "nominal", "decade": "nominal", "party": "nominal"},
        facts={"k": 3, "l": 2, "entropy l": 1.89, "t": 0.3},
    )


def salaries() -> Example:
    """Nine patients, 3-diverse in salary and disease, yet all of the first class have a stomach disease."""
    salary = [20_000, 15_000, 25_000, 100_000, 90_000, 120_000, 50_000, 60_000, 65_000]
    stomach = ["gastric ulcer", "gastritis", "stomach cancer"]
    disease = [*stomach, "heart attack", "flu", "bronchitis", "COVID", "kidney stone", "pneumonia"]
    place = ["N3P***"] * 3 + ["H1A***"] * 3 + ["S4N***"] * 3
    decade = ["199*"] * 3 + ["196*"] * 3 + ["197*"] * 3
    return Example(
        name="salaries",
        frame=pl.DataFrame({"zip": place, "decade": decade, "salary": salary, "disease": disease}),
        about="nine patients, 3-diverse, yet all of the first class have a stomach disease",
        roles=make_roles(quasi=("zip", "decade"), confidential=("salary", "disease")),
        kinds={"zip": "nominal", "decade": "nominal", "salary": "continuous", "disease": "nominal"},
        facts={"k": 3, "l": 3},
    )


def cancers() -> Example:
    """Six patients, 3-diverse, yet all of the first class have a cancer."""
    place, decade = ["476**"] * 3 + ["4790*"] * 3, ["2*"] * 3 + ["[43,52]"] * 3
    disease = ["lung cancer", "prostate cancer", "bladder cancer", "heart disease", "flu", "diabetes"]
    return Example(
        name="cancers",
        frame=pl.DataFrame({"zip": place, "age": decade, "sex": ["*"] * 6, "disease": disease}),
        about="six patients, 3-diverse, yet all of the first class have a cancer",
        roles=make_roles(quasi=("zip", "age", "sex"), confidential=("disease",)),
        kinds={"zip": "nominal", "age": "nominal", "sex": "nominal", "disease": "nominal"},
        facts={"k": 3, "l": 3},
    )


def patients() -> Example:
    """Six patients, Andre to Eric: hiding the birth date alone makes k = 2.

    The source coarsens the ZIP codes too, which is needless.
    """
    rows = [
        ("Andre", date(1976, 1, 21), "Female", "53715", "heart disease"),
        ("Beth", date(1986, 4, 13), "Female", "53715", "hepatitis"),
        ("Carol", date(1976, 2, 28), "Male", "53703", "bronchitis"),
        ("Dan", date(1976, 1, 21), "Male", "53703", "broken arm"),
        ("Ellen", date(1986, 4, 13), "Female", "53806", "flu"),
        ("Eric", date(1976, 2, 28), "Female", "53806", "hang nail"),
    ]
    return Example(
        name="patients",
        frame=pl.DataFrame(rows, schema=["name", "birth", "gender", "zip", "disease"], orient="row"),
        about="six patients, Andre to Eric: hiding the birth date alone makes k = 2",
        roles=make_roles(identifier=("name",), quasi=("birth", "gender", "zip"), confidential=("disease",)),
        kinds={"name": "nominal", "birth": "date", "gender": "nominal", "zip": "geographic", "disease": "nominal"},
        hierarchies={
            "birth": {"dates": ["month", "year"]},
            "gender": {"table": {"Female": ["*"], "Male": ["*"]}},
            "zip": {"prefix": [5, 4, 3]},
        },
        facts={"k": 1, "k, birth hidden": 2},
    )


def positives() -> Example:
    """Tests of a hundred people in two places, 15 of 40 and 15 of 60 positive: t = 0.075."""
    return _test_result_example(
        "positives",
        {"N3P***": {"Pos": 15, "Neg": 25}, "H1A***": {"Pos": 15, "Neg": 45}},
        about="tests of a hundred people in two places, 15 of 40 and 15 of 60 positive: t = 0.075",
        facts={"t": 0.075},
    )


def outcomes() -> Example:
    """Tests of ninety people in two places with three outcomes: t = 1/18."""
    return _test_result_example(
        "outcomes",
        {"N3P***": {"Pos": 5, "Neg": 22, "Inc": 3}, "H1A***": {"Pos": 12, "Neg": 47, "Inc": 1}},
        about="tests of ninety people in two places with three outcomes: t = 1/18",
        facts={"k": 30, "l": 3, "t": 1 / 18},
    )


def skewness() -> Example:
    """48 of 49 positive in one place, 1 of 949 in the other: 2-diverse, and t = 0.9305."""
    return _test_result_example(
        "skewness",
        {"N3P***": {"Pos": 48, "Neg": 1}, "H1A***": {"Pos": 1, "Neg": 948}},
        about="48 of 49 positive in one place, 1 of 949 in the other: 2-diverse, and t = 0.9305",
        facts={"k": 49, "l": 2, "t": 0.9305},
    )


def _test_result_example(
    name: str, counts: dict[str, dict[str, int]], *, about: str, facts: dict[str, object]
) -> Example:
    rows = [(place, result) for place, of in counts.items() for result, count in of.items() for _ in range(count)]
    return Example(
        name=name,
        frame=pl.DataFrame(rows, schema=["zip", "virus"], orient="row"),
        about=about,
        roles=make_roles(quasi=("zip",), confidential=("virus",)),
        kinds={"zip": "nominal", "virus": "nominal"},
        facts=facts,
    )
