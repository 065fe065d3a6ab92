"""A small declared data set with every kind of column, a unit, and a key join; and its rows as the service sees them."""

from __future__ import annotations

from fractions import Fraction

from tacit.query.column import Column, Schema

COLUMNS = {
    "age": Column(name="age", kind="integer", low=0, high=110),
    "sex": Column(name="sex", kind="category", values=("f", "m")),
    "income": Column(name="income", kind="number", low=-4, high=800, step=Fraction(1, 4), confidential=True),
    "visit": Column(name="visit", kind="date", low=18262, high=20818),
    "town": Column(name="town", kind="text"),
    "ok": Column(name="ok", kind="boolean", values=("false", "true")),
    "free": Column(name="free", kind="integer"),
    "ward": Column(name="ward", kind="category", values=("A", "B", "C")),
    "wards.beds": Column(name="wards.beds", kind="integer", low=0, high=50),
    "wards.kind": Column(name="wards.kind", kind="category", values=("icu", "day")),
}
PATIENTS = Schema(name="patients", version="2026-01", columns=COLUMNS, unit="patient", rows=2, joins={"wards": "ward"})
PEOPLE = Schema(name="people", version="1", columns={name: COLUMNS[name] for name in ("age", "sex")}, joins={})
SCHEMAS = {"patients": PATIENTS, "people": PEOPLE}
