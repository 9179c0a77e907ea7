"""SQL about records: what was found, how it changed, where it is shown, and the search index."""
