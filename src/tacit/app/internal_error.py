"""Our own mistakes, told without the data, and in full to who looks for them."""

from __future__ import annotations

import os
import traceback

from ..errors import describe_bug as placed

DEBUG = "TACIT_DEBUG"
"""The variable of who wants to see all of an exception in the terminal; it may quote the data."""


def format_internal_error(problem: BaseException) -> str:
    """Kind and place of an exception; the whole of it goes to the terminal when ``TACIT_DEBUG`` is set."""
    if os.environ.get(DEBUG):
        traceback.print_exception(problem)
    return placed(problem)
