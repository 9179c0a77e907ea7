"""Commands about proxies."""
