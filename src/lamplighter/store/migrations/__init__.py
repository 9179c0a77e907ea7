"""Alembic's home: the schema's history, one file per step."""
