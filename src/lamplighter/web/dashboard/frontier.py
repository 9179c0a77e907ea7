"""Pages: where each stands, and why."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
