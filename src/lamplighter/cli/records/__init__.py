"""Commands about records, the search index and the archive."""
