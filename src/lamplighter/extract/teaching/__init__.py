"""Learning recipes from examples that somebody points at."""
