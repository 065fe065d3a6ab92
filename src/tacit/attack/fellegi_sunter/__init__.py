"""The parts of probabilistic linkage: comparisons, counts of patterns, estimation, decisions, links."""
