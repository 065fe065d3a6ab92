"""From an analyst's text to a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..column import Schema
from ..condition import Condition
from ..question import After, Question
from ..refusal import Refusal
from .after import after
from .screened import screened
from .select import asked
from .tables import scope_of
from .unsupported import only, unsupported
from .where import condition

__all__ = ["parse"]

_FORM = "only SELECT, FROM, JOIN … USING, WHERE, GROUP BY, HAVING, ORDER BY and LIMIT are offered"


def parse(sql: str, schemas: Mapping[str, Schema]) -> tuple[Question, After]:
    """The question that a text asks of one of the declared data sets, and what is done with the answer.

    Reads the text and the declarations, never the data; whatever else the text is, the end is a :class:`Refusal` that
    names the piece and what to write instead. O(length) but for the condition, whose size is bounded.

    >>> from ..column import Column
    >>> age = Column(name="age", kind="integer", low=0, high=110)
    >>> schema = Schema(name="people", version="1", columns={"age": age}, joins={})
    >>> question, after = parse("SELECT COUNT(*) FROM people WHERE NOT age <= 17", {"people": schema})
    >>> question.where == parse("SELECT COUNT(*) FROM people WHERE age > 17.5", {"people": schema})[0].where
    True
    >>> parse("SELECT age FROM people", {"people": schema})
    Traceback (most recent call last):
    tacit.query.refusal.Refusal: 'age' is neither an aggregate nor in GROUP BY
      fix: add it to GROUP BY
    """
    select = _tree(screened(sql), sql)
    scope = scope_of(select, schemas)
    found = asked(select, scope)
    where = select.args.get("where")
    question = Question(
        dataset=scope.schema.name,
        version=scope.schema.version,
        aggregates=found.aggregates,
        where=condition(where.this, scope) if where is not None else Condition.everything(),
        by=found.by,
        joined=scope.joined,
    )
    return question, after(select, found, scope)


def _tree(tokens: list[Any], sql: str) -> Any:
    from sqlglot import Dialect
    from sqlglot.errors import SqlglotError

    try:
        trees = Dialect.get_or_raise("duckdb").parser().parse(tokens, sql)
    except (SqlglotError, RecursionError, ValueError) as error:
        raise _unreadable(error) from None
    if len(trees) != 1 or type(trees[0]).__name__ != "Select":
        raise unsupported("the text is not one plain SELECT (UNION, subqueries and the like are not offered)", _FORM)
    allowed = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit")
    only(trees[0], *allowed, fix=_FORM)
    return trees[0]


def _unreadable(error: Exception) -> Refusal:
    if isinstance(error, RecursionError):
        return Refusal("too_complex", "the text is nested too deeply", fix="leave out needless parentheses")
    found = (getattr(error, "errors", None) or [{}])[0]
    token, line, place = found.get("highlight"), found.get("line"), found.get("col")
    where = f" at {str(token)[:40]!r}, line {line}, character {place}" if token else ""
    return unsupported(f"the text is no SQL{where}", _FORM)
