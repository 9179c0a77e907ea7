"""Sitemaps, packed or not."""
