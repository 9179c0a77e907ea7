"""Settings of the installation: what holds here, takedowns, tags, secrets, people, programs, and what is kept."""

from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.settings import general, people, retention, secrets, tags, takedowns, tokens

SETTINGS: tuple[Routes, ...] = (
    general.ROUTES,
    takedowns.ROUTES,
    tags.ROUTES,
    secrets.ROUTES,
    people.ROUTES,
    tokens.ROUTES,
    retention.ROUTES,
)
