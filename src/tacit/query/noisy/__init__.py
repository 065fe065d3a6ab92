"""Noisy figures: what one unit can change, the noise that hides it, and one file for each aggregate."""
