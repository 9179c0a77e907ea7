"""All routes of the web server, in matching order."""

from lamplighter.web import login, public
from lamplighter.web.api.table import API
from lamplighter.web.dashboard.table import DASHBOARD
from lamplighter.web.monitoring import health, metrics_page
from lamplighter.web.routes import PUBLIC, Pages, Routes

_HEALTH = Routes("", tag="system")
_HEALTH.get(health.PATH, role=PUBLIC)(health.health)
_HEALTH.head(health.PATH, role=PUBLIC)(health.health)
_METRICS = Pages()
_METRICS.get(metrics_page.PATH)(metrics_page.metrics)

PARTS = (*DASHBOARD, public.ROUTES, login.ROUTES, _HEALTH, _METRICS, *API)
