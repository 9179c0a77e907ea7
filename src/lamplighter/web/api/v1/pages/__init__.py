"""/api/v1 about the frontier, discovered links and page versions."""
