"""Masking by meaning: values that change along the taxonomy of their column."""
