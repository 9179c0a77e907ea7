"""Explains whether a URL would be fetched now, and why."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.errors import BadUrl
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import Host, HostPolicy, RobotsFile, RobotsState
from lamplighter.model.page import Phase, RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import Refused
from lamplighter.operations.explain import explain_gates, explain_sources
from lamplighter.operations.explain.explain_gates import GateObstacle
from lamplighter.operations.hosts.hosts import DELAY_WORDS
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.change.belief import LONGEST_GAP
from lamplighter.rules.hosts import politeness, takedown
from lamplighter.rules.hosts.politeness import DelayOrigin
from lamplighter.rules.robots import robots
from lamplighter.rules.schedule import reasons
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import is_literal
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.hosts import host_lists, hosts, robots_files, takedowns
from lamplighter.store.pages import page_revisits, pages
from lamplighter.store.pages.page_revisits import PageCircumstances
from lamplighter.store.runs import crawl_runs

VERDICTS = {True: "would be fetched", False: "would not be fetched", None: "would be fetched if robots.txt allows it"}
_UNDER_WAY = (Phase.PENDING, Phase.DOWNLOADED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What bears on fetching a URL, in the order of the gate."""

    url: str
    #: whether a request would be made as soon as the host's turn comes; None while robots.txt is not known
    would_be_asked: bool | None
    #: what keeps it from being asked for now, in the order in which a request would meet it
    obstacles: list[GateObstacle]
    #: what shows only when it is asked for, in whole sentences
    not_known: list[str]
    takedown: str | None
    robots: dict[str, Any]
    host: dict[str, Any]
    page: dict[str, Any] | None
    #: the source whose run had the page last, else the one that watches the URL
    source: dict[str, Any] | None
    #: all that know it, that one first
    sources: list[dict[str, Any]]


async def explain(
    db: Database, url: str, *, token: str, defaults: HostPolicy, now: datetime, barrier: Barrier | None = None
) -> Explanation:
    """Checks everything that bears on the URL; sends no request and writes nothing.

    `barrier` is that of the door that would fetch it; without one the address is not checked.
    """
    target = urls.parse(meant_by(url))
    async with db.read() as connection:
        stopped = await crawl_pause.get(connection)
        entry = takedown.matching(target.href, await takedowns.all_of_them(connection))
        file = await robots_files.get(connection, target.origin)
        page = await pages.by_url(connection, urls.url_key(target.href))
        around = await _circumstances(connection, page, now=now)
        run = await crawl_runs.get(connection, page.run_id) if page is not None and page.run_id else None
        knowing = await explain_sources.knowing(connection, target.href, urls.url_key(target.href), now=now)
        row = await host_lists.by_key(connection, target.host_key)
    host = hosts.host_of(row, defaults) if row is not None else Host(id=0, key=target.host_key, policy=defaults)
    # A run that was opened in time continues when the window shuts.
    is_in_a_run = page is not None and page.phase == Phase.PENDING and run is not None and run.finished_at is None
    opens_at = None if is_in_a_run else explain_gates.opens_at(row, now=now)
    said = _robots(file, token=token, url=target.href, now=now)
    found = [
        *explain_gates.before_the_gate(stopped, host, opens_at),
        *await explain_gates.strangers(barrier, target.href),
        *explain_gates.at_the_gate(entry, said, host, now=now),
        *explain_gates.waiting_for_proxy(page, now=now),
    ]
    if said["allowed"] is None and found:
        said["why"] = "robots.txt is not fetched either"
    return Explanation(
        url=target.href,
        would_be_asked=False if found else said["allowed"],
        obstacles=found,
        not_known=list(_not_known(target)),
        takedown=entry,
        robots=said,
        host=_host(host, row, opens_at, now=now),
        page=_page(page, around, run.public_id if run is not None else None),
        source=next(iter(knowing), None),
        sources=knowing,
    )


def meant_by(typed: str) -> str:
    """The URL for what an operator typed, perhaps without a scheme; BadUrl for a word that names no host."""
    text = typed.strip()
    if "://" in text:
        return text
    hostname = re.split(r"[/?#]", text, maxsplit=1)[0].rpartition("@")[2]
    name = re.sub(r":\d*$", "", hostname)
    if "." in name.strip(".") or name.lower() == "localhost" or is_literal(name.strip("[]")):
        return f"https://{text}"
    raise BadUrl(f"{typed!r} is not a URL; write it in full, such as https://example.org/jobs")


def _not_known(target: urls.WebUrl) -> Iterator[str]:
    if not is_literal(target.hostname):
        yield (
            f"{target.hostname} is not looked up for this; an address in a private network that is "
            "not allowed would be refused at connection time"
        )


def _robots(file: RobotsFile | None, *, token: str, url: str, now: datetime) -> dict[str, Any]:
    if file is None or file.expires_at <= now:
        state = "not fetched yet" if file is None else "copy is out of date"
        return {"allowed": None, "state": state, "why": "robots.txt would be fetched first"}
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


def _host(host: Host, row: Any, opens_at: datetime | None, *, now: datetime) -> dict[str, Any]:
    """How the host is treated; `row` is what is stored of it, None for one that we have not met."""
    delay = politeness.effective_delay(host)
    is_own = row is not None and row.min_delay_ms is not None
    turn = max([time for time in (host.free_at, host.blocked_until, opens_at, now) if time is not None])
    return {
        "host": host.key,
        "enabled": host.policy.enabled,
        "delay_seconds": delay.total_seconds(),
        "why": DELAY_WORDS.get(politeness.delay_origin(host))
        or ("the host's policy" if is_own else "the installation's default"),
        "delays": list(_delays(host, is_own=is_own)),
        "is_known": row is not None,
        "max_concurrency": host.policy.max_concurrency,
        "max_pages": host.policy.max_pages,
        "next_turn_at": turn.isoformat(),
        "window_opens_at": opens_at.isoformat() if opens_at is not None else None,
        "blocked_until": host.blocked_until.isoformat()
        if politeness.is_blocked(host, now=now) and host.blocked_until
        else None,
        "block_reason": host.block_reason if politeness.is_blocked(host, now=now) else None,
    }


def _delays(host: Host, *, is_own: bool) -> Iterator[dict[str, Any]]:
    """All delays that apply; the longest holds."""
    whose = "set for this host" if is_own else "the installation's default"
    yield {"seconds": host.policy.min_delay.total_seconds(), "by": f"policy, {whose}"}
    if host.crawl_delay is not None:
        yield {"seconds": host.crawl_delay.total_seconds(), "by": DELAY_WORDS[DelayOrigin.ROBOTS]}
    if host.learnt_delay:
        yield {"seconds": host.learnt_delay.total_seconds(), "by": DELAY_WORDS[DelayOrigin.LEARNT]}


async def _circumstances(db: Connection, page: Any, *, now: datetime) -> PageCircumstances | None:
    if page is None:
        return None
    day = revisit_delay.closed_before(now)
    return (await page_revisits.circumstances(db, [page.id], closed_before=day)).get(page.id)


def _page(page: Any, around: PageCircumstances | None, run_id: str | None) -> dict[str, Any] | None:
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
        "rest": _revisit_delay(page, around),
    }


def _revisit_delay(page: Any, around: PageCircumstances | None) -> dict[str, Any]:
    """The revisit delay of the page, and its reason."""
    revisit = page_revisits.revisit_of(page)
    until = revisit_delay.ends_at(revisit, fetched_at=page.fetched_at)
    hours = min(1 / revisit.belief.rate, LONGEST_GAP) if revisit.belief else None
    return {
        "why": _delay_word(page, revisit, is_closed=around is not None and around.is_closed),
        "until": until.isoformat() if until and page.role == PageRole.LINK and page.phase not in _UNDER_WAY else None,
        "changes_every_seconds": 3600 * hours if hours is not None else None,
        "missing_count": revisit.missing_count,
    }


def _delay_word(page: Any, revisit: RevisitState, *, is_closed: bool) -> str:
    """A stable word."""
    if page.role != PageRole.LINK:
        return "asked_in_every_run"
    if page.phase in _UNDER_WAY:
        return "under_way"
    if revisit.missing_count:
        return "gone" if revisit_delay.is_gone(revisit) else "missing"
    if is_closed:
        return "closed"
    return "learnt" if revisit.belief else "usual"


def why_not_revisited(revisit: Mapping[str, Any]) -> str:
    """The reason for the revisit delay of a linked page."""
    match revisit["why"]:
        case "gone":
            times = "twice" if revisit["missing_count"] == 2 else f"{revisit['missing_count']} times in a row"
            return f"gone, missing {times}"
        case "closed":
            return "closed: all its records are past their deadline or gone"
        case "learnt":
            return f"changes about every {reasons.span(revisit['changes_every_seconds'])}"
        case _:
            return "its change rate is not known yet"
