"""Lamplighter: a crawler that makes its rounds."""

__version__ = "0.1.0"
