"""Camouflage: interval answers that surely contain the truth and leave everybody a band, however many are asked."""
