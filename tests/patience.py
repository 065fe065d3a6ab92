"""How long tests in a browser wait."""

PATIENCE = 90_000
"""Milliseconds until a part of a page must be there: everything is slow on a busy machine, and a fault stays one."""
