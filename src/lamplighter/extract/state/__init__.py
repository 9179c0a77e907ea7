"""The data that a page's scripts start from."""
