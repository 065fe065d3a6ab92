"""A small office that answers questions: real files, a real service file, DuckDB, a real ledger.

Three data sets have the same people: ``clinic`` answers with noise, ``register`` exactly with an audit, ``payroll`` in
intervals. Everybody can be singled out by ``who``: that makes it easy to attack.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

from tacit.query import Request, load_service, open_desk
from tacit.query.account import key_hash
from tacit.query.query_service import QueryService
from tacit.query.refusal import Refusal

__all__ = ["KEYS", "MODES", "TARGET", "World", "people", "service_file"]

TARGET = 7
"""Whose income and illness the attackers want."""

KEYS = {name: f"the-key-of-{name}-0123456789" for name in ("olga", "ana", "ben", "eva")}

COLUMNS = """
who = { kind = "integer", low = 0, high = 199 }
age = { kind = "integer", low = 0, high = 110 }
sex = { kind = "category", values = ["f", "m"] }
ill = { kind = "boolean" }
income = { kind = "number", low = 0, high = 10000, step = 0.01, confidential = true }
town = { kind = "text" }
free = { kind = "integer" }
"""
MODES = {
    "clinic": 'mode = "dp"\nneighbours = "add_remove"\nbudget = { epsilon = 1000, delta = 1e-4 }\nthreshold_delta = 1e-8',
    "register": 'mode = "exact"\nleast = 5\nunit = "name"\nrows_per_unit = 1',
    "payroll": 'mode = "interval"\nunit = "name"\nrows_per_unit = 1\nsecret = "interval.secret"\n'
    "bands = { income = { absolute = 100 } }",
}
"""What a service file says of each data set beside its file, version and columns."""


def people(count: int = 40, seed: int = 1) -> pl.DataFrame:
    """Random people; incomes in cents."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"n{place}" for place in range(count)],
            "who": np.arange(count),
            "age": rng.integers(18, 100, count),
            "sex": rng.choice(["f", "m"], count),
            "ill": rng.random(count) < 0.5,
            "income": rng.integers(100_000, 900_000, count) / 100,
            "town": ["Big"] * count,
            "free": rng.integers(0, 9, count),
        }
    )


def service_file(folder: Path, *, columns: str = COLUMNS, grid: str = "0.01", **modes: str) -> Path:
    """SERVICE.toml for some of the data sets, whose files stand beside it."""
    text = f'[service]\nledger = "ledger.db"\ngrid = {grid}\ntime_limit = 30\n'
    for name, mode in modes.items():
        text += f'\n[dataset.{name}]\npath = "{name}.parquet"\nversion = "1"\n{mode}\n'
        if "[dataset." not in mode:
            text += f"[dataset.{name}.columns]{columns}"
    free = [name for name, mode in modes.items() if 'mode = "dp"' not in mode]
    caps = ", ".join(
        f"{name} = {{ {'rho' if 'rho' in modes[name] else 'epsilon'} = 1000, delta = 1e-4 }}"
        for name in modes
        if name not in free
    )
    for name, role in (("olga", "owner"), ("ana", "analyst"), ("ben", "analyst"), ("eva", "auditor")):
        text += f'\n[account.{name}]\nrole = "{role}"\nkey = "{key_hash(KEYS[name])}"\n'
        if role == "analyst":
            text += f"datasets = {free}\nbudget = {{ {caps} }}\n".replace("'", '"')
    (folder / "SERVICE.toml").write_text(text)
    return folder / "SERVICE.toml"


class World:
    """An open desk over some people; asks as ana unless told otherwise."""

    def __init__(self, folder: Path, frame: pl.DataFrame, *names: str, **changed: str) -> None:
        folder.mkdir(exist_ok=True)
        columns, grid = changed.pop("columns", COLUMNS), changed.pop("grid", "0.01")
        modes = {name: MODES[name] for name in names} | changed
        for place, name in enumerate(sorted(modes, key=lambda name: name != "register")):
            # Copies in two modes are refused: but for the register's, somebody's income is one step smaller in each.
            step = place * (1 if frame["income"].dtype.is_integer() else 0.01) if "income" in frame.columns else 0
            last = pl.int_range(pl.len()) == pl.len() - 1
            other = (
                frame.with_columns(income=pl.when(last).then(pl.col("income") - step).otherwise("income"))
                if step
                else frame
            )
            other.write_parquet(folder / f"{name}.parquet")
        self.file = service_file(folder, columns=columns, grid=grid, **modes)
        self.desk: QueryService = open_desk(load_service(self.file))

    def reply(self, sql: str, spend: object = None, who: str = "ana"):
        """The whole reply; a refusal is raised."""
        request = Request(sql=sql, spend=None if spend is None else Fraction(spend))
        return self.desk.query(self.desk.service.accounts[who], request)

    def ask(self, sql: str, spend: object = None, who: str = "ana") -> list[tuple]:
        """The rows of the answer."""
        return list(self.reply(sql, spend, who).table.rows)

    def refusal(self, sql: str, spend: object = None, who: str = "ana") -> Refusal | None:
        """Why there is no answer; None if there is one."""
        try:
            self.reply(sql, spend, who)
        except Refusal as refusal:
            return refusal
        return None

    def code(self, sql: str, spend: object = None, who: str = "ana") -> str:
        """The code of the refusal, or ``answered``."""
        refusal = self.refusal(sql, spend, who)
        return "answered" if refusal is None else refusal.code

    def spent(self, name: str = "clinic") -> Fraction:
        """What the ledger says that all together have spent."""
        return self.desk.ledger.spent(name).amount

    def close(self) -> None:
        """Let go of everything."""
        self.desk.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
