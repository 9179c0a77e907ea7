"""The settings pages: general, takedowns, tags, notifications, storage, secrets, users and tokens."""

from lamplighter.web.dashboard.access import people, secrets, tokens
from lamplighter.web.dashboard.alerts import notification_channels, notification_rules, notifications
from lamplighter.web.dashboard.hosts import takedowns
from lamplighter.web.dashboard.settings import general, storage, tags
from lamplighter.web.routes import Routes

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
