"""Perturbation: rounded, adjusted and noisy tables."""
