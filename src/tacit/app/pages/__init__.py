"""All pages by name, in the order of the work."""

from .page import Page, View
from .registry import ALL

__all__ = ["ALL", "Page", "View"]
