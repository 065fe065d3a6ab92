"""The HTTP status of every refusal. It depends on the code alone, and the code never on the data."""

from __future__ import annotations

from ..refusal import Code

STATUS: dict[Code, int] = {
    "bad_request": 400,
    "bad_key": 401,
    "not_allowed": 403,
    "unknown_dataset": 404,
    "small_set": 409,
    "overlap": 409,
    "would_disclose": 409,
    "too_large": 413,
    "unknown_column": 422,
    "unsupported_sql": 422,
    "undeclared_bounds": 422,
    "unknown_value": 422,
    "too_complex": 422,
    "mode": 422,
    "budget": 429,
    "time_out": 503,
    "failed": 503,
    "closed": 503,
    "busy": 503,
}
"""400 the request · 401 the key · 403 the role · 404 no such data set or path · 409 refused after earlier answers or for
the size of the set · 413 the size of the body · 422 the question · 429 the budget · 503 engine or ledger."""
