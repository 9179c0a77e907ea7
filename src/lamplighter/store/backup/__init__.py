"""Backup and restore of the database, and what a restore must not undo."""
