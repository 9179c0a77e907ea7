"""What would happen to this URL now, and why?"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import Host, HostPolicy, RobotsFile
from lamplighter.model.visit import Refused
from lamplighter.rules import politeness, robots, schedule, takedown, urls
from lamplighter.store import crawl_jobs, hosts, pages, robots_files, sources, takedowns
from lamplighter.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The answers, in the order in which the gate asks."""

    url: str
    #: whether a request would be made as soon as the host's turn comes; None while robots.txt is not known
    would_be_asked: bool | None
    takedown: str | None
    robots: dict[str, Any]
    host: dict[str, Any]
    page: dict[str, Any] | None
    source: dict[str, Any] | None


async def explain(db: Database, url: str, *, token: str, defaults: HostPolicy, now: datetime) -> Explanation:
    """Looks at everything that has a say; asks nothing of the site and writes nothing."""
    target = urls.parse(url)
    async with db.read() as connection:
        entry = takedown.matching(target.href, await takedowns.all_of_them(connection))
        file = await robots_files.get(connection, target.origin)
        host = await hosts.get(connection, target.host_key, defaults=defaults)
        page = await pages.by_url(connection, urls.url_key(target.href))
        source = await sources.get(connection, page.source_id) if page is not None else None
        job = await crawl_jobs.of_source(connection, source.id) if source is not None else None
    said = _robots(file, token=token, url=target.href, now=now)
    blocked = host is not None and politeness.is_blocked(host, now=now)
    allowed = said["allowed"]
    return Explanation(
        url=target.href,
        would_be_asked=False if entry or blocked or allowed is False else allowed,
        takedown=entry,
        robots=said,
        host=_host(host or Host(id=0, key=target.host_key, policy=defaults), now=now),
        page=_page(page),
        source=None
        if source is None
        else {
            "name": source.name,
            "url": source.url,
            "state": job.state if job else None,
            "pause_reason": job.pause_reason if job else None,
            "next_run_at": job.next_run_at.isoformat() if job and job.next_run_at else None,
            "why": schedule.sentence(dict(job.next_run_reason) if job and job.next_run_reason else None),
        },
    )


def _robots(file: RobotsFile | None, *, token: str, url: str, now: datetime) -> dict[str, Any]:
    if file is None or file.expires_at <= now:
        state = "not asked yet" if file is None else "copy is out of date"
        return {"allowed": None, "state": state, "why": "robots.txt would be asked for first"}
    compiled = Compiled(file=file, rules=robots.compile_robots(file.body))
    answer = judge_robots(compiled, token=token, url=url)
    refused = isinstance(answer, Refused)
    return {
        "allowed": not refused,
        "state": file.state,
        "why": answer.detail if isinstance(answer, Refused) else answer.rule,
        "fetched_at": file.fetched_at.isoformat(),
    }


def _host(host: Host, *, now: datetime) -> dict[str, Any]:
    delay = politeness.effective_delay(host)
    turn = max([time for time in (host.free_at, host.blocked_until, now) if time is not None])
    return {
        "host": host.key,
        "delay_seconds": delay.total_seconds(),
        "why": _delay_reason(host, delay),
        "max_concurrency": host.policy.max_concurrency,
        "max_pages": host.policy.max_pages,
        "next_turn_at": turn.isoformat(),
        "blocked_until": host.blocked_until.isoformat()
        if politeness.is_blocked(host, now=now) and host.blocked_until
        else None,
        "block_reason": host.block_reason if politeness.is_blocked(host, now=now) else None,
    }


def _delay_reason(host: Host, delay: timedelta) -> str:
    if host.crawl_delay is not None and delay == host.crawl_delay:
        return "Crawl-delay of robots.txt"
    if host.learnt_delay and delay == host.learnt_delay:
        return "learnt: the host asked us to slow down"
    return "the host's policy"


def _page(page: Any) -> dict[str, Any] | None:
    if page is None:
        return None
    return {
        "phase": page.phase,
        "depth": page.depth,
        "status": page.status,
        "fetched_at": page.fetched_at.isoformat() if page.fetched_at else None,
        "allowed_by": page.robots_rule,
        "reason": page.reason,
        "detail": page.detail,
        "next_try_at": page.due_at.isoformat() if page.due_at else None,
    }
