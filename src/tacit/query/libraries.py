"""Libraries that only the query service needs."""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import TacitError


def require_libraries(*libraries: str) -> None:
    """A clear error when one of them is not installed; nothing is imported.

    >>> require_libraries("json")
    """
    for name in libraries:
        if find_spec(name) is None:
            raise TacitError(
                f"the query service needs the library {name!r}",
                code="missing_parameter",
                fix="pip install 'tacit[query]'",
            )
