"""Ends waits for a proxy when an operator changed something that may end them."""

from collections.abc import Iterable
from datetime import datetime

from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import page_waits


async def end(db: Connection, host_ids: Iterable[int] | None, *, now: datetime) -> None:
    """Tries the pages again at once that wait for a proxy, of these hosts or of all."""
    woken = await page_waits.end_proxy_waits(db, host_ids)
    if woken:
        await hosts.wake(db, woken, now=now)
        signal(Signal.HOSTS)
