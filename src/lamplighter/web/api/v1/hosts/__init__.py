"""/api/v1 about takedowns."""
