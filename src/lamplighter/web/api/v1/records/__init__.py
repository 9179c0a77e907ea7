"""/api/v1 about records and the search index."""
