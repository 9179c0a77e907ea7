"""Detects pages that come instead of content."""
