"""The parts of the search for the best full-domain generalisation; why its answers are right: ``lattice.md``."""
