"""The pages about proxies."""
