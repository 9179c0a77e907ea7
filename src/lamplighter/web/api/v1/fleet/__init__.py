"""/api/v1 about instances, the crawl pause and backups."""
