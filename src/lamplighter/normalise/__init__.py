"""Turns raw records into clean ones: pure functions, the same result for the same input."""
