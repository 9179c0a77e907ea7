"""/api/v1 about events."""
