"""Delivers, applies and publishes events."""
