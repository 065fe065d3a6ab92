"""A desk over data in memory, with the real mode and the real ledger, and accounts of every role."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from tacit.dp.cost import Cost
from tacit.query.account import Account, key_hash
from tacit.query.column import Column, Schema
from tacit.query.dataset import Dataset
from tacit.query.ledger import Ledger
from tacit.query.modes.dp import DpMode
from tacit.query.query_service import QueryService
from tacit.query.request import Request
from tacit.query.service import DatasetConfig, Project, Service, TableLocation

from .memory_source import MemorySource

SCHEMA = Schema(
    name="people",
    version="1",
    columns={
        "age": Column(name="age", kind="integer", low=0, high=110),
        "sex": Column(name="sex", kind="category", values=("f", "m")),
        "income": Column(name="income", kind="integer", low=0, high=1000, confidential=True),
    },
    joins={},
)
KEYS = {name: f"key-of-{name}" for name in ("olga", "ana", "ben", "eva")}


def source(rows: int = 200, seed: int = 1) -> MemorySource:
    rng = np.random.default_rng(seed)
    codes = {"age": rng.integers(0, 111, rows), "sex": rng.integers(0, 2, rows), "income": rng.integers(0, 1001, rows)}
    return MemorySource(SCHEMA, codes)


def service(ledger: object = "", *, epsilon: object = 10, grid: Fraction = Fraction(1, 50)) -> Service:
    budget = Cost.of(epsilon, "1e-6")
    declared = DatasetConfig(
        schema=SCHEMA,
        place=TableLocation(path=Path("people.csv")),
        mode="dp",
        budget=budget,
        joins={},
        options={"neighbours": "add_remove"},
    )

    def account(name, role, **more):
        return Account(name=name, role=role, key=key_hash(KEYS[name]), **more)

    return Service(
        host="127.0.0.1",
        port=8470,
        ledger=str(ledger),
        grid=grid,
        time_limit=Fraction(10),
        tls=None,
        datasets={"people": declared},
        projects={"p": Project(name="p", datasets=(), budget={"people": Cost.of(4, "1e-6")})},
        accounts={
            "olga": account("olga", "owner"),
            "ana": account("ana", "analyst", budget={"people": Cost.of(2, "1e-6")}),
            "ben": account("ben", "analyst", projects=("p",)),
            "eva": account("eva", "auditor"),
        },
    )


def mode(data) -> DpMode:
    return DpMode(SCHEMA, data, unit="epsilon", neighbours="add_remove")


def desk(place: object, data=None, **more: object) -> QueryService:
    """A desk whose ledger is at a place."""
    room = Dataset(SCHEMA, mode(data or source()), rehearsal=lambda: mode(source(seed=99)))
    return QueryService(service(place, **more), Ledger.open(place), {"people": room})


def ask(sql: str = "SELECT COUNT(*) AS n FROM people", spend: object = "0.5", project: str | None = None) -> Request:
    return Request(sql=sql, spend=None if spend is None else Fraction(spend), project=project)
