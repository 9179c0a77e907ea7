"""/api/v1 about proxy trials."""
