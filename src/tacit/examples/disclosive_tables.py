"""Small worked tables whose classes disclose, each with the numbers published for it in ``facts``.

They come from the courses of :mod:`tacit.examples.worked_tables`; the hospitals are those of Ganta, Kasiviswanathan and Smith
(2008), Composition attacks and auxiliary information in data privacy, KDD, 265–273.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from .example import Example, make_roles

OLDEST = 120


def hospital_a() -> Example:
    """Twelve patients of hospital A, 4-anonymous: whoever is in the thirties has cancer.

    Dave, just 35, goes there: his class has one condition only. Two rows are printed ">40" in the source; their class is
    "≥40". The hierarchy brings a known age to its class; the table is published at its level 1.
    """
    young = ["AIDS", "Heart disease", "Viral infection", "Viral infection"]
    old = ["Cancer", "Heart disease", "Viral infection", "Viral infection"]
    return _hospital_example(
        "hospital_a",
        {"<30": young, "≥40": old, "3*": ["Cancer"] * 4},
        lambda age: "<30" if age < 30 else "3*" if age < 40 else "≥40",
        about="twelve patients of hospital A, 4-anonymous; all of the class 3* have cancer",
        facts={"k": 4, "l": 1, "open to an outsider": 4, "conditions at 28": 3, "condition at 35": "Cancer"},
    )


def hospital_b() -> Example:
    """Twelve patients of hospital B, 6-anonymous and 3-diverse; with hospital A a patient of 28 has AIDS.

    That is likely, not sure: it takes the patient to have had one condition at both visits. The source has no class for
    a patient of 35, who is in a class of nobody here.
    """
    young = ["AIDS", "Tuberculosis", "Flu", "Tuberculosis", "Cancer", "Cancer"]
    old = ["Cancer", "Cancer", "Cancer", "Tuberculosis", "Viral infection", "Viral infection"]
    return _hospital_example(
        "hospital_b",
        {"<35": young, ">35": old},
        lambda age: "<35" if age < 35 else ">35" if age > 35 else "35",
        about="twelve patients of hospital B, 6-anonymous and 3-diverse; a patient of 28 in A and B has AIDS",
        facts={"k": 6, "l": 3, "open to an outsider": 0, "conditions at 28": 4, "condition at 28 in A and B": "AIDS"},
    )


def ovarian() -> Example:
    """Six patients, 3-anonymous: Alice's class has one disease, Naroto's two, of which one is rare in Japan.

    The source gives Naroto's age as 47; the record it points to has 43. Both are in the same class.
    """
    rows = [
        ("476**", "2*", "*", "Ovarian cancer"),
        ("476**", "2*", "*", "Ovarian cancer"),
        ("476**", "2*", "*", "Ovarian cancer"),
        ("4790*", "[43,52]", "*", "Heart disease"),
        ("4790*", "[43,52]", "*", "Cancer"),
        ("4790*", "[43,52]", "*", "Cancer"),
    ]
    place = {"47676": "476**", "47602": "476**", "47678": "476**", "47905": "4790*", "47909": "4790*", "47906": "4790*"}
    age = {str(year): "2*" for year in range(20, 30)} | {str(year): "[43,52]" for year in range(43, 53)}
    return Example(
        name="ovarian",
        frame=pl.DataFrame(rows, schema=["zip", "age", "sex", "disease"], orient="row"),
        about="six patients, 3-anonymous: homogeneity tells of Alice, background knowledge of Naroto",
        roles=make_roles(quasi=("zip", "age", "sex"), confidential=("disease",)),
        kinds={"zip": "nominal", "age": "nominal", "sex": "nominal", "disease": "nominal"},
        hierarchies={
            "zip": {"table": {value: [label, "*"] for value, label in place.items()}},
            "age": {"table": {value: [label, "*"] for value, label in age.items()}},
            "sex": {"table": {"F": ["*"], "M": ["*"]}},
        },
        facts={"k": 3, "l": 1, "open to an outsider": 3, "open without heart disease": 5},
    )


def _hospital_example(
    name: str, classes: dict[str, list[str]], label: Callable[[int], str], *, about: str, facts: dict[str, object]
) -> Example:
    rows = [("130**", age, "*", condition) for age, conditions in classes.items() for condition in conditions]
    return Example(
        name=name,
        frame=pl.DataFrame(rows, schema=["zip", "age", "nationality", "condition"], orient="row"),
        about=about,
        roles=make_roles(quasi=("zip", "age", "nationality"), confidential=("condition",)),
        kinds={"zip": "nominal", "age": "nominal", "nationality": "nominal", "condition": "nominal"},
        hierarchies={
            "zip": {"prefix": [5, 3]},
            "age": {"table": {str(age): [label(age), "*"] for age in range(OLDEST + 1)}},
        },
        facts=facts,
    )
