"""Who did what, and when?"""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
