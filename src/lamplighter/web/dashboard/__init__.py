"""The dashboard: HTML pages and forms over the operations."""
