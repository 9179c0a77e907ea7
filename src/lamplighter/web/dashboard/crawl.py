"""What is going on: hosts, queues, processes, and the switch that stops it all."""

from lamplighter.web.api.routes import Routes

ROUTES = Routes("", tag="dashboard")
