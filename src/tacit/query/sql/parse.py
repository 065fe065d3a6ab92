"""From an analyst's text to a question."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...errors import suggest_alternative
from ..column import Schema
from ..condition import Condition
from ..question import Aggregate, Key, PostProcessing, Question, What
from ..refusal import Refusal
from .comparison import OPPOSITE
from .literal import is_literal, parse_number
from .scope import Scope, found_name
from .unsupported import quote_fragment, require_only, unsupported_error
from .where import OPERATORS, parse_condition, split_chain

_FORM = "only SELECT, FROM, JOIN … USING, WHERE, GROUP BY, HAVING, ORDER BY and LIMIT are offered"


_FROM = "write FROM one declared data set, with an alias if you like"


MOST = 10**9


_FIX = "group by a column or by BIN(column, width), whose bins start at the lower bound"


LONGEST = 10_000


"""Characters of a question."""


DEEPEST = 40


"""Open parentheses, NOTs and signs at one place: the parser is recursive."""


_SCREENED_FORM = "write SELECT … FROM a data set [WHERE …] [GROUP BY …]"


_UNREADABLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def parse(sql: str, schemas: Mapping[str, Schema]) -> tuple[Question, PostProcessing]:
    """The question that a text asks of one of the declared data sets, and what is done with the answer.

    Reads the text and the declarations, never the data; whatever else the text is, the end is a :class:`Refusal` that
    names the piece and what to write instead. O(length) but for the condition, whose size is bounded.

    >>> from ..column import Column
    >>> age = Column(name="age", kind="integer", low=0, high=110)
    >>> schema = Schema(name="people", version="1", columns={"age": age}, joins={})
    >>> question, parse_post_processing = parse("SELECT COUNT(*) FROM people WHERE NOT age <= 17", {"people": schema})
    >>> question.where == parse("SELECT COUNT(*) FROM people WHERE age > 17.5", {"people": schema})[0].where
    True
    >>> parse("SELECT age FROM people", {"people": schema})
    Traceback (most recent call last):
    tacit.query.refusal.Refusal: 'age' is neither an aggregate nor in GROUP BY
      fix: add it to GROUP BY
    """
    select = _parse_tree(screen_tokens(sql), sql)
    scope = scope_of(select, schemas)
    found = parse_select_list(select, scope)
    where = select.args.get("where")
    question = Question(
        dataset=scope.schema.name,
        version=scope.schema.version,
        aggregates=found.aggregates,
        where=parse_condition(where.this, scope) if where is not None else Condition.everything(),
        by=found.by,
        joined=scope.joined,
    )
    return question, parse_post_processing(select, found, scope)


def _parse_tree(tokens: list[Any], sql: str) -> Any:
    from sqlglot import Dialect
    from sqlglot.errors import SqlglotError

    try:
        trees = Dialect.get_or_raise("duckdb").parser().parse(tokens, sql)
    except (SqlglotError, RecursionError, ValueError) as error:
        raise _syntax_error(error) from None
    if len(trees) != 1 or type(trees[0]).__name__ != "Select":
        raise unsupported_error(
            "the text is not one plain SELECT (UNION, subqueries and the like are not offered)", _FORM
        )
    allowed = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit")
    require_only(trees[0], *allowed, fix=_FORM)
    return trees[0]


def _syntax_error(error: Exception) -> Refusal:
    if isinstance(error, RecursionError):
        return Refusal("too_complex", "the text is nested too deeply", fix="leave out needless parentheses")
    found = (getattr(error, "errors", None) or [{}])[0]
    token, line, place = found.get("highlight"), found.get("line"), found.get("col")
    where = f" at {str(token)[:40]!r}, line {line}, character {place}" if token else ""
    return unsupported_error(f"the text is no SQL{where}", _FORM)


def scope_of(select: Any, schemas: Mapping[str, Schema]) -> Scope:
    """The data set of a SELECT and its joined tables."""
    source = select.args.get("from_")
    if source is None:
        raise unsupported_error("the question has no FROM", _FROM)
    require_only(source, "this", fix=_FROM)
    name, called = _parse_table(source.this)
    found = found_name(name, schemas)
    if found is None:
        raise Refusal(
            "unknown_dataset",
            f"there is no data set {str(name.this)!r}",
            fix=suggest_alternative(str(name.this), list(schemas)),
        )
    tables = {called: ""}
    for join in select.args.get("joins") or []:
        alias, table = _parse_join(join, schemas[found])
        if alias in tables or table in tables.values():
            raise unsupported_error(f"{alias!r} is in FROM twice", "join every table once")
        tables[alias] = table
    return Scope(schemas[found], tables)


def _parse_table(node: Any) -> tuple[Any, str]:
    if type(node).__name__ != "Table" or type(node.this).__name__ != "Identifier":
        raise unsupported_error(f"{quote_fragment(node)} is no data set", _FROM)
    require_only(node, "this", "alias", fix=_FROM)
    alias = node.args.get("alias")
    if alias is None:
        return node.this, str(node.this.this)
    require_only(alias, "this", fix=_FROM)
    return node.this, str(alias.this.this)


def _parse_join(join: Any, schema: Schema) -> tuple[str, str]:
    written = ", ".join(f"JOIN {table} USING ({key})" for table, key in schema.joins.items())
    fix = f"{schema.name!r} offers {written}" if written else f"{schema.name!r} declares no join"
    if str(join.args.get("kind") or "INNER").upper() != "INNER" or not join.args.get("using"):
        raise unsupported_error(f"{quote_fragment(join)} is not a declared join", fix)
    require_only(join, "this", "using", "kind", fix=fix)
    name, alias = _parse_table(join.this)
    table = found_name(name, schema.joins)
    if table is None:
        raise Refusal("unknown_dataset", f"{schema.name!r} declares no join with {str(name.this)!r}", fix=fix)
    keys = [found_name(key, [schema.joins[table]]) for key in join.args["using"]]
    if keys != [schema.joins[table]]:
        raise unsupported_error(f"{table!r} is joined by another key", fix)
    return alias, table


def parse_post_processing(select: Any, asked: SelectList, scope: Scope) -> PostProcessing:
    """What is done with the noisy answer."""
    aggregates = asked.aggregates
    return PostProcessing(
        shown=tuple(
            ("aggregate", aggregates.index(one), name)
            if isinstance(one, Aggregate)
            else ("key", asked.by.index(one), name)
            for name, one in asked.shown.items()
        ),
        having=_parse_having(select.args.get("having"), asked, scope),
        order=_parse_order(select.args.get("order"), asked, scope),
        limit=_parse_limit(select.args.get("limit")),
    )


def _resolve_output_column(node: Any, asked: SelectList, scope: Scope) -> str:
    """The column of the answer that an expression names or repeats."""
    if type(node).__name__ == "Column" and not node.args.get("table"):
        name = found_name(node.this, asked.shown)
        if name is not None:
            return name
    meant = parse_aggregate(node, scope) or parse_key(node, scope)
    for name, one in asked.shown.items():
        if one == meant:
            return name
    raise unsupported_error(f"{quote_fragment(node)} is not a column of the answer", "put it into SELECT")


def _parse_having(having: Any, asked: SelectList, scope: Scope) -> tuple[tuple[str, Any, Fraction], ...]:
    if having is None:
        return ()
    return tuple(_parse_having_comparison(part, asked, scope) for part in split_chain(having.this, "And"))


def _parse_having_comparison(node: Any, asked: SelectList, scope: Scope) -> tuple[str, str, Fraction]:
    while type(node).__name__ == "Paren":
        node = node.this
    sign = OPERATORS.get(type(node).__name__)
    if sign is None:
        raise unsupported_error(
            f"{quote_fragment(node)} is not offered in HAVING", "write HAVING figure > number AND …"
        )
    left, right = node.this, node.args["expression"]
    if is_literal(left):
        left, right, sign = right, left, OPPOSITE[sign]
    name = _resolve_output_column(left, asked, scope)
    if not isinstance(asked.shown[name], Aggregate):
        raise unsupported_error(f"HAVING speaks of figures, and {name!r} is a key", "put the comparison into WHERE")
    return name, sign, parse_number(right)


def _parse_order(order: Any, asked: SelectList, scope: Scope) -> tuple[tuple[str, bool], ...]:
    if order is None:
        return ()
    require_only(order, "expressions", fix="write ORDER BY column [DESC]")
    found = []
    for one in order.expressions:
        require_only(one, "this", "desc", fix="leave out NULLS FIRST and the like: what is missing comes last")
        found.append((_resolve_output_column(one.this, asked, scope), bool(one.args.get("desc"))))
    return tuple(found)


def _parse_limit(limit: Any) -> int | None:
    if limit is None:
        return None
    fix = "write LIMIT and a whole number"
    if type(limit).__name__ != "Limit":
        raise unsupported_error(f"{quote_fragment(limit)} is not offered", fix)
    require_only(limit, "expression", fix=fix)
    rows = parse_number(limit.args["expression"])
    if rows.denominator != 1 or not 0 <= rows <= MOST:
        raise unsupported_error(f"{quote_fragment(limit)} is no number of rows", fix)
    return int(rows)


@dataclass(frozen=True, slots=True)
class SelectList:
    """The columns of the answer in the analyst's order, by name, and all keys of the groups, shown or not."""

    shown: dict[str, Aggregate | Key]
    by: tuple[Key, ...]

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The distinct aggregates, in the question's order."""
        return tuple(sorted({one for one in self.shown.values() if isinstance(one, Aggregate)}))


def parse_select_list(select: Any, scope: Scope) -> SelectList:
    """What a SELECT asks, refused unless every column is an aggregate or a key of the groups."""
    items = [_parse_output_column(node, scope) for node in select.expressions]
    aliases = {name: one for node, (name, one) in zip(select.expressions, items, strict=True) if node.args.get("alias")}
    by = tuple(sorted({_resolve_key(node, scope, aliases) for node in _group_expressions(select)}))
    shown: dict[str, Aggregate | Key] = {}
    for name, one in items:
        if name in shown:
            raise unsupported_error(
                f"two columns of the answer are called {name!r}", "give one another name: … AS name"
            )
        if isinstance(one, Key) and one not in by:
            raise unsupported_error(f"{name!r} is neither an aggregate nor in GROUP BY", "add it to GROUP BY")
        shown[name] = one
    if not any(isinstance(one, Aggregate) for one in shown.values()):
        raise unsupported_error("the question asks for no aggregate", OFFERED)
    return SelectList(shown, by)


def _parse_output_column(node: Any, scope: Scope) -> tuple[str, Aggregate | Key]:
    alias, inner = None, node
    if type(node).__name__ == "Alias":
        require_only(node, "this", "alias", fix="write expression AS name")
        alias, inner = str(node.args["alias"].this), node.this
    if type(inner).__name__ == "Star":
        raise unsupported_error("'*' would show the rows themselves", OFFERED)
    found = parse_aggregate(inner, scope)
    if found is not None:
        return alias or default_name(found), found
    if type(inner).__name__ not in ("Column", "Anonymous"):
        raise unsupported_error(f"{quote_fragment(inner)} is not offered", OFFERED)
    group = parse_key(inner, scope)
    return alias or group.column.rpartition(".")[2], group


def _group_expressions(select: Any) -> list[Any]:
    group = select.args.get("group")
    if group is None:
        return []
    require_only(group, "expressions", fix="write GROUP BY column, BIN(column, width)")
    return list(group.expressions)


def _resolve_key(node: Any, scope: Scope, aliases: dict[str, Aggregate | Key]) -> Key:
    if type(node).__name__ == "Column" and not node.args.get("table"):
        meant = aliases.get(str(node.this.this))
        if isinstance(meant, Key) and str(node.this.this) not in scope.schema.columns:
            return meant
    return parse_key(node, scope)


def parse_key(node: Any, scope: Scope) -> Key:
    """The key that an expression means."""
    kind = type(node).__name__
    if kind == "Column":
        return Key(scope.column(node).name)
    if kind == "Anonymous" and str(node.this).upper() == "BIN" and len(node.expressions) == 2:
        return _parse_bin(node, scope)
    raise unsupported_error(f"{quote_fragment(node)} is no key that is offered", _FIX)


def _parse_bin(node: Any, scope: Scope) -> Key:
    inner, given = node.expressions
    if type(inner).__name__ != "Column":
        raise unsupported_error(f"{quote_fragment(inner)} is no column", _FIX)
    column = scope.column(inner)
    if column.kind not in ("integer", "number", "date"):
        raise unsupported_error(f"{column.name!r} is neither number nor date", "group by the column itself")
    low, high = column.bounds()
    width = parse_number(given) / column.step
    if width <= 0 or width.denominator != 1:
        raise Refusal(
            "unknown_value",
            f"cannot be cut into bins of {quote_fragment(given)}",
            column=column.name,
            fix="give a width above 0 in whole days" if column.kind == "date" else f"give a multiple of {column.step}",
        )
    return Key(column.name, min(int(width), high - low + 1))


def screen_tokens(sql: object) -> list[Any]:
    """The tokens without a closing semicolon, once the text is known to be short, flat and of plain characters. O(length)."""
    if not isinstance(sql, str):
        raise Refusal(
            "bad_request", f"the question is a {type(sql).__name__}, not a text", fix='send "sql": "SELECT …"'
        )
    if len(sql) > LONGEST:
        raise Refusal("too_large", f"the question is longer than {LONGEST} characters", fix="ask in smaller parts")
    _plain_characters(sql)
    tokens = _tokenize_sql(sql)
    if tokens and tokens[-1].text == ";":
        tokens = tokens[:-1]
    if not tokens:
        raise unsupported_error("the question is empty", _SCREENED_FORM)
    _one_select(tokens)
    _check_nesting(tokens)
    return tokens


def _plain_characters(sql: str) -> None:
    for place, letter in enumerate(sql):
        if letter not in "\t\n\r" and unicodedata.category(letter) in _UNREADABLE:
            raise unsupported_error(
                f"character {place + 1} is U+{ord(letter):04X}, which cannot be seen", "leave out control characters"
            )


def _tokenize_sql(sql: str) -> list[Any]:
    from sqlglot import Dialect
    from sqlglot.errors import SqlglotError

    try:
        return list(Dialect.get_or_raise("duckdb").tokenize(sql))
    except (SqlglotError, RecursionError):
        raise unsupported_error("the text is no SQL: a quote or a comment is not closed", "close it") from None


def _one_select(tokens: list[Any]) -> None:
    first = tokens[0].text.upper()
    if first == "WITH":
        raise unsupported_error("'WITH' is not offered", "ask one SELECT without common table expressions")
    if first != "SELECT":
        raise unsupported_error(f"{tokens[0].text[:40]!r} cannot start a question", _SCREENED_FORM)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.comments:
            raise unsupported_error("the text has a comment", "leave out -- and /* */")
        if token.text == ";" and token.token_type.name == "SEMICOLON":
            raise unsupported_error("';' ends a first statement and another follows", "ask one SELECT at a time")
        if after and token.token_type.name == "NUMBER" and after.start == token.end + 1 and after.text.isidentifier():
            raise unsupported_error(
                f"{token.text + after.text!r} is no number", "write decimal digits, e.g. 12 or 0.5 or 1e3"
            )


def _check_nesting(tokens: list[Any]) -> None:
    open_now = run = 0
    for token in tokens:
        open_now += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        run = run + 1 if token.text.upper() in ("NOT", "-", "+", "~", "CASE") else 0
        if open_now + run > DEEPEST:
            raise Refusal("too_complex", f"more than {DEEPEST} levels of nesting", fix="leave out needless parentheses")


OFFERED = "COUNT(*), COUNT(DISTINCT unit), SUM, AVG, VARIANCE, QUANTILE(x, 0.9) and MEDIAN are offered"


_OF_A_COLUMN: dict[str, What] = {
    "Sum": "sum",
    "Avg": "mean",
    "Variance": "variance",
    "Quantile": "quantile",
    "Median": "quantile",
}


def parse_aggregate(node: Any, scope: Scope) -> Aggregate | None:
    """The aggregate that a node means; None where it is no function of a group."""
    kind = type(node).__name__
    if kind == "Count":
        return _parse_count(node, scope)
    if kind == "Anonymous" and str(node.this).upper() == "VAR" and len(node.expressions) == 1:
        return _make_statistic("variance", node.expressions[0], Fraction(0), scope)
    if kind == "VariancePop":
        raise unsupported_error(
            f"{quote_fragment(node)} divides by n", "write VARIANCE or VAR_SAMP, which divide by n - 1"
        )
    if kind not in _OF_A_COLUMN:
        return None
    require_only(node, "this", "quantile", fix=OFFERED)
    return _make_statistic(_OF_A_COLUMN[kind], node.this, _parse_share(node, kind), scope)


def default_name(one: Aggregate) -> str:
    """The name of an aggregate that the analyst gave none.

    >>> default_name(Aggregate("quantile", "income", Fraction(9, 10))), default_name(Aggregate("count"))
    ('quantile_0.9_income', 'count')
    """
    share = f"{float(one.share):g}" if one.what == "quantile" else ""
    return "_".join(part for part in (one.what, share, one.column.replace(".", "_")) if part)


def _parse_count(node: Any, scope: Scope) -> Aggregate:
    require_only(node, "this", "big_int", fix="write COUNT(*)")
    inner = node.this
    if type(inner).__name__ == "Star" and not any(inner.args.values()):
        return Aggregate("count")
    if type(inner).__name__ == "Distinct" and [type(one).__name__ for one in inner.expressions] == ["Column"]:
        require_only(inner, "expressions", fix="write COUNT(DISTINCT unit)")
        if scope.is_unit(inner.expressions[0]):
            return Aggregate("units")
    unit = scope.schema.unit
    fix = f"write COUNT(*) or COUNT(DISTINCT {unit})" if unit else "write COUNT(*): every row is another unit"
    raise unsupported_error(
        f"{quote_fragment(node)} is not offered", f"{fix}; values that are there: … WHERE column IS NOT NULL"
    )


def _parse_share(node: Any, kind: str) -> Fraction:
    if kind == "Median":
        return Fraction(1, 2)
    if kind != "Quantile":
        return Fraction(0)
    if node.args.get("quantile") is None:
        raise unsupported_error(f"{quote_fragment(node)} does not say which quantile", "write QUANTILE(x, 0.9)")
    share = parse_number(node.args["quantile"])
    if not 0 <= share <= 1:
        raise unsupported_error(f"{quote_fragment(node)} asks for a share outside 0 to 1", "write QUANTILE(x, 0.9)")
    return share


def _make_statistic(what: What, inner: Any, share: Fraction, scope: Scope) -> Aggregate:
    if type(inner).__name__ != "Column":
        raise unsupported_error(
            f"{quote_fragment(inner)} is no column", f"write the name of a column: {what.upper()}(column)"
        )
    column = scope.column(inner)
    if not column.is_numeric:
        raise unsupported_error(f"{column.name!r} holds no numbers", "aggregate a column that is integer or number")
    column.bounds()
    return Aggregate(what, column.name, share)
