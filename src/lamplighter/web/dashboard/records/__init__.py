"""The pages about records: search, facets, one record."""
