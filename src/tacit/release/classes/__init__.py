"""Equivalence classes: records with equal quasi-identifiers, grouped once per release and shared by all measures."""
