"""All routes of the web server, in matching order."""

from lamplighter.web import health, login, metrics_page, public
from lamplighter.web.api.table import API
from lamplighter.web.dashboard.table import DASHBOARD

PARTS = (*DASHBOARD, public.ROUTES, login.ROUTES, health.ROUTES, metrics_page.ROUTES, *API)
