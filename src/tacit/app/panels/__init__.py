"""All panels by name."""

from .all import ALL
from .panel import Panel

__all__ = ["ALL", "Panel"]
