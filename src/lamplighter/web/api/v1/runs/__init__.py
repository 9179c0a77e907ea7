"""/api/v1 about executions and live events."""
