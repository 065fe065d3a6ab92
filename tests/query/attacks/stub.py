"""What an attack must succeed against before its failure means anything: services without one of the protections."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import numpy as np
import polars as pl

__all__ = ["FloatNoise", "NoLock", "Unprotected"]


class Unprotected:
    """Exact answers to everything: the analyst's text goes to DuckDB as it is."""

    def __init__(self, frame: pl.DataFrame, *names: str) -> None:
        self.connection = duckdb.connect()
        table = frame.to_arrow()
        for name in names:
            self.connection.register("given", table)
            self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
            self.connection.unregister("given")

    def ask(self, sql: str, spend: object = None, who: str = "ana") -> list[tuple]:
        """What DuckDB says, its errors included."""
        return self.connection.execute(sql).fetchall()


class FloatNoise(Unprotected):
    """Floating-point Laplace noise of scale 1/spend on the first figure, kept for each *text* of a question."""

    def __init__(self, frame: pl.DataFrame, *names: str, seed: int = 5) -> None:
        super().__init__(frame, *names)
        self.rng, self.kept = np.random.default_rng(seed), {}

    def ask(self, sql: str, spend: object = None, who: str = "ana") -> list[tuple]:
        """The answer that this text was given before, or another draw."""
        if sql not in self.kept:
            exact = super().ask(sql)[0][0]
            self.kept[sql] = [(exact + self.rng.laplace(scale=1 / float(spend)),)]
        return self.kept[sql]


class NoLock:
    """A budget that is looked at and then written, without a transaction; in binary fractions."""

    def __init__(self, cap: float, work: Callable[[], object] = lambda: None) -> None:
        self.cap, self.spent, self.answered, self.work = cap, 0.0, 0, work

    def ask(self, spend: float) -> bool:
        """Whether it was answered."""
        before = self.spent
        if before + spend > self.cap:
            return False
        self.work()  # of the engine
        self.spent = before + spend
        self.answered += 1
        return True
