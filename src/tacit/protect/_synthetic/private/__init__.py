"""Synthesis with differential privacy: what is declared, what it costs, and what is asked of the records."""
