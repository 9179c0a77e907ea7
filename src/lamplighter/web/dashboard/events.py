"""What was told of sources, and what nobody could make sense of."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
