"""What would happen to this URL now, and why?"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import Host, HostPolicy, RobotsFile, RobotsState
from lamplighter.model.page import Phase, Rest
from lamplighter.model.reading import Role
from lamplighter.model.visit import Refusal, Refused
from lamplighter.operations import explain_sources
from lamplighter.rules import page_rest, politeness, robots, takedown, urls
from lamplighter.rules.belief import LONGEST_GAP
from lamplighter.rules.politeness import DelayOrigin
from lamplighter.store import crawl_runs, host_lists, hosts, page_rests, pages, robots_files, takedowns
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
    #: the source whose run had the page last, else the one that watches the URL
    source: dict[str, Any] | None
    #: all that know it, that one first
    sources: list[dict[str, Any]]


async def explain(db: Database, url: str, *, token: str, defaults: HostPolicy, now: datetime) -> Explanation:
    """Looks at everything that has a say; asks nothing of the site and writes nothing."""
    target = urls.parse(url)
    async with db.read() as connection:
        entry = takedown.matching(target.href, await takedowns.all_of_them(connection))
        file = await robots_files.get(connection, target.origin)
        page = await pages.by_url(connection, urls.url_key(target.href))
        around = await _circumstances(connection, page, now=now)
        run = await crawl_runs.get(connection, page.run_id) if page is not None and page.run_id else None
        knowing = await explain_sources.knowing(connection, target.href, urls.url_key(target.href), now=now)
        row = await host_lists.by_key(connection, target.host_key)
    host = hosts.host_of(row, defaults) if row is not None else None
    said = _robots(file, token=token, url=target.href, now=now)
    blocked = host is not None and (politeness.is_blocked(host, now=now) or not host.policy.enabled)
    blocked = blocked or _waits_for_proxy(page, now=now)
    allowed = said["allowed"]
    return Explanation(
        url=target.href,
        would_be_asked=False if entry or blocked or allowed is False else allowed,
        takedown=entry,
        robots=said,
        host=_host(host or Host(id=0, key=target.host_key, policy=defaults), row, now=now),
        page=_page(page, around, run.public_id if run is not None else None),
        source=next(iter(knowing), None),
        sources=knowing,
    )


def _robots(file: RobotsFile | None, *, token: str, url: str, now: datetime) -> dict[str, Any]:
    if file is None or file.expires_at <= now:
        state = "not asked yet" if file is None else "copy is out of date"
        return {"allowed": None, "state": state, "why": "robots.txt would be asked for first"}
    compiled = Compiled(file=file, rules=robots.compile_robots(file.body))
    answer = judge_robots(compiled, token=token, url=url)
    refused = isinstance(answer, Refused)
    verdict = compiled.verdict(token, url)
    is_line = file.state is RobotsState.RULES and verdict.line is not None
    return {
        "allowed": not refused,
        "state": file.state,
        "why": answer.detail if isinstance(answer, Refused) else answer.rule,
        # the deciding line, when a line decided
        "rule": verdict.rule if is_line else None,
        "line": verdict.line if is_line else None,
        "group": verdict.group if is_line else None,
        "fetched_at": file.fetched_at.isoformat(),
    }


def _host(host: Host, row: Any, *, now: datetime) -> dict[str, Any]:
    """How the host is treated; `row` is what is stored of it, None for one that we have not met."""
    delay = politeness.effective_delay(host)
    turn = max([time for time in (host.free_at, host.blocked_until, now) if time is not None])
    return {
        "host": host.key,
        "enabled": host.policy.enabled,
        "delay_seconds": delay.total_seconds(),
        "why": _DELAY_REASONS[politeness.delay_origin(host)],
        "delays": list(_delays(host, is_own=row is not None and row.min_delay_ms is not None)),
        "is_known": row is not None,
        "max_concurrency": host.policy.max_concurrency,
        "max_pages": host.policy.max_pages,
        "next_turn_at": turn.isoformat(),
        "blocked_until": host.blocked_until.isoformat()
        if politeness.is_blocked(host, now=now) and host.blocked_until
        else None,
        "block_reason": host.block_reason if politeness.is_blocked(host, now=now) else None,
    }


_DELAY_REASONS = {
    DelayOrigin.ROBOTS: "Crawl-delay of robots.txt",
    DelayOrigin.LEARNT: "learnt: the host asked us to slow down",
    DelayOrigin.POLICY: "the host's policy",
}


def _delays(host: Host, *, is_own: bool) -> Iterator[dict[str, Any]]:
    """Everybody who asks for a delay; the longest holds."""
    whose = "set for this host" if is_own else "the installation's default"
    yield {"seconds": host.policy.min_delay.total_seconds(), "by": f"policy, {whose}"}
    if host.crawl_delay is not None:
        yield {"seconds": host.crawl_delay.total_seconds(), "by": "Crawl-delay of robots.txt"}
    if host.learnt_delay:
        yield {"seconds": host.learnt_delay.total_seconds(), "by": "learnt: the host asked us to slow down"}


async def _circumstances(db: Connection, page: Any, *, now: datetime) -> Circumstances | None:
    if page is None:
        return None
    day = page_rest.closed_before(now)
    return (await page_rests.circumstances(db, [page.id], closed_before=day)).get(page.id)


def _page(page: Any, around: Circumstances | None, run_id: str | None) -> dict[str, Any] | None:
    if page is None:
        return None
    return {
        "id": page.id,
        "run_id": run_id,
        "phase": page.phase,
        "depth": page.depth,
        "status": page.status,
        "fetched_at": page.fetched_at.isoformat() if page.fetched_at else None,
        "content_type": page.content_type,
        "size_bytes": page.size_bytes,
        "took_ms": page.took_ms,
        "redirected_to": page.redirected_to,
        "allowed_by": page.robots_rule,
        "reason": page.reason,
        "detail": page.detail,
        "proxy_id": page.proxy_id,
        "next_try_at": page.due_at.isoformat() if page.due_at else None,
        "rest": _rest(page, around),
    }


def _waits_for_proxy(page: Any, *, now: datetime) -> bool:
    """Whether the page would be asked for now if its host had a proxy to go by."""
    if page is None or page.reason != Refusal.NO_PROXY or page.phase != Phase.PENDING:
        return False
    return page.due_at is not None and bool(page.due_at > now)


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
