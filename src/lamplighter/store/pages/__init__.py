"""SQL about pages: the frontier, tasks, versions, and bodies in the archive."""
