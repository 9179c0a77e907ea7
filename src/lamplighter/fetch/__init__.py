"""The only door to the web."""
