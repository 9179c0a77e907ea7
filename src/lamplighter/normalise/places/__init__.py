"""Finds countries and towns in free text."""
