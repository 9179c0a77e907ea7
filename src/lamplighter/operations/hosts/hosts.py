"""Hosts: host policy, windows, budget, user agent, proxies, enable and disable."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput, BadUrl
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange, HostPolicy
from lamplighter.model.proxy import ProxyMode
from lamplighter.operations.proxies import proxy_waits
from lamplighter.operations.sources.source_input import within
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.hosts import user_agent
from lamplighter.rules.hosts.politeness import DelayOrigin
from lamplighter.rules.schedule import budget, window, window_text
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_lists, hosts
from lamplighter.store.jobs import job_demand

#: name -> least and most
LIMITS = {
    "max_concurrency": (1, 64),
    "min_delay_ms": (0, 86_400_000),
    "max_pages": (1, 10_000_000),
    "max_page_kb": (1, 1_048_576),
    "allow_js": (False, True),
}
#: where a delay comes from that nobody here set
DELAY_WORDS = {
    DelayOrigin.ROBOTS: "Crawl-delay of robots.txt",
    DelayOrigin.LEARNT: "learned: the host asked us to slow down",
}
#: settings of its proxies
PROXY_FIELDS = ("proxy_mode", "proxy_country")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOverview:
    """The settings and status of a host."""

    key: str
    #: in force: the operator's own, or the installation's default
    policy: HostPolicy
    #: those of the policy's values that the operator set
    own: tuple[str, ...] = ()
    crawl_delay: timedelta | None = None
    learnt_delay: timedelta = timedelta(0)
    #: the last trouble we had with it, or "ok"; None while it was never asked
    status: str | None = None
    #: None while nothing is stored of it
    updated_at: datetime | None = None


def host_key(text: str) -> str:
    """The host key for a name, with or without a port, or for a URL; BadUrl if it is none."""
    stripped = text.strip()
    remedy = "use example.org, with :port if it is not the default port"
    try:
        if "://" in stripped:
            return urls.parse(stripped).host_key
        scheme = "https" if stripped.endswith(":443") else "http"
        target = urls.parse(f"{scheme}://{stripped}/")
    except BadUrl:
        raise BadUrl(f"{text[:200]!r} is not the name of a host; {remedy}", code="invalid_host") from None
    if target.path_query != "/" or any(character in stripped for character in "/?#@\\"):
        raise BadUrl(f"{text[:200]!r} is more than the name of a host; {remedy}", code="invalid_host")
    return target.host_key


async def overview(db: Connection, key: str, *, defaults: HostPolicy, now: datetime) -> HostOverview:
    """The settings and status of a host; of an unknown one, the defaults that would apply."""
    row = await host_lists.by_key(db, key)
    return _overview(row, defaults, now) if row is not None else HostOverview(key=key, policy=defaults)


async def listed(
    db: Connection,
    *,
    defaults: HostPolicy,
    now: datetime,
    search: str | None = None,
    sort: str = "host",
    descending: bool = False,
    limit: int,
    offset: int,
) -> tuple[list[HostOverview], int]:
    """The hosts that we have met, and how many there are."""
    rows, total = await host_lists.listed(
        db, search=search, sort=sort, descending=descending, limit=limit, offset=offset
    )
    return [_overview(row, defaults, now) for row in rows], total


async def set_policy(db: Connection, host_key: str, change: HostChange, *, stamp: Stamp) -> None:
    """Changes a host's policy; None goes back to the installation's default."""
    for name, value in change.said().items():
        if name not in LIMITS:
            raise BadInput(f"{name!r} is not a setting of a host's policy; use {', '.join(LIMITS)}")
        if value is not None:
            within(name, value, *LIMITS[name])
    await _change(db, host_key, "host.policy", change, stamp=stamp)


async def set_times(
    db: Connection,
    host_key: str,
    *,
    stamp: Stamp,
    source_defaults: SourceDefaults,
    windows: str | None = None,
    budget_per_hour: float | None = None,
) -> None:
    """Sets the windows and hourly budget of a host; None leaves a value, "" removes the windows."""
    changes = HostChange()
    if windows is not None:
        parsed = window_text.parse(windows) if windows else ()
        window.check(parsed)
        changes |= HostChange(windows=parsed or None)
    if budget_per_hour is not None:
        least = await job_demand.least_per_hour(db, host_key, most=source_defaults.bounds.most)
        changes |= HostChange(budget_per_hour=budget.checked_budget(budget_per_hour, least=least, who=host_key))
    await _change(db, host_key, "host.times", changes, stamp=stamp)


async def lift_budget(db: Connection, host_key: str, *, stamp: Stamp) -> None:
    """Removes a host's own budget; the default applies again."""
    await _change(db, host_key, "host.times", HostChange(budget_per_hour=None), stamp=stamp)


async def set_user_agent(db: Connection, host_key: str, agent: str | None, *, ours: str, stamp: Stamp) -> None:
    """Sets the user agent for a host; None goes back to `ours`, the installation's."""
    checked = None if agent is None else user_agent.checked(agent, ours=ours)
    await _change(db, host_key, "host.user_agent", HostChange(user_agent=checked), stamp=stamp)


async def set_proxies(db: Connection, host_key: str, *, mode: str | None, country: str | None, stamp: Stamp) -> None:
    """Sets the proxy mode and country of a host; None means the default mode, any country."""
    if mode is not None and mode not in set(ProxyMode):
        raise BadInput(f"proxy_mode {mode[:50]!r} is unknown; use {', '.join(ProxyMode)}", field="proxy_mode")
    if country is not None and not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise BadInput(
            f"proxy_country {country[:50]!r} is not a country; use two letters, such as DE", field="proxy_country"
        )
    changes = HostChange(
        proxy_mode=ProxyMode(mode) if mode is not None else None, proxy_country=country.upper() if country else None
    )
    await _change(db, host_key, "host.exits", changes, stamp=stamp)
    row = await host_lists.by_key(db, host_key)
    await proxy_waits.end(db, [row.id], now=stamp.now)


async def change_proxies(db: Connection, host_key: str, given: Mapping[str, str | None], *, stamp: Stamp) -> None:
    """The same for what is given of proxy_mode and proxy_country; the rest stays."""
    row = await host_lists.by_key(db, host_key)
    submitted = {name: getattr(row, name) if row is not None else None for name in PROXY_FIELDS} | dict(given)
    await set_proxies(db, host_key, mode=submitted["proxy_mode"], country=submitted["proxy_country"], stamp=stamp)


async def enable(db: Connection, host_key: str, *, stamp: Stamp, run_deadline: timedelta) -> None:
    """Enables a host; its waiting runs continue, with the deadline of a new run."""
    await _change(db, host_key, "host.enable", HostChange(enabled=True), stamp=stamp)
    row = await host_lists.by_key(db, host_key)
    await host_lists.give_time(db, row.id, deadline_at=stamp.now + run_deadline)


async def disable(db: Connection, host_key: str, *, stamp: Stamp) -> None:
    """Disables a host; its pages wait until it is enabled."""
    await _change(db, host_key, "host.disable", HostChange(enabled=False), stamp=stamp)


async def _change(db: Connection, host_key: str, action: str, changes: HostChange, *, stamp: Stamp) -> None:
    row = await host_lists.by_key(db, host_key)
    after = changes.columns()
    before = {name: getattr(row, name) for name in after} if row is not None else None
    await hosts.set_policy(db, host_key, changes, now=stamp.now)
    await audit_log.write(db, stamp, action, host_key, before=before, after=after)


def _overview(row: Any, defaults: HostPolicy, now: datetime) -> HostOverview:
    host = hosts.host_of(row, defaults)
    return HostOverview(
        key=row.key,
        policy=host.policy,
        own=tuple(name for name in (*LIMITS, *PROXY_FIELDS) if getattr(row, name) is not None),
        crawl_delay=host.crawl_delay,
        learnt_delay=host.learnt_delay,
        status=_status(row, now),
        updated_at=row.updated_at,
    )


def _status(row: Any, now: datetime) -> str | None:
    if not row.enabled:
        return "disabled"
    if row.blocked_until is not None and row.blocked_until > now:
        return str(row.block_reason)
    if row.failure_count:
        return f"{counted(row.failure_count, 'failure')} in a row"
    return "ok" if row.free_at is not None or row.lease_until is not None else None
