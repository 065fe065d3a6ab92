"""The parts of the search for the cheapest pattern that protects; why its answers are right: ``exact.md``."""
