"""Settings of the installation: takedowns, tags, secrets, people and programs."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
