"""Replays change histories against the scheduling policies, to compare how fresh they keep copies. Pure functions."""
