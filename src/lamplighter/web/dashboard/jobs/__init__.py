"""The page about the schedule."""
