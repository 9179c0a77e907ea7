"""Everything that an operator says of a host at once, as a form has it: what differs from before is changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.operations import hosts
from lamplighter.operations.source_wish import naming
from lamplighter.rules import window_text
from lamplighter.store import host_lists
from lamplighter.store.database import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWish:
    """What an operator says of a host; None leaves it to the installation."""

    min_delay_ms: int | None = None
    max_concurrency: int | None = None
    max_pages: int | None = None
    max_page_kb: int | None = None
    allow_js: bool | None = None
    user_agent: str | None = None
    #: when it may be asked, in words (see `rules.window_text`); empty for at any time
    windows: str = ""
    #: fetches, over all its sources
    budget_per_hour: float | None = None
    #: only, prefer or never
    proxy_mode: str | None = None
    #: of its proxies; None for any
    proxy_country: str | None = None


async def wish_of(db: Connection, key: str) -> HostWish:
    """What an operator has said of a host."""
    row = await host_lists.by_key(db, key)
    if row is None:
        return HostWish()
    windows, _ = window_text.loaded(row.windows or [])
    return HostWish(
        **{name: getattr(row, name) for name in hosts.LIMITS},
        user_agent=row.user_agent,
        windows=window_text.describe(windows) if windows else "",
        budget_per_hour=row.budget_per_hour,
        proxy_mode=row.proxy_mode,
        proxy_country=row.proxy_country,
    )


async def change(
    db: Connection, key: str, wish: HostWish, *, norms: Norms, agent: str, actor: str, now: datetime
) -> bool:
    """Makes what holds for a host what the wish says; False when it says nothing new."""
    before = await wish_of(db, key)
    if wish == before:
        return False
    who: dict[str, Any] = {"actor": actor, "now": now}
    policy = {name: getattr(wish, name) for name in hosts.LIMITS if getattr(wish, name) != getattr(before, name)}
    if policy:
        await hosts.set_policy(db, key, **who, **policy)
    if wish.windows != before.windows:
        with naming("windows"):
            await hosts.set_times(db, key, **who, norms=norms, windows=wish.windows)
    if wish.budget_per_hour != before.budget_per_hour:
        await _set_budget(db, key, wish.budget_per_hour, norms=norms, **who)
    if (wish.proxy_mode, wish.proxy_country) != (before.proxy_mode, before.proxy_country):
        await hosts.set_exits(db, key, mode=wish.proxy_mode, country=wish.proxy_country, **who)
    if wish.user_agent != before.user_agent:
        await hosts.set_user_agent(db, key, wish.user_agent, ours=agent, **who)
    return True


async def _set_budget(
    db: Connection, key: str, per_hour: float | None, *, norms: Norms, actor: str, now: datetime
) -> None:
    if per_hour is None:
        await hosts.lift_budget(db, key, actor=actor, now=now)
        return
    with naming("budget_per_hour"):
        await hosts.set_times(db, key, actor=actor, now=now, norms=norms, budget_per_hour=per_hour)
