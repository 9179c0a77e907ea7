"""SQL about the installation: its processes, its crawl pause, its figures, and pruning."""
