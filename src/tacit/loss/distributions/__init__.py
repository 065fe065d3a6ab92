"""Losses of distributions: of single columns, of tables of several, and as a whole."""
