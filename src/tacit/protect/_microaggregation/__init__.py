"""Microaggregation: who is grouped with whom, and what a group says in place of its members."""
