"""Settings in, norms out: what holds for hosts and sources whose operator said nothing."""

from datetime import timedelta

from lamplighter.crawl.norms import Norms
from lamplighter.model.exit import ProxyMode
from lamplighter.model.host import HostPolicy
from lamplighter.model.run_log import Keeping, Level
from lamplighter.model.schedule import Bounds, PolicyName
from lamplighter.settings import Settings


def default_policy(settings: Settings) -> HostPolicy:
    """What is allowed on a host whose operator said nothing."""
    return HostPolicy(
        max_concurrency=settings.max_concurrency,
        min_delay=timedelta(milliseconds=settings.min_delay_ms),
        max_pages=settings.max_pages,
        max_page_bytes=settings.max_page_kb * 1024,
        proxy_mode=ProxyMode(settings.proxy_mode),
    )


def log_keeping(settings: Settings) -> Keeping:
    """How much of its log a run keeps."""
    return Keeping(level=Level(settings.run_log_level), lines=settings.run_log_lines)


def norms(settings: Settings) -> Norms:
    """What holds for sources that do not say otherwise."""
    interval = settings.interval_minutes
    return Norms(
        policy=PolicyName(settings.policy),
        interval=timedelta(minutes=interval) if interval is not None else None,
        bounds=Bounds(
            least=timedelta(minutes=settings.min_interval_minutes), most=timedelta(days=settings.max_interval_days)
        ),
        budget_per_hour=settings.budget_per_hour,
        host_budget_per_hour=settings.host_budget_per_hour,
        host=default_policy(settings),
        auto_manage=settings.auto_manage_new_sources,
    )
