"""A CSV or Parquet file as the source: its codes are read once, then DuckDB's way to the file system is closed.

The table ``rows`` has the codes, ``unit`` (a number for each unit), ``many`` (whether the unit has more rows than count)
and ``place`` (the order among the rows of such a unit). A question that bounds contributions then sorts only the rows of
units with too many; the others all count. Both parts are always run, so that time tells little about one unit. Where one
row of a unit counts, the table ``units`` keeps its name (``who``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError, unknown_column
from ...sql_text import quote_identifier, text_literal
from ..column import Schema
from .codes import code_of
from .engine import Engine, content_of, version_of
from .layout import Layout


class DuckDB(Engine):
    """A data set in a file.

    The file is read once, when the engine is opened: later changes of it are noticed at the next opening, as another
    ``version`` (SHA-256 of the content). Opening is O(rows); the projection to codes is paid there and not by the questions.

    Parameters
    ----------
    schema
        What the owner declares.
    path
        A ``.csv`` file with a header, in which an empty field is missing, or a ``.parquet`` file.
    joins
        For each declared join, the file of the other table; a key may occur once in it.
    time_limit
        Seconds after which a question is stopped and refused.
    """

    def __init__(
        self, schema: Schema, path: str | Path, *, time_limit: float, joins: Mapping[str, str | Path] | None = None
    ) -> None:
        self._paths = {name: Path(one) for name, one in {schema.name: path, **(joins or {})}.items()}
        for one in self._paths.values():
            if set("*?[") & set(str(one)):
                raise TacitError(
                    f"{str(one)!r} could mean several files",
                    code="invalid_service",
                    fix="give a path without *, ? and [",
                )
            if not one.is_file():
                raise TacitError(
                    f"there is no file {str(one)!r}",
                    code="path_not_found",
                    fix="give the path of a .csv or .parquet file",
                )
        version = version_of(schema, {name: content_of(one) for name, one in self._paths.items()})
        super().__init__(schema, version=version, time_limit=time_limit)

    def _load_rows(self) -> None:
        load_rows(self._connection, self.layout, self._paths)


def load_rows(connection: Any, layout: Layout, paths: Mapping[str, Path]) -> None:
    """Make the table ``rows``. O(rows) time and memory."""
    schema = layout.schema
    types = {name: _create_view(connection, name, path) for name, path in paths.items()}
    parts = [_own_expressions(layout, types[schema.name])]
    joins = []
    for table, key in schema.joins.items():
        if table not in types:
            raise TacitError(
                f"the joined table {table!r} has no file", code="invalid_service", fix=f"give joins={{{table!r}: path}}"
            )
        _create_partner_table(connection, layout, table, types[table])
        found = layout.join_flag(table)
        parts.append(
            f"{found}.key IS NOT NULL AS {found}"
            + "".join(f", {found}.{c}" for c in _joined_code_columns(layout, table))
        )
        joins.append(
            f" LEFT JOIN partners_{found} AS {found} ON {found}.key = {_key_expression(layout, key, types[schema.name])}"
        )
    unit = _unit_expression(layout, types[schema.name])
    source = f"SELECT {', '.join(parts)}{unit} FROM {_view_name(schema.name)} AS own{''.join(joins)}"
    if schema.unit is None:
        _run_sql(connection, f"CREATE TABLE rows AS {source}", schema.name)
    else:
        _run_sql(
            connection, f"CREATE TABLE given AS SELECT * FROM ({source}) AS own WHERE who IS NOT NULL", schema.name
        )
        bound_rows(connection, layout)


def _view_name(name: str) -> str:
    return quote_identifier(f"file of {name}")


def _create_view(connection: Any, name: str, path: Path) -> dict[str, str]:
    """Make a view of a file and tell its columns and their types; a CSV file is text throughout."""
    text = text_literal(str(path))
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise TacitError(
            f"{path.name!r} is neither .csv nor .parquet", code="invalid_service", fix="save the data as CSV or Parquet"
        )
    parquet = f"read_parquet({text}, hive_partitioning=false)"
    source = parquet if kind == ".parquet" else f"read_csv({text}, all_varchar=true, header=true)"
    _run_sql(connection, f"CREATE VIEW {_view_name(name)} AS SELECT * FROM {source}", name)
    return {row[0]: str(row[1]) for row in _run_sql(connection, f"DESCRIBE {_view_name(name)}", name)}


def _run_sql(connection: Any, sql: str, name: str) -> list[tuple[Any, ...]]:
    import duckdb

    try:
        return list(connection.execute(sql).fetchall())
    except duckdb.Error:  # its text may show a line of the file
        raise TacitError(
            f"the file of {name!r} cannot be read",
            code="cannot_read",
            fix="save it anew as CSV with a header or as Parquet",
        ) from None


def _raw_column(name: str, types: Mapping[str, str]) -> str:
    if name not in types:
        raise unknown_column(name, list(types))
    return f"own.{quote_identifier(name)}"


def _own_expressions(layout: Layout, types: Mapping[str, str]) -> str:
    return ", ".join(
        f"{code_of(column, _raw_column(name, types), types[name])} AS {layout.code(name)}"
        for name, column in layout.own_columns.items()
    )


def _key_expression(layout: Layout, key: str, types: Mapping[str, str]) -> str:
    return code_of(layout.schema.column(key), _raw_column(key, types), types[key])


def _joined_code_columns(layout: Layout, table: str) -> list[str]:
    return [layout.code(column.name) for column in layout.of_join(table).values()]


def _create_partner_table(connection: Any, layout: Layout, table: str, types: Mapping[str, str]) -> None:
    """Make the table of a join's partners by the code of their key; refuse a key that occurs twice."""
    key = layout.schema.joins[table]
    codes = [f"{_key_expression(layout, key, types)} AS key"]
    codes += [
        f"{code_of(column, _raw_column(name, types), types[name])} AS {layout.code(column.name)}"
        for name, column in layout.of_join(table).items()
    ]
    made = f"partners_{layout.join_flag(table)}"
    rows = f"SELECT * FROM (SELECT {', '.join(codes)} FROM {_view_name(table)} AS own) AS own WHERE key IS NOT NULL"
    _run_sql(connection, f"CREATE TABLE {made} AS {rows}", table)
    if _run_sql(connection, f"SELECT 1 FROM {made} GROUP BY key HAVING COUNT(*) > 1 LIMIT 1", table):
        raise TacitError(
            f"occurs more than once in {table!r}", code="duplicate", column=key, fix="keep one row for each key"
        )


def _unit_expression(layout: Layout, types: Mapping[str, str]) -> str:
    unit = layout.schema.unit
    return f", CAST({_raw_column(unit, types)} AS VARCHAR) AS who" if unit is not None else ""


def bound_rows(connection: Any, layout: Layout) -> None:
    """Make the table ``rows`` of the table ``given``: number the units, and put the rows of those with too many in order."""
    name = layout.schema.name
    _run_sql(
        connection,
        "CREATE TABLE units AS SELECT who, row_number() OVER () AS unit, "
        f"COUNT(*) > {layout.schema.rows} AS many FROM given GROUP BY who",
        name,
    )
    joined = "FROM given JOIN units USING (who) WHERE"
    order = f"row_number() OVER (PARTITION BY unit ORDER BY md5({layout.row_text()}))"
    _run_sql(
        connection,
        f"CREATE TABLE rows AS SELECT given.* EXCLUDE (who), unit, many, 0 AS place {joined} NOT many "
        f"UNION ALL SELECT given.* EXCLUDE (who), unit, many, {order} AS place {joined} many",
        name,
    )
    _run_sql(connection, "DROP TABLE given", name)
    if layout.schema.rows > 1:  # modes that ask who a unit is have one row of each
        _run_sql(connection, "DROP TABLE units", name)
