"""Implementations of the ports; only `app` imports them."""
