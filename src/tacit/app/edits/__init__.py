"""All changes that a click can make, by name."""

from .registry import ALL

__all__ = ["ALL"]
