"""All routes of the dashboard, in matching order."""

from lamplighter.web.dashboard import plots, theme
from lamplighter.web.dashboard.access import audit, people, secrets, tokens
from lamplighter.web.dashboard.alerts import alerts, notification_channels, notification_rules, notifications, problems
from lamplighter.web.dashboard.events import events
from lamplighter.web.dashboard.hosts import hosts, takedowns
from lamplighter.web.dashboard.jobs import schedule
from lamplighter.web.dashboard.pages import frontier, links, page_view
from lamplighter.web.dashboard.proxies import proxies, proxy_page, proxy_trials
from lamplighter.web.dashboard.records import changes, record_page, records
from lamplighter.web.dashboard.runs import crawl, runs
from lamplighter.web.dashboard.settings import general, storage, tags
from lamplighter.web.dashboard.sources import (
    add_source,
    add_teaching,
    explain,
    import_sources,
    lamps,
    source_actions,
    source_bulk,
    source_changes,
    source_edit,
    source_panel,
    source_teaching,
    source_trials,
    source_versions,
    sources_list,
)
from lamplighter.web.routes import Routes

_SOURCES = (
    sources_list,
    lamps,
    add_source,
    add_teaching,
    import_sources,
    source_bulk,
    source_panel,
    source_actions,
    source_edit,
)
_ONE_SOURCE = (source_changes, source_versions, source_trials, source_teaching)
_CRAWL = (hosts, explain, crawl, runs, schedule, frontier, page_view, links, changes, records, record_page)
_OTHERS = (proxies, proxy_trials, proxy_page, events, alerts, problems, audit)
_NOTIFICATIONS = (notifications, notification_channels, notification_rules)
_SETTINGS = (general, takedowns, tags, *_NOTIFICATIONS, secrets, people, tokens, storage, theme, plots)

DASHBOARD: tuple[Routes, ...] = tuple(part.ROUTES for part in (*_SOURCES, *_ONE_SOURCE, *_CRAWL, *_OTHERS, *_SETTINGS))
