"""Storing pages: what was fetched and what was read, in one transaction."""
