"""Random rows for engines, with everything that real files have: missing and impossible values among good ones."""

from __future__ import annotations

import csv
from pathlib import Path

from hypothesis import strategies as st

from tacit.query.question import Key
from tacit.query.tally import Measure

VALUES = {
    "patient": ["p1", "p2", "p3", "p4", "5", None],
    "age": "0 17 18 42 110 111 -1 1e300 -1e300 1e999 nan inf -Infinity 41.5 41.49 abc 0x1F 1_0 12abc".split()
    + [" 7 ", None],
    "sex": ["f", "m", "x", "F", None],
    "income": "-1 0 0.25 0.125 0.124999 0.375 -0.125 199.99 200 201 99999999999999999999 1e-30 -.5 5. 1e2 NaN".split()
    + [None],
    "visit": "2019-12-31 2020-01-01 2024-02-29 2023-02-29 2026-12-31 2030-01-01 0000-01-01 2024-13-01 20240101 x".split()
    + ["2024-05-05 10:00:00", None],
    "town": ["a", "b", "o'neil", "ü", "a,b", None],
    "ok": ["true", "FALSE", "1", "0", "maybe", None],
    "free": ["0", "7", "9223372036854775807", "-1e30", "4611686018427387903", None],
    "ward": ["A", "B", "C", "Z", None],
}
rows = st.lists(st.fixed_dictionaries({name: st.sampled_from(some) for name, some in VALUES.items()}), max_size=25)
WARDS = [
    {"ward": "A", "beds": "12", "kind": "icu"},
    {"ward": "B", "beds": "900", "kind": "other"},
    {"ward": "Z", "beds": "3", "kind": "day"},
    {"ward": None, "beds": "4", "kind": "day"},
]
MEASURES = (
    Measure("rows"),
    Measure("units"),
    Measure("sum", "age"),
    Measure("sum", "income", 100),
    Measure("squares", "income", 398),
    Measure("squares", "age"),
    Measure("sum", "wards.beds"),
)
keys = st.sampled_from(
    [
        (),
        (Key("sex"),),
        (Key("age", 10), Key("ok")),
        (Key("town"),),
        (Key("visit", 365), Key("ward")),
        (Key("income", 7),),
        (Key("wards.kind"),),
        (Key("free"),),
    ]
)


def write_csv(path: Path, header: list[str], rows: list[dict]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(rows)
    return path
