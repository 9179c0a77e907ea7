"""The web application of an installation that others can reach, and those who ask it."""

from tests.web.access.conftest import add_user, bearer, password_hash, settings, visitor
from tests.web.conftest import ask, service, store, view, web

__all__ = ["add_user", "ask", "bearer", "password_hash", "service", "settings", "store", "view", "visitor", "web"]
