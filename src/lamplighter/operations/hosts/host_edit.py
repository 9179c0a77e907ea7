"""Changes all settings of a host at once, as a form submits them; only differences are written."""

from dataclasses import dataclass

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model import window_json
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources.source_input import naming
from lamplighter.rules.schedule import window_text
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_lists


@dataclass(frozen=True, slots=True, kw_only=True)
class HostInput:
    """What an operator says of a host; None leaves it to the installation."""

    min_delay_ms: int | None = None
    max_concurrency: int | None = None
    max_pages: int | None = None
    max_page_kb: int | None = None
    allow_js: bool | None = None
    user_agent: str | None = None
    #: when it may be asked, in words (see `rules.schedule.window_text`); empty for at any time
    windows: str = ""
    #: fetches, over all its sources
    budget_per_hour: float | None = None
    #: only, prefer or never
    proxy_mode: str | None = None
    #: of its proxies; None for any
    proxy_country: str | None = None


async def input_of(db: Connection, key: str) -> HostInput:
    """What an operator has said of a host."""
    row = await host_lists.by_key(db, key)
    if row is None:
        return HostInput()
    windows, _ = window_json.loaded(row.windows or [])
    return HostInput(
        **{name: getattr(row, name) for name in (*hosts.LIMITS, *hosts.PROXY_FIELDS, "user_agent", "budget_per_hour")},
        windows=window_text.describe(windows) if windows else "",
    )


async def change(
    db: Connection, key: str, submitted: HostInput, *, source_defaults: SourceDefaults, agent: str, stamp: Stamp
) -> bool:
    """Writes the settings that differ; False if none does."""
    before = await input_of(db, key)
    if submitted == before:
        return False
    differing = [name for name in hosts.LIMITS if getattr(submitted, name) != getattr(before, name)]
    if differing:
        policy = HostChange(**{name: getattr(submitted, name) for name in differing})
        await hosts.set_policy(db, key, policy, stamp=stamp)
    if submitted.windows != before.windows:
        with naming("windows"):
            await hosts.set_times(db, key, stamp=stamp, source_defaults=source_defaults, windows=submitted.windows)
    if submitted.budget_per_hour is None and before.budget_per_hour is not None:
        await hosts.lift_budget(db, key, stamp=stamp)
    elif (budget := submitted.budget_per_hour) != before.budget_per_hour:
        with naming("budget_per_hour"):
            await hosts.set_times(db, key, stamp=stamp, source_defaults=source_defaults, budget_per_hour=budget)
    if (submitted.proxy_mode, submitted.proxy_country) != (before.proxy_mode, before.proxy_country):
        await hosts.set_proxies(db, key, mode=submitted.proxy_mode, country=submitted.proxy_country, stamp=stamp)
    if submitted.user_agent != before.user_agent:
        await hosts.set_user_agent(db, key, submitted.user_agent, ours=agent, stamp=stamp)
    return True
