"""The page about source events."""
