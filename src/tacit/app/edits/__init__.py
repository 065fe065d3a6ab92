"""All changes that a click can make, by name."""

from .all import ALL

__all__ = ["ALL"]
