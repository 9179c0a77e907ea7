"""Parses dates as people write them."""
