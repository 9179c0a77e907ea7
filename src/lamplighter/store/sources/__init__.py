"""Queries for sources, their tags, windows and cookies."""
