"""What would happen to a URL, and why?"""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
