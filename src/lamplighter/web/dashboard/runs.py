"""Runs: what came of each, and its log while it goes on."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
