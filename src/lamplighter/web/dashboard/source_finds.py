"""What a source has brought: its records, its changes and its archived pages."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
