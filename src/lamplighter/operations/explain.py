"""What would happen to this URL now, and why?"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import Host, HostPolicy, RobotsFile
from lamplighter.model.page import Phase, Rest
from lamplighter.model.reading import Role
from lamplighter.model.visit import Refused
from lamplighter.rules import page_rest, politeness, reasons, robots, takedown, urls
from lamplighter.rules.belief import LONGEST_GAP
from lamplighter.store import crawl_jobs, hosts, page_rests, pages, robots_files, sources, takedowns
from lamplighter.store.database import Connection, Database
from lamplighter.store.page_rests import Circumstances

_UNDER_WAY = (Phase.PENDING, Phase.DOWNLOADED)


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
        around = await _circumstances(connection, page, now=now)
        source = await sources.get(connection, page.source_id) if page is not None else None
        job = await crawl_jobs.of_source(connection, source.id) if source is not None else None
    said = _robots(file, token=token, url=target.href, now=now)
    blocked = host is not None and (politeness.is_blocked(host, now=now) or not host.policy.enabled)
    allowed = said["allowed"]
    return Explanation(
        url=target.href,
        would_be_asked=False if entry or blocked or allowed is False else allowed,
        takedown=entry,
        robots=said,
        host=_host(host or Host(id=0, key=target.host_key, policy=defaults), now=now),
        page=_page(page, around),
        source=None
        if source is None
        else {
            "name": source.name,
            "url": source.url,
            "state": job.state if job else None,
            "pause_reason": job.pause_reason if job else None,
            "next_run_at": job.next_run_at.isoformat() if job and job.next_run_at else None,
            "why": reasons.sentence(dict(job.next_run_reason) if job and job.next_run_reason else None),
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
        "enabled": host.policy.enabled,
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


async def _circumstances(db: Connection, page: Any, *, now: datetime) -> Circumstances | None:
    if page is None:
        return None
    day = page_rest.closed_before(now)
    return (await page_rests.circumstances(db, [page.id], closed_before=day)).get(page.id)


def _page(page: Any, around: Circumstances | None) -> dict[str, Any] | None:
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
        "rest": _rest(page, around),
    }


def _rest(page: Any, around: Circumstances | None) -> dict[str, Any]:
    """How long the page is left alone though it is linked, and why."""
    rest = page_rests.rest_of(page)
    until = page_rest.ends_at(rest, fetched_at=page.fetched_at)
    hours = min(1 / rest.belief.rate, LONGEST_GAP) if rest.belief else None
    return {
        "why": _why_it_rests(page, rest, is_closed=around is not None and around.is_closed),
        "until": until.isoformat() if until and page.role == Role.LINK and page.phase not in _UNDER_WAY else None,
        "changes_every_seconds": 3600 * hours if hours is not None else None,
        "missing_count": rest.missing_count,
    }


def _why_it_rests(page: Any, rest: Rest, *, is_closed: bool) -> str:
    """A stable word."""
    if page.role != Role.LINK:
        return "asked_in_every_run"
    if page.phase in _UNDER_WAY:
        return "under_way"
    if rest.missing_count:
        return "gone" if page_rest.is_gone(rest) else "missing"
    if is_closed:
        return "closed"
    return "learnt" if rest.belief else "usual"
