"""Hosts: how politely each is asked, and what it says of us."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
