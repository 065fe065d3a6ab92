"""What an engine must answer, worked out row by row in plain Python."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from datetime import date
from fractions import Fraction
from math import floor

from tacit.query.bins import group_of
from tacit.query.column import EPOCH, Column, Schema
from tacit.query.condition import Condition
from tacit.query.question import Key
from tacit.query.tally import Measure, Tally
from tacit.query.value_set import FURTHEST

from .kleene import reached

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def code_of(column: Column, raw: str | None) -> int | str | None:
    """The code of a value given as text; None where it is missing or cannot be."""
    if raw is None or column.kind == "text":
        return raw
    if column.kind == "category":
        return column.values.index(raw) if raw in column.values else None
    if column.kind == "boolean":
        return {"true": 1, "t": 1, "1": 1, "false": 0, "f": 0, "0": 0}.get(raw.lower())
    if column.kind == "date":
        try:
            place = (
                (date.fromisoformat(raw[:10]) - EPOCH).days if re.fullmatch(r"\d{4}-\d\d-\d\d([ T].*)?", raw) else None
            )
        except ValueError:
            place = None
    else:
        text = raw.strip(" ")
        place = floor(Fraction(text) / column.step + Fraction(1, 2)) if NUMBER.fullmatch(text) else None
    low, high = column.bounds() if column.has_public_domain else (-FURTHEST, FURTHEST)
    return None if place is None else min(max(place, low), high)


def coded(schema: Schema, rows: list[dict], wards: list[dict]) -> list[dict]:
    """All rows as codes, with their partners and their unit; rows without a unit are left out."""
    partners = {code_of(schema.columns["ward"], ward["ward"]): ward for ward in wards}
    found = []
    for row in rows:
        if schema.unit is not None and row[schema.unit] is None:
            continue
        own = code_of(schema.columns["ward"], row["ward"])
        ward = partners.get(own) if own is not None else None
        codes = {}
        for name, column in schema.columns.items():
            short = name.removeprefix("wards.")
            raw = row[name] if short == name else (ward or {}).get(short)
            codes[name] = code_of(column, raw)
        found.append({"codes": codes, "unit": row.get(schema.unit), "joined": ward is not None})
    return found


def digest(codes: dict) -> str:
    text = ",".join("-" if code is None else f"+{code}" for code in codes.values())
    return hashlib.md5(text.encode()).hexdigest()


def tally(
    schema: Schema,
    rows: list[dict],
    where: Condition,
    by: tuple[Key, ...],
    measures: tuple[Measure, ...],
    *,
    joined: bool,
    bounded: bool,
) -> Tally:
    kept = [row for row in rows if reached(where, row["codes"]) and (row["joined"] or not joined)]
    if bounded and schema.unit is not None:
        units = defaultdict(list)
        for row in kept:
            units[row["unit"]].append(row)
        kept = [row for some in units.values() for row in sorted(some, key=lambda r: digest(r["codes"]))[: schema.rows]]
    groups = defaultdict(list) if by else defaultdict(list, {(): []})
    for row in kept:
        groups[tuple(_group(row["codes"][key.column], key, schema) for key in by)].append(row)
    order = sorted(groups, key=lambda codes: [(code is not None, code) for code in codes])
    return Tally(
        groups=tuple(order), measures={one: tuple(_measured(one, schema, groups[g]) for g in order) for one in measures}
    )


def _group(code, key: Key, schema: Schema):
    return code if code is None or not key.width else group_of(code, key, schema.columns[key.column])


def _measured(one: Measure, schema: Schema, rows: list[dict]) -> int:
    if one.what == "rows" or (one.what == "units" and schema.unit is None):
        return len(rows)
    if one.what == "units":
        return len({row["unit"] for row in rows})
    known = [row["codes"][one.column] - one.centre for row in rows if row["codes"][one.column] is not None]
    return sum(known) if one.what == "sum" else sum(x * x for x in known)
