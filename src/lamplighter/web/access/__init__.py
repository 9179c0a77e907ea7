"""Access control: the route guard, credentials, sessions and rate limits."""
