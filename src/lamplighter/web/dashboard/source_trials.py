"""Trying a source without keeping anything: its headers, its robots rules, its selectors."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
