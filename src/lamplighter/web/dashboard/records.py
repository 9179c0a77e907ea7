"""Records: search, facets, and each with its history."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
