"""Proxies: how each is doing, and through which host."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
