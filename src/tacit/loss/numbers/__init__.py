"""Losses of numbers: moments, squares, quantiles, structure and distances."""
