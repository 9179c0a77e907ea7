"""/admin: sources of job boards, crawl control, hosts."""
