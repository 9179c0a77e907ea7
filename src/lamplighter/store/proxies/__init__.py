"""SQL about proxies: which there are, who uses which, and how they perform."""
