"""Extracts records from the JSON state embedded in a page for its scripts."""
