"""The pages about pages: the frontier, one page, discovered links."""
