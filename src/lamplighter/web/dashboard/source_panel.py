"""One source: how it stands, when it is next and why, and what can be done with it."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
