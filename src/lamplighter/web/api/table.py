"""The routers of the API, in the order in which their paths match."""

from lamplighter.web.api import description
from lamplighter.web.api.admin import crawl, hosts
from lamplighter.web.api.admin import sources as admin_sources
from lamplighter.web.api.tasks import domain_proxies, domains, products, proxies, system, tasks
from lamplighter.web.api.v1.access import audit, secrets, tokens, users
from lamplighter.web.api.v1.alerts import alerts, notifications
from lamplighter.web.api.v1.events import events
from lamplighter.web.api.v1.fleet import backups, crawl_pause, instances, settings
from lamplighter.web.api.v1.hosts import takedowns
from lamplighter.web.api.v1.jobs import job_logs, jobs, scheduler
from lamplighter.web.api.v1.pages import discovered_links, frontier, page_versions
from lamplighter.web.api.v1.proxies import proxy_trials
from lamplighter.web.api.v1.records import changes, index, records
from lamplighter.web.api.v1.runs import executions, live
from lamplighter.web.api.v1.sources import sources, tags
from lamplighter.web.routes import Routes

_ADMIN = (admin_sources, crawl, hosts)
_JOBS = (sources, tags, jobs, executions, job_logs, scheduler, crawl_pause, events, live)
_DATA = (frontier, discovered_links, page_versions, takedowns, records, changes, proxy_trials, notifications, index)
_ACCESS = (instances, alerts, users, tokens, secrets, settings, backups, audit)
_TASKS = (tasks, domains, domain_proxies, proxies, products, system)

API: tuple[Routes, ...] = tuple(part.ROUTES for part in (*_ADMIN, *_JOBS, *_DATA, *_ACCESS, *_TASKS, description))
