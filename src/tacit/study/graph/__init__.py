"""A study of a network: its plan, its usual methods, and how a candidate is protected, attacked and judged."""

from .graph_study import GRAPH

__all__ = ["GRAPH"]
