"""Commands about crawl jobs and the schedule."""
