"""SQL as analysts may write it: read by sqlglot, walked by an allow-list, refused or turned into a question.

    SELECT keys, aggregates FROM data set [JOIN table USING (key)] [WHERE …] [GROUP BY …] [HAVING …] [ORDER BY …] [LIMIT …]

- keys: declared columns, and BIN(column, width) of a number or date: bins of that width from the lower bound on
- aggregates: COUNT(*), COUNT(DISTINCT unit), SUM, AVG, VARIANCE (or VAR_SAMP; the divisor is n - 1), QUANTILE(x, 0.9), MEDIAN
- WHERE: comparisons of a column with a literal, BETWEEN, IN, IS [NOT] NULL, AND, OR, NOT
- HAVING, ORDER BY, LIMIT: on the columns of the answer, done after it was protected

The text goes no further than this folder; no engine ever sees it.
"""

from .parse import parse

__all__ = ["parse"]
