"""Changing what is watched and how."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
