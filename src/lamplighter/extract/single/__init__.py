"""Extracts the one record that a page is about."""
