"""Hosts: what the operator allows there, when, under which name, and whether at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.errors import BadInput, BadUrl
from lamplighter.model.exit import ProxyMode
from lamplighter.model.host import HostPolicy
from lamplighter.rules import budget, urls, user_agent, window, window_text
from lamplighter.store import audit_log, host_lists, hosts, job_demand
from lamplighter.store.database import Connection

#: name -> least and most
LIMITS = {
    "max_concurrency": (1, 64),
    "min_delay_ms": (0, 86_400_000),
    "max_pages": (1, 10_000_000),
    "max_page_kb": (1, 1_048_576),
    "allow_js": (False, True),
}
#: by which exits it is asked
EXITS = ("proxy_mode", "proxy_country")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOverview:
    """What holds for a host, and how it stands with it."""

    key: str
    #: in force: the operator's own, or the installation's default
    policy: HostPolicy
    #: those of the policy's values that the operator set
    own: tuple[str, ...]
    crawl_delay: timedelta | None
    learnt_delay: timedelta
    #: the last trouble we had with it, or "ok"; None while it was never asked
    status: str | None
    #: None while nothing is stored of it
    updated_at: datetime | None


def host_key(text: str) -> str:
    """The host that somebody means by a name, with or without a port, or by a URL; BadUrl when it is none."""
    stripped = text.strip()
    remedy = "give example.org, with :port when it is not the usual one"
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
    """How a host stands; of one that we have not met, what would hold for it."""
    row = await host_lists.by_key(db, key)
    if row is not None:
        return _overview(row, defaults, now)
    zero = timedelta(0)
    return HostOverview(
        key=key, policy=defaults, own=(), crawl_delay=None, learnt_delay=zero, status=None, updated_at=None
    )


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


async def set_policy(db: Connection, host_key: str, *, actor: str, now: datetime, **policy: int | None) -> None:
    """Changes a host's policy; None goes back to the installation's default."""
    for name, value in policy.items():
        if name not in LIMITS:
            raise BadInput(f"{name!r} is no part of a host's policy; use {', '.join(LIMITS)}")
        least, most = LIMITS[name]
        if value is not None and not least <= value <= most:
            raise BadInput(f"{name} {value} is out of range; use {least} to {most}", field=name)
    await _change(db, host_key, "host.policy", policy, actor=actor, now=now)


async def set_times(
    db: Connection,
    host_key: str,
    *,
    actor: str,
    now: datetime,
    norms: Norms,
    windows: str | None = None,
    budget_per_hour: float | None = None,
) -> None:
    """Says when a host may be asked and how many fetches an hour it gets; what is None stays, "" takes windows back."""
    changes: dict[str, Any] = {}
    if windows is not None:
        parsed = window_text.parse(windows) if windows else ()
        window.check(parsed)
        changes["windows"] = window_text.to_json(parsed) or None
    if budget_per_hour is not None:
        least = await job_demand.least_per_hour(db, host_key, most=norms.bounds.most)
        changes["budget_per_hour"] = budget.checked_budget(budget_per_hour, least=least, who=host_key)
    await _change(db, host_key, "host.times", changes, actor=actor, now=now)


async def lift_budget(db: Connection, host_key: str, *, actor: str, now: datetime) -> None:
    """Takes a host's own budget back: what the installation gives each host holds again."""
    await _change(db, host_key, "host.times", {"budget_per_hour": None}, actor=actor, now=now)


async def set_user_agent(
    db: Connection, host_key: str, agent: str | None, *, ours: str, actor: str, now: datetime
) -> None:
    """Says what we call ourselves on a host; None goes back to `ours`, the installation's name."""
    checked = None if agent is None else user_agent.checked(agent, ours=ours)
    await _change(db, host_key, "host.user_agent", {"user_agent": checked}, actor=actor, now=now)


async def set_exits(
    db: Connection, host_key: str, *, mode: str | None, country: str | None, actor: str, now: datetime
) -> None:
    """Says whether a host is asked through proxies, and of which country; None means as the installation, of any."""
    if mode is not None and mode not in set(ProxyMode):
        raise BadInput(f"proxy_mode {mode[:50]!r} is none of {', '.join(ProxyMode)}", field="proxy_mode")
    if country is not None and not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise BadInput(f"proxy_country {country[:50]!r} is none; use two letters, such as DE", field="proxy_country")
    changes = {"proxy_mode": mode, "proxy_country": country.upper() if country else None}
    await _change(db, host_key, "host.exits", changes, actor=actor, now=now)


async def change_exits(
    db: Connection, host_key: str, given: Mapping[str, str | None], *, actor: str, now: datetime
) -> None:
    """The same for what is given of proxy_mode and proxy_country; the rest stays."""
    row = await host_lists.by_key(db, host_key)
    wish = {name: getattr(row, name) if row is not None else None for name in EXITS} | dict(given)
    await set_exits(db, host_key, mode=wish["proxy_mode"], country=wish["proxy_country"], actor=actor, now=now)


async def enable(db: Connection, host_key: str, *, actor: str, now: datetime, run_deadline: timedelta) -> None:
    """Lets a host be asked again; what waited for it goes on, with as much time as a new run has."""
    await _change(db, host_key, "host.enable", {"enabled": True}, actor=actor, now=now)
    row = await host_lists.by_key(db, host_key)
    await host_lists.give_time(db, row.id, deadline_at=now + run_deadline)


async def disable(db: Connection, host_key: str, *, actor: str, now: datetime) -> None:
    """Asks a host for nothing more until it is enabled; what was to be asked of it waits."""
    await _change(db, host_key, "host.disable", {"enabled": False}, actor=actor, now=now)


async def _change(
    db: Connection, host_key: str, action: str, changes: dict[str, Any], *, actor: str, now: datetime
) -> None:
    row = await host_lists.by_key(db, host_key)
    before = {name: getattr(row, name) for name in changes} if row is not None else None
    await hosts.set_policy(db, host_key, now=now, **changes)
    await audit_log.write(db, actor=actor, action=action, subject=host_key, now=now, before=before, after=changes)


def _overview(row: Any, defaults: HostPolicy, now: datetime) -> HostOverview:
    host = hosts.host_of(row, defaults)
    return HostOverview(
        key=row.key,
        policy=host.policy,
        own=tuple(name for name in (*LIMITS, *EXITS) if getattr(row, name) is not None),
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
        return f"{row.failure_count} failures in a row"
    return "ok" if row.free_at is not None or row.lease_until is not None else None
