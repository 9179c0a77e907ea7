"""Hosts: what the operator allows there, and takedowns."""

from datetime import datetime
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.errors import BadInput
from lamplighter.rules import budget, takedown, window, window_text
from lamplighter.store import audit_log, hosts, job_demand, takedowns
from lamplighter.store.database import Connection

_LIMITS = {
    "max_concurrency": (1, 64),
    "min_delay_ms": (0, 86_400_000),
    "max_pages": (1, 10_000_000),
    "max_page_kb": (1, 1_048_576),
    "allow_js": (False, True),
}


async def set_policy(db: Connection, host_key: str, *, actor: str, now: datetime, **policy: int | None) -> None:
    """Changes a host's policy; None goes back to the installation's default."""
    for name, value in policy.items():
        if name not in _LIMITS:
            raise BadInput(f"{name!r} is no part of a host's policy; use {', '.join(_LIMITS)}")
        least, most = _LIMITS[name]
        if value is not None and not least <= value <= most:
            raise BadInput(f"{name} {value} is out of range; use {least} to {most}")
    await hosts.set_policy(db, host_key, now=now, **policy)
    await audit_log.write(db, actor=actor, action="host.policy", subject=host_key, now=now, detail=policy)


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
    await hosts.set_policy(db, host_key, now=now, **changes)
    await audit_log.write(db, actor=actor, action="host.times", subject=host_key, now=now, detail=changes)


async def take_down(db: Connection, domain_or_url: str, *, actor: str, now: datetime, reason: str | None = None) -> str:
    """Never asks this domain or URL prefix again; returns it as it is kept."""
    entry = takedown.entry(domain_or_url)
    await takedowns.add(db, entry, reason=reason, now=now)
    await audit_log.write(db, actor=actor, action="takedown.add", subject=entry, now=now)
    return entry
