"""The parts of the API, in the order in which their paths are tried."""

from lamplighter.web.api import reference
from lamplighter.web.api.admin import crawl as admin_crawl
from lamplighter.web.api.admin import hosts as admin_hosts
from lamplighter.web.api.admin import sources as admin_sources
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks import domain_proxies as tasks_domain_proxies
from lamplighter.web.api.tasks import domains as tasks_domains
from lamplighter.web.api.tasks import products as tasks_products
from lamplighter.web.api.tasks import proxies as tasks_proxies
from lamplighter.web.api.tasks import system as tasks_system
from lamplighter.web.api.tasks import tasks as tasks_tasks
from lamplighter.web.api.v1 import alerts as v1_alerts
from lamplighter.web.api.v1 import audit as v1_audit
from lamplighter.web.api.v1 import backups as v1_backups
from lamplighter.web.api.v1 import crawl_pause as v1_crawl_pause
from lamplighter.web.api.v1 import discovered_links as v1_discovered_links
from lamplighter.web.api.v1 import events as v1_events
from lamplighter.web.api.v1 import executions as v1_executions
from lamplighter.web.api.v1 import frontier as v1_frontier
from lamplighter.web.api.v1 import index as v1_index
from lamplighter.web.api.v1 import instances as v1_instances
from lamplighter.web.api.v1 import job_logs as v1_job_logs
from lamplighter.web.api.v1 import jobs as v1_jobs
from lamplighter.web.api.v1 import live as v1_live
from lamplighter.web.api.v1 import notifications as v1_notifications
from lamplighter.web.api.v1 import page_versions as v1_page_versions
from lamplighter.web.api.v1 import proxy_trials as v1_proxy_trials
from lamplighter.web.api.v1 import records as v1_records
from lamplighter.web.api.v1 import scheduler as v1_scheduler
from lamplighter.web.api.v1 import secrets as v1_secrets
from lamplighter.web.api.v1 import sources as v1_sources
from lamplighter.web.api.v1 import tags as v1_tags
from lamplighter.web.api.v1 import takedowns as v1_takedowns
from lamplighter.web.api.v1 import tokens as v1_tokens
from lamplighter.web.api.v1 import users as v1_users

API: tuple[Routes, ...] = (
    admin_sources.ROUTES,
    admin_crawl.ROUTES,
    admin_hosts.ROUTES,
    v1_sources.ROUTES,
    v1_tags.ROUTES,
    v1_jobs.ROUTES,
    v1_executions.ROUTES,
    v1_job_logs.ROUTES,
    v1_scheduler.ROUTES,
    v1_crawl_pause.ROUTES,
    v1_events.ROUTES,
    v1_live.ROUTES,
    v1_frontier.ROUTES,
    v1_discovered_links.ROUTES,
    v1_page_versions.ROUTES,
    v1_takedowns.ROUTES,
    v1_records.ROUTES,
    v1_proxy_trials.ROUTES,
    v1_notifications.ROUTES,
    v1_index.ROUTES,
    v1_instances.ROUTES,
    v1_alerts.ROUTES,
    v1_users.ROUTES,
    v1_tokens.ROUTES,
    v1_secrets.ROUTES,
    v1_backups.ROUTES,
    v1_audit.ROUTES,
    tasks_tasks.ROUTES,
    tasks_domains.ROUTES,
    tasks_domain_proxies.ROUTES,
    tasks_proxies.ROUTES,
    tasks_products.ROUTES,
    tasks_system.ROUTES,
    reference.ROUTES,
)
