"""The tables on which everything is tried: an ordinary one, and all the ways in which a table can be odd."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from tacit import Release
from tacit.examples import clinic

SECRET = "SECRETCELL"
"""A text planted in the data; no error may show it."""


def ordinary(rows: int = 300, seed: int = 1) -> Release:
    example = clinic(rows, seed=seed)
    return Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing=example.missing
    )


def coarse(kind: str = "polars") -> Release:
    """A release with few quasi-identifiers, so that records share them; from a frame of the given kind."""
    example = clinic(300, seed=1)
    roles = {**example.roles, "quasi": ("sex", "occupation")}
    return Release(
        FRAMES[kind](example.frame), **roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own"
    )


FRAMES = {
    "polars": lambda frame: frame,
    "arrow": lambda frame: frame.to_arrow(),
    "pandas": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
}
"""Kinds of frames that a user may bring."""


def changed(**columns: object) -> Release:
    """The ordinary release with columns replaced by constants."""
    example = clinic(60, seed=1)
    frame = example.frame.with_columns(
        **{name: pl.lit(value, dtype=example.frame.schema[name]) for name, value in columns.items()}
    )
    return Release(frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own")


def wrong_type() -> Release:
    """Text where numbers and dates were; no kinds and hierarchies, because none would fit."""
    example = clinic(60, seed=1)
    texts = {name: pl.lit(SECRET) for name in ("income", "rent", "visits", "birth", "education")}
    return Release(example.frame.with_columns(**texts), **example.roles, missing="own")


ODD = {
    "no rows": lambda: ordinary().take(__import__("numpy").zeros(0, dtype=int)),
    "one row": lambda: ordinary(1),
    "two rows": lambda: ordinary(2),
    "constant": lambda: changed(
        zip="00000",
        birth=dt.date(1960, 1, 1),
        sex="F",
        occupation=None,
        income=1.0,
        rent=1.0,
        visits=3,
        diagnosis="I21.4",
    ),
    "all missing": lambda: changed(
        zip=None, birth=None, sex=None, occupation=None, income=None, rent=None, diagnosis=None
    ),
    "wrong type": wrong_type,
}


@pytest.fixture(params=ODD)
def odd(request: pytest.FixtureRequest) -> Release:
    return ODD[request.param]()
