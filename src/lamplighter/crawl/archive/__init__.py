"""Keeps the archive within its bounds."""
