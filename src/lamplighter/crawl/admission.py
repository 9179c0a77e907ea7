"""Takes discovered URLs into a run: new pages, pages known from earlier runs, and the run's page budget."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from lamplighter.model.page import Phase
from lamplighter.model.reading import Role
from lamplighter.rules import frontier, urls
from lamplighter.store import crawl_runs, hosts, pages
from lamplighter.store.crawl_runs import OpenRun


class Found(NamedTuple):
    """A URL found on a page."""

    url: str
    role: Role
    depth: int
    found_on: int | None
    #: redirects that led here
    hops: int = 0


async def admit(db: AsyncConnection, run: OpenRun, found: Iterable[Found], *, priority: int, now: datetime) -> set[int]:
    """Admits what the run does not have yet, as far as its budget goes, and returns the hosts that got work."""
    by_key: dict[str, Found] = {}
    for item in found:
        by_key.setdefault(urls.url_key(item.url), item)
    known = await pages.known(db, run.source_id, list(by_key))
    wanted = {key: item for key, item in by_key.items() if _is_wanted(item, known.get(key), run, now)}
    # A listing's next page is worth more than any single link when the budget is short.
    ordered = sorted(wanted.items(), key=lambda pair: pair[1].role is not Role.LISTING)
    chosen = dict(ordered[: max(0, run.page_budget - run.page_count)])
    if not chosen:
        return set()
    host_keys = {key: urls.parse(item.url).host_key for key, item in chosen.items()}
    host_ids = await hosts.ensure(db, host_keys.values(), now=now)
    new = [
        _new_row(key, item, run, host_ids[host_keys[key]], priority, now)
        for key, item in chosen.items()
        if key not in known
    ]
    await pages.add(db, new)
    await pages.readmit(
        db, [_known_row(known[key].id, item, run, priority) for key, item in chosen.items() if key in known]
    )
    woken = {host_ids[key] for key in host_keys.values()}
    await hosts.wake(db, woken, now=now)
    await crawl_runs.add_up(db, {run.id: {"page_count": len(chosen)}})
    return woken


def _is_wanted(item: Found, known: pages.Known | None, run: OpenRun, now: datetime) -> bool:
    if known is None:
        return True
    if known.run_id == run.id:
        return False
    # A redirect leads to this page and nowhere else: it is asked for however fresh it is.
    return item.hops > 0 or frontier.is_due_again(role=item.role, fetched_at=known.fetched_at, now=now)


def _new_row(key: str, item: Found, run: OpenRun, host_id: int, priority: int, now: datetime) -> Mapping[str, Any]:
    return {
        "source_id": run.source_id,
        "run_id": run.id,
        "host_id": host_id,
        "url": item.url,
        "url_key": key,
        "role": item.role,
        "depth": item.depth,
        "rank": frontier.rank(priority=priority, depth=item.depth),
        "found_on": item.found_on,
        "hops": item.hops,
        "phase": Phase.PENDING,
        "created_at": now,
    }


def _known_row(page_id: int, item: Found, run: OpenRun, priority: int) -> Mapping[str, Any]:
    return {
        "page": page_id,
        "run": run.id,
        "new_depth": item.depth,
        "new_rank": frontier.rank(priority=priority, depth=item.depth),
        "new_hops": item.hops,
    }
