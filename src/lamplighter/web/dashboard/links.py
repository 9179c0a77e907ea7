"""Links that were found outside, and what became of them."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
