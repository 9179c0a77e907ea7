"""/api/v1: sources, jobs, runs, records and everything about them."""
