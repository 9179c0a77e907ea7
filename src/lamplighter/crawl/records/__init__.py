"""Keeps the search server up to date with records."""
