"""/api/v1 about sources and tags."""
