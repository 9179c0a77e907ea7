"""The paths of job boards: their sources, crawl control, hosts."""
