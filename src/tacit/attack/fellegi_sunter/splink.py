"""The same linkage by Splink: DuckDB or Spark forms and weighs the pairs, within blocks for large files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import polars as pl

from ...errors import TacitError
from .comparison import Files
from .em import Model
from .linking import monotone_weights

if TYPE_CHECKING:
    from splink import Linker


ROW, BLOCK = "tacit_row", "tacit_block"
TIED = 1e-9
LEAST = 1e-15
"""Splink takes no chance of 0."""


def make_linker(files: Files, start: Model, *, extra: np.ndarray | None = None, session: Any = None) -> Linker:
    """Splink's linker over the distinct rows of both files, with the levels and the start of a model.

    The levels are handed over as the numbers that decide them, so that Splink compares what Tacit compares. The pairs
    are formed in DuckDB, or in a Spark ``session``. ``extra`` is what rare values weigh more (:func:`.probabilistic.rarity`).
    """
    try:
        from splink import Linker
    except ImportError:
        raise TacitError("Splink is not installed", code="not_installed", fix="pip install 'tacit[linkage]'") from None
    database, mark = _database_api(session), uuid4().hex
    sides = [
        database.register(
            _level_table(files, side).to_arrow(), dataset_display_name=side, table_name=f"__splink__{side}_{mark}"
        )
        for side in ("intruder", "release")
    ]
    levels = zip(files.comparisons, files.columns, strict=False)
    compared = [
        _comparison_settings(one, first, (start.m[c], start.u[c]), frequencies=extra is not None)
        for c, (one, first) in enumerate(levels)
    ]
    settings = {
        "link_type": "link_only",
        "unique_id_column_name": ROW,
        "comparisons": compared,
        "blocking_rules_to_generate_predictions": [blocking_rule(files)],
        "probability_two_random_records_match": _clipped_prior(start),
        "retain_matching_columns": False,
    }
    made = Linker(sides, settings, log_level="ERROR")
    for name, table in _looked_up(files, start, extra) if extra is not None else ():
        shares = database.register(table.to_arrow(), table_name=f"__splink__{name}_{mark}")
        made.table_management.register_term_frequency_lookup(shares, name)
    return made


def _looked_up(files: Files, start: Model, extra: np.ndarray) -> Iterator[tuple[str, pl.DataFrame]]:
    """For each column of codes the frequency of a value with which Splink's log2(u / frequency) is what Tacit adds.

    Agreeing on a common value weighs no less than the level below.
    """
    weights = start.weights()
    for column, (one, last) in enumerate(zip(files.comparisons, files.columns[1:] - 1, strict=True)):
        if one.levels[-1].is_equality:
            values, first = np.unique(files.value[:, last], return_index=True)
            more = np.maximum(extra[first, column], weights[column][-2] - weights[column][-1])
            shares = max(float(start.u[column][-1]), LEAST) * np.exp2(-more)
            table = pl.DataFrame({f"low{last}": values, f"tf_low{last}": shares})
            yield f"low{last}", table.filter(pl.col(f"low{last}").is_not_nan())


def _database_api(session: Any) -> Any:
    """Where Splink works; its own Spark functions are not needed, and intermediate tables stay with the workers."""
    if session is None:
        import duckdb
        from splink.internals.duckdb.database_api import DuckDBAPI

        return DuckDBAPI(duckdb.connect())
    from splink.internals.spark.database_api import SparkAPI

    return SparkAPI(spark_session=session, break_lineage_method="persist", register_udfs_automatically=False)


def blocking_rule(files: Files) -> str:
    """Which pairs are formed: all, or those of the same block."""
    return "1=1" if files.blocks is None else f"l.{BLOCK} = r.{BLOCK}"


def splink_links(made: Linker, files: Files, model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each of the intruder's rows the start of its best released rows, these, and their weight.

    Only these leave the database, O(candidates). Splink's match weight counts the prior too; it is taken off.
    """
    mine = f"CASE WHEN source_dataset_l = 'intruder' THEN {ROW}_l ELSE {ROW}_r END"
    theirs = f"CASE WHEN source_dataset_l = 'intruder' THEN {ROW}_r ELSE {ROW}_l END"
    found = made.inference.predict().query_sql(
        f"WITH pairs AS (SELECT {mine} AS mine, {theirs} AS theirs, match_weight AS weight FROM {{this}}), "
        "weighed AS (SELECT mine, theirs, weight, max(weight) OVER (PARTITION BY mine) AS top FROM pairs) "
        f"SELECT mine, theirs, weight FROM weighed WHERE weight >= top - {TIED}"
    )
    best = pl.from_arrow(found.as_pyarrow_table())
    assert isinstance(best, pl.DataFrame)
    best = best.sort("mine", "theirs")
    sizes = np.bincount(best["mine"].to_numpy(), minlength=len(files.value))
    weight = np.zeros(len(files.value))
    weight[best["mine"].to_numpy()] = best["weight"].to_numpy() - np.log2(
        _clipped_prior(model) / (1.0 - _clipped_prior(model))
    )
    return np.append(0, np.cumsum(sizes)), best["theirs"].to_numpy().astype(np.int64), weight


def _clipped_prior(model: Model) -> float:
    """Splink takes no chance of 1 either, which two files of one record have."""
    return float(np.clip(model.prior, LEAST, 1.0 - 1e-9))


def for_links(model: Model) -> Model:
    """A model of the weights with which Tacit links, those that rise with agreement."""
    odds = [np.exp2(weight) for weight in monotone_weights(model)]
    return replace(model, m=tuple(0.5 * one / (1 + one) for one in odds), u=tuple(0.5 / (1 + one) for one in odds))


def _level_table(files: Files, side: str) -> pl.DataFrame:
    """One file with both ends of every level; of the intruder's values both ends are the value."""
    ends = (files.value, files.value) if side == "intruder" else (files.low, files.high)
    columns = {ROW: np.arange(len(ends[0]))}
    if files.blocks is not None:
        block = files.blocks[side == "intruder"]
        columns[BLOCK] = pl.Series(BLOCK, block).replace([-1.0, -2.0], [None, None])  # type: ignore[assignment]
    for k in range(files.low.shape[1]):
        columns |= {f"low{k}": ends[0][:, k], f"high{k}": ends[1][:, k]}
    return pl.DataFrame(columns).fill_nan(None)


def _comparison_settings(
    one: Any, first: int, start: tuple[np.ndarray, np.ndarray], *, frequencies: bool
) -> dict[str, Any]:
    """A comparison in Splink's words: unknown, the levels from exact on, and else."""
    gap = [f"low{first}_{side} IS NULL" for side in "lr"]
    unknown = f"({gap[0]}) <> ({gap[1]})" if one.own else f"{gap[0]} OR {gap[1]}"
    levels: list[dict[str, Any]] = [{"sql_condition": unknown, "label_for_charts": "unknown", "is_null_level": True}]
    for place in reversed(range(len(one.levels))):
        k = first + place
        agree = f"low{k}_l <= high{k}_r AND low{k}_r <= high{k}_l"
        if one.own and place == len(one.levels) - 1:
            agree = f"({agree}) OR ({gap[0]} AND {gap[1]})"
        levels.append({"sql_condition": agree, "label_for_charts": one.levels[place].name})
        if frequencies and place == len(one.levels) - 1 and one.levels[place].is_equality:
            levels[-1] |= {"tf_adjustment_column": f"low{k}", "disable_tf_exact_match_detection": True}
    levels.append({"sql_condition": "ELSE", "label_for_charts": "different"})
    for level, m, u in zip(levels[:0:-1], *start, strict=True):
        level |= {"m_probability": float(max(m, LEAST)), "u_probability": float(max(u, LEAST))}
    return {"output_column_name": f"c{first}", "comparison_levels": levels}
