"""The pages about sources: list, one source, adding, importing, trying."""
