"""Adding a source: tried while it is typed, kept when it is right."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
