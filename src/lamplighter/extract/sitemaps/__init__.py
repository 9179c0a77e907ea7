"""Parses sitemaps, compressed or not."""
