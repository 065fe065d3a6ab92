"""All panels by name."""

from .panel import Panel
from .registry import ALL

__all__ = ["ALL", "Panel"]
