"""Moments in time for tests."""

from datetime import UTC, datetime

NOON = datetime(2026, 3, 14, 12, 0, 0, 123456, tzinfo=UTC)
