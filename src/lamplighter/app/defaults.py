"""Reads the defaults of hosts and sources from the settings."""

from datetime import timedelta

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.host import HostPolicy
from lamplighter.model.proxy import ProxyMode
from lamplighter.model.run_log import Keeping, LogLevel
from lamplighter.model.schedule import IntervalBounds, PolicyName
from lamplighter.settings import Settings


def default_policy(settings: Settings) -> HostPolicy:
    """The host policy where the operator set none."""
    return HostPolicy(
        max_concurrency=settings.max_concurrency,
        min_delay=timedelta(milliseconds=settings.min_delay_ms),
        max_pages=settings.max_pages,
        max_page_bytes=settings.max_page_kb * 1024,
        proxy_mode=ProxyMode(settings.proxy_mode),
    )


def log_keeping(settings: Settings) -> Keeping:
    """How much of its log a run keeps."""
    return Keeping(level=LogLevel(settings.run_log_level), lines=settings.run_log_lines)


def source_defaults(settings: Settings) -> SourceDefaults:
    """The defaults of sources, from the settings."""
    interval = settings.interval_minutes
    return SourceDefaults(
        policy=PolicyName(settings.policy),
        interval=timedelta(minutes=interval) if interval is not None else None,
        bounds=IntervalBounds(
            least=timedelta(minutes=settings.min_interval_minutes), most=timedelta(days=settings.max_interval_days)
        ),
        budget_per_hour=settings.budget_per_hour,
        host_budget_per_hour=settings.host_budget_per_hour,
        host=default_policy(settings),
        auto_manage=settings.auto_manage_new_sources,
    )
