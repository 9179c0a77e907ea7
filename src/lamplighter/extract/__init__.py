"""Extracts raw records and links from bytes: pure, never fetches, and no page content makes it raise."""
