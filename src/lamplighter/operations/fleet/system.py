"""Figures of the whole system: tasks, domains, proxies, queues."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.page import PageStage
from lamplighter.operations.pages import task_lists
from lamplighter.ports import Depth
from lamplighter.rules.formats.percent import percent
from lamplighter.rules.pages import frontier
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import system_figures
from lamplighter.store.fleet.system_figures import PageQueue
from lamplighter.store.hosts import domains
from lamplighter.store.pages import page_counts
from lamplighter.store.proxies import proxies

_FIRST, _LAST = 0, frontier.rank(priority=0, depth=0) + 1000
_LAST_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOverview:
    """Figures of the whole system."""

    tasks: Counter[PageStage]
    domains: int
    active_domains: int
    proxies: int
    active_proxies: int
    failing_proxies: int
    products: int
    #: since midnight, UTC
    products_today: int
    #: of the last day; None if nothing was fetched
    average_took_ms: float | None
    #: processor time of the readers for a page of the last day; None when nothing was read
    average_reading_ms: float | None
    #: per cent of the pages of the last day that ended
    success_rate: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQueues:
    """Pages that wait and pages in progress."""

    crawl: PageQueue
    parse: PageQueue
    priority: PageQueue
    #: messages that could not be handled; None without RabbitMQ
    dead_letters: PageQueue | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Pages that wait, of any priority, and pages in progress; counted up to a limit."""

    to_fetch: PageQueue
    to_parse: PageQueue


async def overview(db: Connection, *, now: datetime) -> SystemOverview:
    """Counts everything; takes a while where there is much."""
    tasks = await task_lists.figures(db, host_id=None, span=_LAST_DAY, now=now)
    known, active = await domains.counts(db)
    all_proxies, active_proxies, failing = await proxies.counts(db)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    found, today = await system_figures.products(db, since=midnight)
    average = tasks.visits.average_ms
    reading = await page_counts.average_reading_ms(db, now - _LAST_DAY)
    return SystemOverview(
        tasks=tasks.by_stage,
        domains=known,
        active_domains=active,
        proxies=all_proxies,
        active_proxies=active_proxies,
        failing_proxies=failing,
        products=found,
        products_today=today,
        average_took_ms=None if average is None else round(average, 2),
        average_reading_ms=None if reading is None else round(reading, 2),
        success_rate=percent(tasks.visits.completed, tasks.visits.failed),
    )


async def queues(db: Connection, *, depths: Mapping[str, Depth] | None, now: datetime) -> PageQueues:
    """Pages that wait to be fetched and to be parsed.

    `depths` are those of RabbitMQ. Without it the database is the queue, so it is the one that is counted.
    """
    # A rank falls as the priority rises; the ranks of one priority are those of its depths.
    urgent_below = frontier.rank(priority=frontier.URGENT, depth=0) + 1000
    crawl = await system_figures.to_fetch(db, now=now, ranks=(urgent_below, _LAST))
    parse = await system_figures.to_parse(db, now=now)
    priority = await system_figures.to_fetch(db, now=now, ranks=(_FIRST, urgent_below))
    if depths is None:
        return PageQueues(crawl=crawl, parse=parse, priority=priority, dead_letters=None)
    return PageQueues(
        crawl=_as_carried(crawl, depths["crawl_queue"]),
        parse=_as_carried(parse, depths["parse_queue"]),
        priority=_as_carried(priority, depths["priority_queue"]),
        dead_letters=_as_carried(PageQueue(), depths["dead_letter_queue"]),
    )


async def backlog(db: Connection, *, depths: Mapping[str, Depth] | None, now: datetime, most: int) -> Backlog:
    """Pages that wait to be fetched and to be parsed, up to `most` of each; `depths` as for queues."""
    to_fetch = await system_figures.to_fetch(db, now=now, ranks=(_FIRST, _LAST), most=most)
    to_parse = await system_figures.to_parse(db, now=now, most=most)
    if depths is None:
        return Backlog(to_fetch=to_fetch, to_parse=to_parse)
    waiting = depths["crawl_queue"].ready + depths["priority_queue"].ready
    return Backlog(to_fetch=to_fetch._replace(ready=waiting), to_parse=_as_carried(to_parse, depths["parse_queue"]))


def _as_carried(stored: PageQueue, depth: Depth) -> PageQueue:
    """The counts of RabbitMQ; pages in progress are counted in the database, as RabbitMQ does not say."""
    return stored._replace(ready=depth.ready, holders=depth.consumers)
