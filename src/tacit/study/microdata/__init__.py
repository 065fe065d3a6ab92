"""A study of records: their plan, their usual methods, and how a candidate is masked, attacked and judged."""

from .record_study import MICRODATA

__all__ = ["MICRODATA"]
