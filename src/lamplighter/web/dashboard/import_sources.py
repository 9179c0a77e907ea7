"""Many sources from a file."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
