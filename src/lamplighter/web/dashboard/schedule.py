"""The coming day: how full it is, how it could be fuller evenly, and what other policies would have done."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
