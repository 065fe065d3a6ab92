"""Protocols, each in one file that reads like its figure, with its argument beside it."""
