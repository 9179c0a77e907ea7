"""Many sources at once: what was chosen in the list, and what is to be done with it."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
