"""The HTTP layer: API, dashboard, login, health and metrics."""
