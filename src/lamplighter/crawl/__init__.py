"""The crawl engine: opens runs, fetches and parses pages, finishes runs, and runs the background loops."""
