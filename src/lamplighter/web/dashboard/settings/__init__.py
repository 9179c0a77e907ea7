"""Settings of the installation: what holds here, takedowns, tags, who is told, secrets, people, and what is kept."""

from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.settings import (
    general,
    notification_channels,
    notification_rules,
    notifications,
    people,
    secrets,
    storage,
    tags,
    takedowns,
    tokens,
)

SETTINGS: tuple[Routes, ...] = (
    general.ROUTES,
    takedowns.ROUTES,
    tags.ROUTES,
    notifications.ROUTES,
    notification_channels.ROUTES,
    notification_rules.ROUTES,
    secrets.ROUTES,
    people.ROUTES,
    tokens.ROUTES,
    storage.ROUTES,
)
