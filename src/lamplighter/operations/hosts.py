"""Hosts: what the operator allows there, and takedowns."""

from datetime import datetime

from lamplighter.errors import BadInput
from lamplighter.rules import takedown
from lamplighter.store import audit_log, hosts, takedowns
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


async def take_down(db: Connection, domain_or_url: str, *, actor: str, now: datetime, reason: str | None = None) -> str:
    """Never asks this domain or URL prefix again; returns it as it is kept."""
    entry = takedown.entry(domain_or_url)
    await takedowns.add(db, entry, reason=reason, now=now)
    await audit_log.write(db, actor=actor, action="takedown.add", subject=entry, now=now)
    return entry
